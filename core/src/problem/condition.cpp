// SPDX-License-Identifier: Apache-2.0
#include "problem/condition.hpp"

#include <algorithm>
#include <cmath>

namespace bench::problem {
namespace {

Number of_integer(std::int64_t value) {
  return {value, 0.0, false};
}
Number of_real(double value) {
  return {0, value, true};
}

/// False where the full evaluator has to decide (overflow, division by zero).
bool fast_arithmetic(Op op, const Number &a, const Number &b, Number &result) {
  const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
  if (divides && b.as_real() == 0.0) return false;
  if (op == Op::divide) {
    result = of_real(a.as_real() / b.as_real());
    return true;
  }
  if (a.is_real || b.is_real) {
    const double x = a.as_real(), y = b.as_real();
    switch (op) {
      case Op::add:
        result = of_real(x + y);
        return true;
      case Op::subtract:
        result = of_real(x - y);
        return true;
      case Op::multiply:
        result = of_real(x * y);
        return true;
      case Op::floor_divide:
        result = of_real(std::floor(x / y));
        return true;
      case Op::modulo: {
        double remainder = std::fmod(x, y);
        if (remainder != 0.0 && ((remainder < 0) != (y < 0))) remainder += y;
        result = of_real(remainder);
        return true;
      }
      default:
        return false;
    }
  }
  std::int64_t value = 0;
  switch (op) {
    case Op::add:
      if (__builtin_add_overflow(a.integer, b.integer, &value)) return false;
      break;
    case Op::subtract:
      if (__builtin_sub_overflow(a.integer, b.integer, &value)) return false;
      break;
    case Op::multiply:
      if (__builtin_mul_overflow(a.integer, b.integer, &value)) return false;
      break;
    case Op::floor_divide:
    case Op::modulo: {
      if (b.integer == -1) return false;
      const std::int64_t quotient = a.integer / b.integer, remainder = a.integer % b.integer;
      const bool adjust = remainder != 0 && ((remainder < 0) != (b.integer < 0));
      value = op == Op::floor_divide ? quotient - adjust : remainder + (adjust ? b.integer : 0);
      break;
    }
    default:
      return false;
  }
  result = of_integer(value);
  return true;
}

bool fast_compare(Compare compare, const Number &a, const Number &b) {
  if (a.is_real || b.is_real) {
    const double x = a.as_real(), y = b.as_real();
    switch (compare) {
      case Compare::less:
        return x < y;
      case Compare::less_equal:
        return x <= y;
      case Compare::greater:
        return x > y;
      case Compare::greater_equal:
        return x >= y;
      case Compare::equal:
        return x == y;
      default:
        return x != y;
    }
  }
  switch (compare) {
    case Compare::less:
      return a.integer < b.integer;
    case Compare::less_equal:
      return a.integer <= b.integer;
    case Compare::greater:
      return a.integer > b.integer;
    case Compare::greater_equal:
      return a.integer >= b.integer;
    case Compare::equal:
      return a.integer == b.integer;
    default:
      return a.integer != b.integer;
  }
}

}  // namespace

FastCondition::FastCondition(const Expression &expression,
                             const std::vector<std::string> &slot_names)
    : root_(compile(expression.root(), slot_names)) {}

std::optional<std::uint32_t> FastCondition::compile(const Node &node,
                                                    const std::vector<std::string> &slot_names) {
  Instruction instruction;
  instruction.op = node.op;
  switch (node.op) {
    case Op::constant:
      if (!node.value.is_number()) return std::nullopt;
      instruction.constant =
          node.value.is_real() ? of_real(node.value.real()) : of_integer(node.value.integer());
      break;
    case Op::name: {
      const auto found = std::find(slot_names.begin(), slot_names.end(), node.name);
      if (found == slot_names.end()) return std::nullopt;
      instruction.slot = static_cast<std::uint32_t>(found - slot_names.begin());
      break;
    }
    case Op::list:
    case Op::index:
    case Op::comprehension:
    case Op::power:
      return std::nullopt;
    case Op::call:
      if (node.function != Function::minimum && node.function != Function::maximum)
        return std::nullopt;
      if (node.children.empty()) return std::nullopt;
      instruction.function = node.function;
      break;
    case Op::compare:
      for (const Compare compare : node.compares) {
        if (compare == Compare::in || compare == Compare::not_in) return std::nullopt;
      }
      instruction.compares = node.compares;
      break;
    default:
      break;
  }
  for (const auto &child : node.children) {
    const auto at = compile(*child, slot_names);
    if (!at) return std::nullopt;
    instruction.children.push_back(*at);
  }
  code_.push_back(std::move(instruction));
  return static_cast<std::uint32_t>(code_.size() - 1);
}

bool FastCondition::run(std::uint32_t at, const Number *slots, Number &result) const {
  const Instruction &code = code_[at];
  Number left, right;
  switch (code.op) {
    case Op::constant:
      result = code.constant;
      return true;
    case Op::name:
      result = slots[code.slot];
      return true;
    case Op::negate:
      return run(code.children[0], slots, left) &&
             fast_arithmetic(Op::subtract, of_integer(0), left, result);
    case Op::plus:
      return run(code.children[0], slots, result);
    case Op::logical_not:
      if (!run(code.children[0], slots, left)) return false;
      result = of_integer(!left.truth());
      return true;
    case Op::logical_and:
    case Op::logical_or:
      if (!run(code.children[0], slots, result)) return false;
      if (result.truth() == (code.op == Op::logical_or)) return true;
      return run(code.children[1], slots, result);
    case Op::conditional:
      if (!run(code.children[0], slots, left)) return false;
      return run(code.children[left.truth() ? 1 : 2], slots, result);
    case Op::compare:
      if (!run(code.children[0], slots, left)) return false;
      for (std::size_t i = 0; i < code.compares.size(); ++i) {
        if (!run(code.children[i + 1], slots, right)) return false;
        if (!fast_compare(code.compares[i], left, right)) {
          result = of_integer(0);
          return true;
        }
        left = right;
      }
      result = of_integer(1);
      return true;
    case Op::call:
      if (!run(code.children[0], slots, result)) return false;
      for (std::size_t i = 1; i < code.children.size(); ++i) {
        if (!run(code.children[i], slots, right)) return false;
        const Compare better =
            code.function == Function::minimum ? Compare::less : Compare::greater;
        if (fast_compare(better, right, result)) result = right;
      }
      return true;
    default:
      return run(code.children[0], slots, left) && run(code.children[1], slots, right) &&
             fast_arithmetic(code.op, left, right, result);
  }
}

std::optional<bool> FastCondition::evaluate(const Number *slots) const {
  Number result;
  if (!root_ || !run(*root_, slots, result)) return std::nullopt;
  return result.truth();
}

}  // namespace bench::problem
