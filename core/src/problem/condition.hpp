// SPDX-License-Identifier: Apache-2.0
// A condition made ready for millions of evaluations: slots instead of names, plain numbers instead
// of values that own memory.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "problem/space.hpp"

namespace bench::problem {

class Condition {
 public:
  /// Names that are neither a parameter nor a constant are a Failure. All references must outlive
  /// this.
  Condition(const Expression &expression, const std::vector<Parameter> &parameters,
            const Space::Constants &constants);

  /// `indices`: positions in all parameters' value lists; only those of `parameters()` are read.
  /// Faults inside the expression (division by zero) are Failures that add the assignment.
  bool holds(std::span<const std::uint32_t> indices) const;

  /// Parameters that it reads, ascending.
  const std::vector<std::uint32_t> &parameters() const { return used_; }
  const Expression &expression() const { return expression_; }

 private:
  struct Cell {
    std::int64_t integer = 0;
    double real = 0;
    bool is_real = false;
    double as_real() const { return is_real ? real : static_cast<double>(integer); }
    bool truth() const { return is_real ? real != 0.0 : integer != 0; }
  };
  struct Step {
    int op = 0;              // Op
    int function = 0;        // Function
    std::uint32_t slot = 0;  // parameter
    Cell constant;
    std::vector<int> compares;
    std::vector<Step> children;
  };
  class SlotScope;

  bool translate(const Node &node, Step &step) const;
  /// False: only the full evaluator can tell (overflow, division by zero, power).
  bool run(const Step &step, std::span<const std::uint32_t> indices, Cell &result) const;
  bool run_compare(const Step &step, std::span<const std::uint32_t> indices, Cell &result) const;
  static bool run_arithmetic(int op, const Cell &left, const Cell &right, Cell &result);
  bool slow(std::span<const std::uint32_t> indices) const;

  const Expression &expression_;
  const std::vector<Parameter> &parameters_;
  const Space::Constants &constants_;
  std::vector<std::uint32_t> used_;
  std::vector<std::vector<Cell>> cells_;  // of each parameter used, by value index; else empty
  Step root_;
  bool fast_ = false;
};

}  // namespace bench::problem
