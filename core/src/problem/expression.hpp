// SPDX-License-Identifier: Apache-2.0
// The closed language of problem files: Python's spelling and semantics for numbers, texts, lists,
// range, comprehensions, arithmetic, comparison, and/or/not/in and a few functions. It is never
// handed to a host language: a data file must not be able to run code.
//
//   + - * / // % **   < <= > >= == != in, not in (chained)   and or not   a if c else b
//   [a, b]  (a, b)  x[i]  range(..)  [e for x in l if c]
//   min max abs sum len int float round
// C's && || ! are read as and, or, not.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problem/value.hpp"

namespace bench::problem {

/// Bounds that keep a hostile or mistaken file from eating the machine. Each has its own error.
struct Limits {
  int depth = 1000;                     // nesting of brackets, operators and comprehensions
  std::size_t text_bytes = 1 << 20;     // of one expression
  std::size_t list_items = 10'000'000;  // of one list
  std::uint64_t steps = 100'000'000;    // node visits of one evaluation
};

/// Names an expression may use.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual const Value *find(const std::string &name) const = 0;
  /// What max(name) and min(name) range over, where a name stands for several values; else null.
  virtual const Value *values_of(const std::string &) const { return nullptr; }
  /// For the suggestion in an unknown name's error.
  virtual std::vector<std::string> names() const = 0;
};

struct Node;

class Expression {
 public:
  /// Throws Failure with the expression and the column (from 1).
  static Expression parse(std::string text, const Limits &limits = {});

  Value evaluate(const Scope &scope) const;
  /// Free names, each once, in order of appearance.
  const std::vector<std::string> &names() const { return names_; }
  const std::string &text() const { return text_; }
  const Node &root() const { return *root_; }
  const Limits &limits() const { return limits_; }

 private:
  std::string text_;
  Limits limits_;
  std::shared_ptr<const Node> root_;
  std::vector<std::string> names_;
};

/// Failure that points into an expression: what, "expression `...`, column 7", hint.
Failure expression_failure(const std::string &text, std::size_t offset, const std::string &what,
                           const std::string &hint);

/// The name of `candidates` nearest to `name`, if near enough to be a slip of the finger.
std::optional<std::string> nearest_name(const std::string &name,
                                        const std::vector<std::string> &candidates);

}  // namespace bench::problem
