// SPDX-License-Identifier: Apache-2.0
#include "problem/expression.hpp"

#include <algorithm>
#include <cmath>

#include "problem/syntax.hpp"

namespace bench::problem {
namespace {

// Long expressions are shown around the fault only.
constexpr std::size_t shown_bytes = 80;

std::string excerpt(const std::string &text, std::size_t offset) {
  if (text.size() <= shown_bytes) return text;
  const std::size_t from = offset > shown_bytes / 2 ? offset - shown_bytes / 2 : 0;
  return (from ? "..." : "") + text.substr(from, shown_bytes) +
         (from + shown_bytes < text.size() ? "..." : "");
}

/// A comprehension's variable on top of the outer names.
class BoundScope final : public Scope {
 public:
  BoundScope(const Scope &outer, const std::string &name) : outer_(outer), name_(name) {}
  const Value *find(const std::string &name) const override {
    return name == name_ ? &value : outer_.find(name);
  }
  const Value *values_of(const std::string &name) const override {
    return name == name_ ? nullptr : outer_.values_of(name);
  }
  std::vector<std::string> names() const override {
    auto names = outer_.names();
    names.push_back(name_);
    return names;
  }
  Value value;

 private:
  const Scope &outer_;
  const std::string &name_;
};

class Evaluator {
 public:
  Evaluator(const std::string &text, const Limits &limits) : text_(text), limits_(limits) {}

  Value evaluate(const Node &node, const Scope &scope) {
    if (++steps_ > limits_.steps) {
      fail(node, "evaluation takes more than " + std::to_string(limits_.steps) + " steps",
           "make the lists shorter");
    }
    switch (node.op) {
      case Op::constant:
        return node.value;
      case Op::name:
        return name(node, scope);
      case Op::list:
        return list(node, scope);
      case Op::index:
        return index(node, scope);
      case Op::call:
        return call(node, scope);
      case Op::conditional:
        return evaluate(*node.children[evaluate(*node.children[0], scope).truth() ? 1 : 2], scope);
      case Op::comprehension:
        return Value(comprehension(node, scope));
      case Op::negate: {
        const Value operand = evaluate(*node.children[0], scope);
        // 0 - x would lose the sign of a real zero.
        return operand.is_real() ? Value(-operand.real())
                                 : arithmetic(Op::subtract, Value(0), operand, text_, node);
      }
      case Op::plus:
        return arithmetic(Op::add, Value(0), evaluate(*node.children[0], scope), text_, node);
      case Op::logical_not:
        return Value(!evaluate(*node.children[0], scope).truth());
      case Op::logical_and: {
        Value left = evaluate(*node.children[0], scope);
        return left.truth() ? evaluate(*node.children[1], scope) : left;
      }
      case Op::logical_or: {
        Value left = evaluate(*node.children[0], scope);
        return left.truth() ? left : evaluate(*node.children[1], scope);
      }
      case Op::compare:
        return compare(node, scope);
      default:
        break;
    }
    const Value left = evaluate(*node.children[0], scope);
    const Value right = evaluate(*node.children[1], scope);
    if (node.op == Op::add && left.is_list() && right.is_list())
      return concatenate(node, left.list(), right.list());
    return arithmetic(node.op, left, right, text_, node);
  }

 private:
  [[noreturn]] void fail(const Node &node, const std::string &what, const std::string &hint) const {
    throw expression_failure(text_, node.offset, what, hint);
  }
  void check_size(const Node &node, double items) {
    if (items > static_cast<double>(limits_.list_items)) {
      fail(node, "list of " + Value(items).to_text() + " values",
           "at most " + std::to_string(limits_.list_items) +
               " values are read: use fewer, or a coarser step");
    }
    // Lists of lists stay under the bound only if all items of one evaluation count.
    items_ += items;
    if (items_ > 3.0 * static_cast<double>(limits_.list_items)) {
      fail(node,
           "lists of more than " + std::to_string(3 * limits_.list_items) + " values together",
           "make the lists shorter");
    }
  }

  Value name(const Node &node, const Scope &scope) {
    if (const Value *value = scope.find(node.name)) return *value;
    const auto known = scope.names();
    const auto near = nearest_name(node.name, known);
    std::string hint = "declare a parameter of that name";
    if (near) {
      hint = "did you mean " + *near + "?";
    } else if (!known.empty()) {
      hint = "known here: ";
      for (std::size_t i = 0; i < known.size() && i < 8; ++i) hint += (i ? ", " : "") + known[i];
    }
    fail(node, "unknown name '" + node.name + "'", hint);
  }

  Value list(const Node &node, const Scope &scope) {
    check_size(node, static_cast<double>(node.children.size()));
    List items;
    for (const auto &child : node.children) items.push_back(evaluate(*child, scope));
    return Value(std::move(items));
  }

  Value concatenate(const Node &node, const List &left, const List &right) {
    check_size(node, static_cast<double>(left.size()) + static_cast<double>(right.size()));
    List items(left);
    items.insert(items.end(), right.begin(), right.end());
    return Value(std::move(items));
  }

  Value index(const Node &node, const Scope &scope) {
    const Value base = evaluate(*node.children[0], scope);
    const Value at = evaluate(*node.children[1], scope);
    if (!base.is_list())
      fail(node, std::string("[...] on ") + base.type_name(), "only lists have elements");
    if (at.is_real() || !at.is_number())
      fail(node, "index " + at.to_text() + " is no integer", "use a whole number");
    const auto size = static_cast<std::int64_t>(base.list().size());
    const std::int64_t position = at.integer() < 0 ? at.integer() + size : at.integer();
    if (position < 0 || position >= size) {
      fail(node, "index " + at.to_text() + " of a list of " + std::to_string(size),
           "indices start at 0");
    }
    return base.list()[static_cast<std::size_t>(position)];
  }

  Value compare(const Node &node, const Scope &scope) {
    Value left = evaluate(*node.children[0], scope);
    for (std::size_t i = 0; i < node.compares.size(); ++i) {
      Value right = evaluate(*node.children[i + 1], scope);
      if (!compare_values(node.compares[i], left, right, text_, node)) return Value(false);
      left = std::move(right);
    }
    return Value(true);
  }

  List comprehension(const Node &node, const Scope &scope) {
    const Value source = evaluate(*node.children[1], scope);
    if (!source.is_list())
      fail(node, std::string("'for ") + node.name + " in' " + source.type_name(),
           "it needs a list");
    BoundScope inner(scope, node.name);
    List items;
    for (const Value &item : source.list()) {
      inner.value = item;
      bool kept = true;
      for (std::size_t c = 2; c < node.children.size() && kept; ++c)
        kept = evaluate(*node.children[c], inner).truth();
      if (!kept) continue;
      Value element = evaluate(*node.children[0], inner);
      if (node.splice) {
        check_size(node, static_cast<double>(items.size() + element.list().size()));
        items.insert(items.end(), element.list().begin(), element.list().end());
      } else {
        items.push_back(std::move(element));
      }
    }
    return items;
  }

  Value range(const Node &node, const List &arguments) {
    if (arguments.empty() || arguments.size() > 3)
      fail(node, "range with " + std::to_string(arguments.size()) + " arguments",
           "range(stop), range(start, stop) or range(start, stop, step)");
    std::int64_t bounds[3] = {0, 0, 1};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_number() || arguments[i].is_real())
        fail(node, "range of " + arguments[i].to_text(),
             "range takes integers: use // instead of /");
      bounds[arguments.size() == 1 ? 1 : i] = arguments[i].integer();
    }
    const auto [start, stop, step] = bounds;
    if (step == 0) fail(node, "range with step 0", "the step must not be zero");
    const double count = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                                   static_cast<double>(step));
    if (count <= 0) return Value(List{});
    check_size(node, count);  // before anything is allocated
    List items;
    items.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
      // Unsigned, since the value after the last may leave the range.
      items.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                                   i * static_cast<std::uint64_t>(step)));
    }
    return Value(std::move(items));
  }

  Value call(const Node &node, const Scope &scope) {
    const bool extremum = node.function == Function::minimum || node.function == Function::maximum;
    if (extremum && node.children.size() == 1 && node.children[0]->op == Op::name) {
      if (const Value *values = scope.values_of(node.children[0]->name))
        return extreme(node, List{*values});
    }
    List arguments;
    for (const auto &child : node.children) arguments.push_back(evaluate(*child, scope));
    if (node.function == Function::range) return range(node, arguments);
    if (node.function == Function::minimum || node.function == Function::maximum)
      return extreme(node, arguments);
    if (arguments.size() != 1)
      fail(node, "this function takes one argument, not " + std::to_string(arguments.size()),
           "give one value");
    const Value &value = arguments[0];
    switch (node.function) {
      case Function::list:
      case Function::length:
      case Function::sum: {
        if (!value.is_list())
          fail(node, std::string("a list is expected, not ") + value.type_name(),
               "give a list, e.g. [1, 2]");
        if (node.function == Function::list) return value;
        if (node.function == Function::length)
          return Value(static_cast<std::int64_t>(value.list().size()));
        Value total(0);
        for (const Value &item : value.list())
          total = arithmetic(Op::add, total, item, text_, node);
        return total;
      }
      default:
        break;
    }
    if (!value.is_number())
      fail(node, std::string("a number is expected, not ") + value.type_name(), "give a number");
    switch (node.function) {
      case Function::absolute:
        return value.is_real()       ? Value(std::fabs(value.real()))
               : value.integer() < 0 ? arithmetic(Op::subtract, Value(0), value, text_, node)
                                     : Value(value.integer());
      case Function::real:
        return Value(value.real());
      default:
        break;
    }
    if (!value.is_real()) return Value(value.integer());
    // int() cuts, round() goes to the nearest and to even at the middle, as in Python.
    const double whole =
        node.function == Function::round ? std::nearbyint(value.real()) : std::trunc(value.real());
    if (!(std::fabs(whole) < 9.2e18))
      fail(node, value.to_text() + " is no 64-bit integer", "use a smaller value");
    return Value(static_cast<std::int64_t>(whole));
  }

  Value extreme(const Node &node, const List &arguments) {
    const bool one_list = arguments.size() == 1 && arguments[0].is_list();
    // max(name) of one number is that number: problem files write it for parameters of any kind.
    const List &items = one_list ? arguments[0].list() : arguments;
    if (items.empty()) fail(node, "min or max of nothing", "give at least one value");
    const Compare better = node.function == Function::minimum ? Compare::less : Compare::greater;
    const Value *best = &items[0];
    for (const Value &item : items) {
      if (compare_values(better, item, *best, text_, node)) best = &item;
    }
    return *best;
  }

  const std::string &text_;
  const Limits &limits_;
  std::uint64_t steps_ = 0;
  double items_ = 0;
};

void collect_names(const Node &node, std::vector<std::string> &bound,
                   std::vector<std::string> &names) {
  const auto has = [](const std::vector<std::string> &list, const std::string &name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (node.op == Op::name && !has(bound, node.name) && !has(names, node.name))
    names.push_back(node.name);
  if (node.op == Op::comprehension) {
    collect_names(*node.children[1], bound, names);
    bound.push_back(node.name);
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      if (c != 1) collect_names(*node.children[c], bound, names);
    }
    bound.pop_back();
    return;
  }
  for (const auto &child : node.children) collect_names(*child, bound, names);
}

}  // namespace

Failure expression_failure(const std::string &text, std::size_t offset, const std::string &what,
                           const std::string &hint) {
  return Failure(BENCH_ERROR_INVALID_ARGUMENT, what,
                 "expression `" + excerpt(text, offset) + "`, column " + std::to_string(offset + 1),
                 hint);
}

std::optional<std::string> nearest_name(const std::string &name,
                                        const std::vector<std::string> &candidates) {
  std::optional<std::string> best;
  // Two letters swapped are two edits: short names get that much, but not one or two letters.
  std::size_t best_distance = (name.size() < 4 ? 1 : std::max<std::size_t>(2, name.size() / 3)) + 1;
  for (const auto &candidate : candidates) {
    if (candidate.size() > name.size() + best_distance ||
        name.size() > candidate.size() + best_distance)
      continue;
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i + 1;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const bool same = std::tolower(static_cast<unsigned char>(name[i])) ==
                          std::tolower(static_cast<unsigned char>(candidate[j]));
        const std::size_t next = std::min({row[j + 1] + 1, row[j] + 1, diagonal + (same ? 0 : 1)});
        diagonal = row[j + 1];
        row[j + 1] = next;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

Expression Expression::parse(std::string text, const Limits &limits) {
  Expression expression;
  expression.text_ = std::move(text);
  expression.limits_ = limits;
  expression.root_ = parse_expression(expression.text_, limits);
  std::vector<std::string> bound;
  collect_names(*expression.root_, bound, expression.names_);
  return expression;
}

Value Expression::evaluate(const Scope &scope) const {
  return Evaluator(text_, limits_).evaluate(*root_, scope);
}

}  // namespace bench::problem
