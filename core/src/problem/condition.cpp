// SPDX-License-Identifier: Apache-2.0
#include "problem/condition.hpp"

#include <algorithm>
#include <cmath>

#include "problem/syntax.hpp"

namespace bench::problem {
namespace {

const Node *find_name(const Node &node, const std::string &name) {
  if (node.op == Op::name && node.name == name) return &node;
  for (const auto &child : node.children) {
    if (const Node *found = find_name(*child, name)) return found;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown(const Expression &expression, const std::string &name,
                               const std::vector<Parameter> &parameters) {
  const Node *node = find_name(expression.root(), name);
  std::vector<std::string> known;
  for (const auto &parameter : parameters) known.push_back(parameter.name);
  const auto near = nearest_name(name, known);
  throw expression_failure(
      expression.text(), node ? node->offset : 0, "unknown name '" + name + "'",
      near ? "did you mean " + *near + "?" : "declare a tuning parameter of that name");
}

}  // namespace

class Condition::SlotScope final : public Scope {
 public:
  SlotScope(const Condition &condition, std::span<const std::uint32_t> indices)
      : condition_(condition), indices_(indices) {}
  const Value *find(const std::string &name) const override {
    for (const std::uint32_t slot : condition_.used_) {
      const Parameter &parameter = condition_.parameters_[slot];
      if (parameter.name == name) return &parameter.values[indices_[slot]];
    }
    for (const auto &[constant, value] : condition_.constants_) {
      if (constant == name) return &value;
    }
    return nullptr;
  }
  std::vector<std::string> names() const override { return condition_.expression_.names(); }

 private:
  const Condition &condition_;
  std::span<const std::uint32_t> indices_;
};

Condition::Condition(const Expression &expression, const std::vector<Parameter> &parameters,
                     const Space::Constants &constants)
    : expression_(expression), parameters_(parameters), constants_(constants) {
  bool numbers = true;
  cells_.resize(parameters.size());
  for (const auto &name : expression.names()) {
    const auto slot = std::find_if(parameters.begin(), parameters.end(),
                                   [&](const auto &p) { return p.name == name; });
    if (slot == parameters.end()) {
      const bool constant = std::any_of(constants.begin(), constants.end(),
                                        [&](const auto &c) { return c.first == name; });
      if (!constant) fail_unknown(expression, name, parameters);
      continue;
    }
    const auto index = static_cast<std::uint32_t>(slot - parameters.begin());
    used_.push_back(index);
    for (const Value &value : slot->values) {
      if (!value.is_number()) {
        numbers = false;
        break;
      }
      cells_[index].push_back(value.is_real() ? Cell{0, value.real(), true}
                                              : Cell{value.integer(), 0, false});
    }
  }
  std::sort(used_.begin(), used_.end());
  fast_ = numbers && translate(expression.root(), root_);
}

bool Condition::translate(const Node &node, Step &step) const {
  step.op = static_cast<int>(node.op);
  step.function = static_cast<int>(node.function);
  const Value *value = node.op == Op::constant ? &node.value : nullptr;
  switch (node.op) {
    case Op::name: {
      bool parameter = false;
      for (const std::uint32_t slot : used_) {
        if (parameters_[slot].name == node.name) step.slot = slot, parameter = true;
      }
      if (parameter) return true;
      for (const auto &[name, constant] : constants_) {
        if (name == node.name) value = &constant;
      }
      break;
    }
    case Op::constant:
      break;
    case Op::call:
      // min and max of one operand may be over a list, and of other functions none is common here.
      if (node.children.size() < 2 ||
          (node.function != Function::minimum && node.function != Function::maximum))
        return false;
      break;
    case Op::list:
    case Op::index:
    case Op::comprehension:
    case Op::power:
      return false;
    default:
      break;
  }
  if (node.op == Op::name || node.op == Op::constant) {
    if (!value || !value->is_number()) return false;
    step.op = static_cast<int>(Op::constant);
    step.constant =
        value->is_real() ? Cell{0, value->real(), true} : Cell{value->integer(), 0, false};
    return true;
  }
  for (const Compare compare : node.compares) {
    if (compare == Compare::in || compare == Compare::not_in) return false;
    step.compares.push_back(static_cast<int>(compare));
  }
  step.children.resize(node.children.size());
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (!translate(*node.children[i], step.children[i])) return false;
  }
  return true;
}

bool Condition::run_arithmetic(int op, const Cell &left, const Cell &right, Cell &result) {
  result.is_real = left.is_real || right.is_real || op == static_cast<int>(Op::divide);
  if (!result.is_real) {
    const std::int64_t a = left.integer, b = right.integer;
    switch (static_cast<Op>(op)) {
      case Op::add:
        return !__builtin_add_overflow(a, b, &result.integer);
      case Op::subtract:
        return !__builtin_sub_overflow(a, b, &result.integer);
      case Op::multiply:
        return !__builtin_mul_overflow(a, b, &result.integer);
      default: {
        if (b == 0 || b == -1) return false;
        const std::int64_t quotient = a / b, remainder = a % b;
        const bool adjust = remainder != 0 && ((remainder < 0) != (b < 0));
        result.integer = static_cast<Op>(op) == Op::floor_divide ? quotient - adjust
                                                                 : remainder + (adjust ? b : 0);
        return true;
      }
    }
  }
  const double a = left.as_real(), b = right.as_real();
  switch (static_cast<Op>(op)) {
    case Op::add:
      result.real = a + b;
      return true;
    case Op::subtract:
      result.real = a - b;
      return true;
    case Op::multiply:
      result.real = a * b;
      return true;
    default:
      break;
  }
  if (b == 0.0) return false;
  if (static_cast<Op>(op) == Op::divide) {
    result.real = a / b;
  } else if (static_cast<Op>(op) == Op::floor_divide) {
    result.real = std::floor(a / b);
  } else {
    result.real = std::fmod(a, b);
    if (result.real != 0.0 && ((result.real < 0) != (b < 0))) result.real += b;
  }
  return true;
}

bool Condition::run_compare(const Step &step, std::span<const std::uint32_t> indices,
                            Cell &result) const {
  Cell left, right;
  if (!run(step.children[0], indices, left)) return false;
  result = Cell{1, 0, false};
  for (std::size_t i = 0; i < step.compares.size(); ++i) {
    if (!run(step.children[i + 1], indices, right)) return false;
    const bool real = left.is_real || right.is_real;
    const double a = left.as_real(), b = right.as_real();
    const bool less = real ? a < b : left.integer < right.integer;
    const bool equal = real ? a == b : left.integer == right.integer;
    const bool greater = real ? a > b : left.integer > right.integer;
    bool holds = false;
    switch (static_cast<Compare>(step.compares[i])) {
      case Compare::less:
        holds = less;
        break;
      case Compare::less_equal:
        holds = less || equal;
        break;
      case Compare::greater:
        holds = greater;
        break;
      case Compare::greater_equal:
        holds = greater || equal;
        break;
      case Compare::equal:
        holds = equal;
        break;
      default:
        holds = !equal;
        break;
    }
    if (!holds) {
      result.integer = 0;
      return true;
    }
    left = right;
  }
  return true;
}

bool Condition::run(const Step &step, std::span<const std::uint32_t> indices, Cell &result) const {
  const auto child = [&](std::size_t i, Cell &cell) {
    return run(step.children[i], indices, cell);
  };
  switch (static_cast<Op>(step.op)) {
    case Op::constant:
      result = step.constant;
      return true;
    case Op::name:
      result = cells_[step.slot][indices[step.slot]];
      return true;
    case Op::compare:
      return run_compare(step, indices, result);
    case Op::logical_not: {
      Cell cell;
      if (!child(0, cell)) return false;
      result = Cell{!cell.truth(), 0, false};
      return true;
    }
    case Op::logical_and:
      return child(0, result) && (!result.truth() || child(1, result));
    case Op::logical_or:
      return child(0, result) && (result.truth() || child(1, result));
    case Op::conditional: {
      Cell cell;
      return child(0, cell) && child(cell.truth() ? 1 : 2, result);
    }
    case Op::plus:
      return child(0, result);
    case Op::negate: {
      Cell cell;
      return child(0, cell) && run_arithmetic(static_cast<int>(Op::subtract), Cell{}, cell, result);
    }
    case Op::call: {
      if (!child(0, result)) return false;
      const bool least = static_cast<Function>(step.function) == Function::minimum;
      for (std::size_t i = 1; i < step.children.size(); ++i) {
        Cell cell;
        if (!child(i, cell)) return false;
        const bool real = cell.is_real || result.is_real;
        const bool less = real ? cell.as_real() < result.as_real() : cell.integer < result.integer;
        const bool greater =
            real ? cell.as_real() > result.as_real() : cell.integer > result.integer;
        if (least ? less : greater) result = cell;
      }
      return true;
    }
    default:
      break;
  }
  Cell left, right;
  return child(0, left) && child(1, right) && run_arithmetic(step.op, left, right, result);
}

bool Condition::slow(std::span<const std::uint32_t> indices) const {
  const SlotScope scope(*this, indices);
  try {
    return expression_.evaluate(scope).truth();
  } catch (const Failure &failure) {
    ErrorText text = failure.text();
    std::string assignment;
    for (const std::uint32_t slot : used_) {
      assignment += (assignment.empty() ? "" : ", ") + parameters_[slot].name + "=" +
                    parameters_[slot].values[indices[slot]].to_text();
    }
    if (!assignment.empty()) text.what += " with " + assignment;
    throw Failure(text);
  }
}

bool Condition::holds(std::span<const std::uint32_t> indices) const {
  Cell result;
  // What the fast form cannot do, the evaluator repeats: it also writes the message.
  if (fast_ && run(root_, indices, result)) return result.truth();
  return slow(indices);
}

}  // namespace bench::problem
