// SPDX-License-Identifier: Apache-2.0
// A condition made ready for millions of evaluations: names become slots, numbers stay unboxed.
// Whatever this fast form cannot do (texts, lists, a fault to be reported) goes to the full
// evaluator, which is the one that defines the language.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "problem/expression.hpp"
#include "problem/syntax.hpp"

namespace bench::problem {

/// A number without a heap: integer, or real if `is_real`.
struct Number {
  std::int64_t integer = 0;
  double real = 0.0;
  bool is_real = false;

  double as_real() const { return is_real ? real : static_cast<double>(integer); }
  bool truth() const { return is_real ? real != 0.0 : integer != 0; }
};

class FastCondition {
 public:
  /// `slot_names[i]` is the name whose value evaluate() finds in slots[i].
  FastCondition(const Expression &expression, const std::vector<std::string> &slot_names);

  /// Nothing if the fast form does not apply to these values.
  std::optional<bool> evaluate(const Number *slots) const;

 private:
  struct Instruction {
    Op op = Op::constant;
    std::uint32_t slot = 0;
    Number constant;
    Function function = Function::minimum;
    std::vector<Compare> compares;
    std::vector<std::uint32_t> children;
  };
  std::optional<std::uint32_t> compile(const Node &node,
                                       const std::vector<std::string> &slot_names);
  bool run(std::uint32_t at, const Number *slots, Number &result) const;

  std::vector<Instruction> code_;
  std::optional<std::uint32_t> root_;
};

}  // namespace bench::problem
