// SPDX-License-Identifier: Apache-2.0
// Python's numbers: / gives a real, // and % round towards minus infinity, integers never wrap
// silently.
#include <cmath>

#include "problem/syntax.hpp"

namespace bench::problem {
namespace {

[[noreturn]] void fail(const std::string &text, const Node &node, const std::string &what,
                       const std::string &hint) {
  throw expression_failure(text, node.offset, what, hint);
}

Value integer_power(std::int64_t base, std::int64_t exponent, const std::string &text,
                    const Node &node) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) {
      fail(text, node, "** leaves the range of 64-bit integers", "use a real base, e.g. 2.0");
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      fail(text, node, "** leaves the range of 64-bit integers", "use a real base, e.g. 2.0");
    }
  }
  return Value(result);
}

Value integer_arithmetic(Op op, std::int64_t a, std::int64_t b, const std::string &text,
                         const Node &node) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::floor_divide:
    case Op::modulo: {
      if (b == -1) {  // the one quotient that overflows
        if (op == Op::modulo) return Value(std::int64_t{0});
        overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const std::int64_t quotient = a / b, remainder = a % b;
      const bool adjust = remainder != 0 && ((remainder < 0) != (b < 0));
      result = op == Op::floor_divide ? quotient - adjust : remainder + (adjust ? b : 0);
      break;
    }
    default:
      break;
  }
  if (overflow)
    fail(text, node, "the result leaves the range of 64-bit integers",
         "use reals, e.g. 1.0 * a * b");
  return Value(result);
}

}  // namespace

Value arithmetic(Op op, const Value &left, const Value &right, const std::string &text,
                 const Node &node) {
  if (!left.is_number() || !right.is_number()) {
    fail(text, node, std::string("arithmetic on ") + left.type_name() + " and " + right.type_name(),
         "both sides must be numbers");
  }
  const bool integers = !left.is_real() && !right.is_real();
  const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
  if (divides && right.real() == 0.0) {
    fail(text, node,
         "division by zero: " + left.to_text() +
             (op == Op::modulo   ? " % "
              : op == Op::divide ? " / "
                                 : " // ") +
             right.to_text(),
         "exclude the zero, e.g. `n != 0 and ... / n`, or remove it from the values");
  }
  if (op == Op::power) {
    if (integers && right.integer() >= 0)
      return integer_power(left.integer(), right.integer(), text, node);
    if (left.real() == 0.0 && right.real() < 0)
      fail(text, node, "division by zero: 0 to a negative power", "exclude the zero");
    return Value(std::pow(left.real(), right.real()));
  }
  if (op == Op::divide) return Value(left.real() / right.real());
  if (integers) return integer_arithmetic(op, left.integer(), right.integer(), text, node);
  const double a = left.real(), b = right.real();
  switch (op) {
    case Op::add:
      return Value(a + b);
    case Op::subtract:
      return Value(a - b);
    case Op::multiply:
      return Value(a * b);
    case Op::floor_divide:
      return Value(std::floor(a / b));
    default: {
      double remainder = std::fmod(a, b);
      if (remainder != 0.0 && ((remainder < 0) != (b < 0))) remainder += b;
      return Value(remainder);
    }
  }
}

bool compare_values(Compare compare, const Value &left, const Value &right, const std::string &text,
                    const Node &node) {
  if (compare == Compare::equal) return left == right;
  if (compare == Compare::not_equal) return !(left == right);
  if (compare == Compare::in || compare == Compare::not_in) {
    bool found = false;
    if (right.is_list()) {
      for (const Value &item : right.list()) found = found || item == left;
    } else if (right.is_text() && left.is_text()) {
      found = right.text().find(left.text()) != std::string::npos;
    } else {
      fail(text, node, std::string("'in' on ") + right.type_name(),
           "the right side must be a list");
    }
    return found == (compare == Compare::in);
  }
  int order = 0;  // sign of left - right
  if (left.is_text() && right.is_text()) {
    order = left.text().compare(right.text());
  } else if (left.is_number() && right.is_number()) {
    if (!left.is_real() && !right.is_real()) {
      order = left.integer() < right.integer() ? -1 : left.integer() > right.integer();
    } else {
      const double a = left.real(), b = right.real();
      if (std::isnan(a) || std::isnan(b)) return false;
      order = a < b ? -1 : a > b;
    }
  } else {
    fail(text, node, std::string("comparison of ") + left.type_name() + " and " + right.type_name(),
         "compare numbers with numbers and texts with texts");
  }
  switch (compare) {
    case Compare::less:
      return order < 0;
    case Compare::less_equal:
      return order <= 0;
    case Compare::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

}  // namespace bench::problem
