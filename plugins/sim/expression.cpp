// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

#include <bench/plugin.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace bench_sim {
namespace {

// Recursion is bounded, not trusted: a program is a file that somebody else may have written.
constexpr int max_depth = 200;

class Evaluator {
 public:
  Evaluator(const std::string &text, const Names &names, int line)
      : text_(text), names_(names), line_(line) {}

  double run() {
    const Value value = choice();
    skip();
    if (at_ != text_.size()) fail("an operator was expected");
    return number(value);
  }

 private:
  [[noreturn]] void fail(const std::string &what) const {
    throw bench::plugin::Error(BENCH_ERROR_COMPILE_FAILED,
                               "line " + std::to_string(line_) + ", column " +
                                   std::to_string(at_ + 1) + " of '" + text_ + "': " + what,
                               "see the language of sim programs in the plugin's documentation");
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  bool take(const std::string &token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    const std::size_t after = at_ + token.size();
    if (is_name(token[0]) && after < text_.size() && is_name(text_[after])) return false;
    at_ = after;
    return true;
  }

  double number(const Value &value) const {
    if (value.is_text) fail("'" + value.text + "' is a text where a number is needed");
    return value.number;
  }
  static Value of(double number) { return {number, "", false}; }

  Value choice() {
    if (++depth_ > max_depth) fail("nested too deeply");
    Value value = either();
    if (take("if")) {
      const bool holds = number(either()) != 0.0;
      if (!take("else")) fail("'else' was expected");
      const Value other = choice();
      if (!holds) value = other;
    }
    --depth_;
    return value;
  }

  Value either() {
    Value value = both();
    while (take("or")) {
      const double right = number(both());
      value = of(number(value) != 0.0 || right != 0.0);
    }
    return value;
  }

  Value both() {
    Value value = negated();
    while (take("and")) {
      const double right = number(negated());
      value = of(number(value) != 0.0 && right != 0.0);
    }
    return value;
  }

  Value negated() {
    if (++depth_ > max_depth) fail("nested too deeply");
    const Value value = take("not") ? of(number(negated()) == 0.0) : comparison();
    --depth_;
    return value;
  }

  Value comparison() {
    const Value left = sum();
    for (const char *sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!take(sign)) continue;
      const Value right = sum();
      const std::string op = sign;
      if (left.is_text || right.is_text) {
        const bool equal = left.is_text && right.is_text && left.text == right.text;
        if (op == "==") return of(equal);
        if (op == "!=") return of(!equal);
        fail("texts are only equal or not");
      }
      const double a = left.number, b = right.number;
      if (op == "==") return of(a == b);
      if (op == "!=") return of(a != b);
      if (op == "<=") return of(a <= b);
      if (op == ">=") return of(a >= b);
      return of(op == "<" ? a < b : a > b);
    }
    return left;
  }

  Value sum() {
    Value value = product();
    for (;;) {
      if (take("+"))
        value = of(number(value) + number(product()));
      else if (take("-"))
        value = of(number(value) - number(product()));
      else
        return value;
    }
  }

  Value product() {
    Value value = sign();
    for (;;) {
      skip();
      if (text_.compare(at_, 2, "**") == 0) return value;
      if (take("//")) {
        value = of(std::floor(number(value) / divisor(sign())));
      } else if (take("*")) {
        value = of(number(value) * number(sign()));
      } else if (take("/")) {
        value = of(number(value) / divisor(sign()));
      } else if (take("%")) {
        const double right = divisor(sign());
        value = of(number(value) - right * std::floor(number(value) / right));
      } else {
        return value;
      }
    }
  }

  double divisor(const Value &value) const {
    if (number(value) == 0.0) fail("a division by zero");
    return value.number;
  }

  Value sign() {
    if (++depth_ > max_depth) fail("nested too deeply");
    const Value value = take("-") ? of(-number(sign())) : power();
    --depth_;
    return value;
  }

  Value power() {
    Value value = primary();
    if (take("**")) value = of(std::pow(number(value), number(sign())));
    return value;
  }

  Value primary() {
    skip();
    if (take("(")) {
      const Value value = choice();
      if (!take(")")) fail("')' was expected");
      return value;
    }
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string::npos) fail("the text has no end");
      const std::string text = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return {0.0, text, true};
    }
    double literal = 0.0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), literal);
    if (parsed.ec == std::errc()) {
      at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
      return of(literal);
    }
    std::string name;
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) name += text_[at_++];
    if (name.empty()) fail("a number or a name was expected");
    if (take("(")) return call(name);
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    at_ = begin;
    fail("the name '" + name + "' is not known: it is no parameter of this configuration");
  }

  Value call(const std::string &name) {
    std::vector<double> arguments;
    do arguments.push_back(number(choice()));
    while (take(","));
    if (!take(")")) fail("')' was expected");
    double result = arguments[0];
    if (name == "min" || name == "max") {
      for (const double other : arguments)
        result = name == "min" ? std::fmin(result, other) : std::fmax(result, other);
      return of(result);
    }
    if (arguments.size() != 1) fail(name + " takes one argument");
    if (name == "abs") return of(std::abs(result));
    if (name == "ceil") return of(std::ceil(result));
    if (name == "floor") return of(std::floor(result));
    if (name == "log2") return of(std::log2(result));
    if (name == "sqrt") return of(std::sqrt(result));
    fail("the function '" + name + "' is not known");
  }

  const std::string &text_;
  const Names &names_;
  const int line_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(const std::string &text, const Names &names, int line) {
  return Evaluator(text, names, line).run();
}

Value value_of(const std::string &text) {
  double number = 0.0;
  const char *end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (!text.empty() && parsed.ec == std::errc() && parsed.ptr == end) return {number, "", false};
  return {0.0, text, true};
}

}  // namespace bench_sim
