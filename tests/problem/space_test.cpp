// SPDX-License-Identifier: Apache-2.0
#include "problem/space.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <random>
#include <set>

#include "base/error.hpp"
#include "problem/problem.hpp"

using namespace bench::problem;
using bench::Failure;

namespace {

Parameter parameter(const std::string &name, std::initializer_list<int> values) {
  Parameter result{name, "int", {}};
  for (const int value : values) result.values.emplace_back(value);
  return result;
}

class Assigned final : public Scope {
 public:
  Assigned(const std::vector<Parameter> &parameters, const std::vector<std::size_t> &at)
      : parameters_(parameters), at_(at) {}
  const Value *find(const std::string &name) const override {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].name == name) return &parameters_[i].values[at_[i]];
    }
    return nullptr;
  }
  std::vector<std::string> names() const override { return {}; }

 private:
  const std::vector<Parameter> &parameters_;
  const std::vector<std::size_t> &at_;
};

/// Every assignment that fulfils all conditions, by trying all.
std::set<std::string> brute_force(const std::vector<Parameter> &parameters,
                                  const std::vector<std::string> &conditions) {
  std::vector<Expression> parsed;
  for (const auto &text : conditions) parsed.push_back(Expression::parse(text));
  std::set<std::string> valid;
  std::vector<std::size_t> at(parameters.size(), 0);
  for (;;) {
    bool holds = true;
    for (const auto &condition : parsed)
      holds = holds && condition.evaluate(Assigned(parameters, at)).truth();
    if (holds) {
      std::string text;
      for (std::size_t i = 0; i < at.size(); ++i)
        text += parameters[i].values[at[i]].to_text() + ",";
      valid.insert(text);
    }
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == parameters[i].values.size()) at[i++] = 0;
    if (i == at.size()) return valid;
  }
}

std::string text_of(const Configuration &configuration) {
  std::string text;
  for (const Value &value : configuration.values) text += value.to_text() + ",";
  return text;
}

void check_same(const std::vector<Parameter> &parameters,
                const std::vector<std::string> &conditions) {
  const Space space = Space::build(parameters, conditions);
  const auto expected = brute_force(parameters, conditions);
  REQUIRE(space.size() == expected.size());
  std::set<std::string> indexed;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    indexed.insert(text_of(configuration));
    CHECK(space.index_of(configuration.values) == i);
  }
  CHECK(indexed == expected);
  std::uint64_t visited = 0;
  space.for_each([&](std::span<const std::uint32_t> indices) {
    CHECK(space.index_of_indices(indices) == visited);
    ++visited;
  });
  CHECK(visited == space.size());
}

}  // namespace

TEST_CASE("counts the recorded spaces exactly") {
  const std::filesystem::path hub = std::filesystem::path(BENCH_HUB_DIR) / "t1";
  if (!std::filesystem::exists(hub)) {
    std::cout << "skipped: no recorded spaces at " << hub << "\n";
    return;
  }
  const std::pair<const char *, std::uint64_t> known[] = {{"convolution_milo", 4362},
                                                          {"dedispersion_milo", 11130},
                                                          {"gemm_milo", 116928},
                                                          {"pnpoly", 4092}};
  for (const auto &[name, count] : known) {
    const Problem problem = read_problem(hub / (std::string(name) + ".json"));
    CHECK_MESSAGE(problem.space.size() == count, name);
    std::uint64_t visited = 0;
    problem.space.for_each([&](std::span<const std::uint32_t>) { ++visited; });
    CHECK(visited == count);
  }
}

TEST_CASE("agrees with brute force on random spaces") {
  std::mt19937 random(5);
  const char *conditions[] = {"a * b <= 24",
                              "b % c == 0",
                              "a < c or d == 1",
                              "(a + b) // c > 1",
                              "not (a == 2 and d == 0)",
                              "d + e != 2",
                              "max(a, b) >= c",
                              "1 <= a * d <= 8",
                              "a / b < 2",
                              "e in [1, 3]",
                              "a + b + c + d + e > 6"};
  for (int round = 0; round < 60; ++round) {
    std::vector<Parameter> parameters;
    for (const char *name : {"a", "b", "c", "d", "e"}) {
      Parameter one{name, "int", {}};
      const int first = static_cast<int>(random() % 3) + (name[0] == 'd' ? 0 : 1);
      for (unsigned v = 0; v <= random() % 5; ++v)
        one.values.emplace_back(first + static_cast<int>(v) * static_cast<int>(1 + random() % 1));
      parameters.push_back(one);
    }
    std::vector<std::string> chosen;
    for (const char *condition : conditions) {
      if (random() % 3 == 0) chosen.push_back(condition);
    }
    check_same(parameters, chosen);
  }
}

TEST_CASE("texts, reals and booleans are values like any other") {
  std::vector<Parameter> parameters{{"mode", "string", {Value("row"), Value("column")}},
                                    {"alpha", "float", {Value(0.5), Value(1.0)}},
                                    {"fast", "bool", {Value(false), Value(true)}}};
  check_same(parameters, {"mode == 'row' or fast", "alpha < 1 or not fast"});
}

TEST_CASE("an astronomic product opens at once and is indexed") {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 20; ++p)
    parameters.push_back(parameter("p" + std::to_string(p), {1, 2, 3, 4, 5, 6, 7, 8}));
  const Space space = Space::build(parameters, {"p0 * p1 <= 16", "p2 < p3"});
  CHECK(space.raw_text() == "1152921504606846976");
  CHECK(space.size() > 1'000'000'000'000u);
  for (const std::uint64_t index : {std::uint64_t{0}, space.size() / 3, space.size() - 1}) {
    CHECK(space.index_of(space.at(index).values) == index);
  }
}

TEST_CASE("an empty space tells which condition emptied it") {
  const Space space =
      Space::build({parameter("a", {1, 2}), parameter("b", {1, 2})}, {"a <= b", "a > 5", "b == 1"});
  CHECK(space.size() == 0);
  CHECK_MESSAGE(space.explain_empty().find("a > 5") != std::string::npos, space.explain_empty());
}

TEST_CASE("faults name the condition and the values they met") {
  try {
    Space::build({parameter("a", {0, 1}), parameter("b", {1})}, {"b / a > 1"});
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.text().what.find("zero") != std::string::npos);
    CHECK(std::string(failure.what()).find("b / a") != std::string::npos);
    CHECK_FALSE(failure.text().hint.empty());
  }
  CHECK_THROWS_AS(Space::build({parameter("a", {1})}, {"aa > 1"}), Failure);
  CHECK_THROWS_AS(Space::build({parameter("a", {1}), parameter("a", {2})}, {}), Failure);
  CHECK_THROWS_AS(Space::build({parameter("a", {})}, {}), Failure);
}

TEST_CASE("a group that is too large is refused by its condition, within bounds") {
  std::vector<Parameter> parameters;
  std::string all = "0";
  for (int p = 0; p < 12; ++p) {
    Parameter one{"q" + std::to_string(p), "int", {}};
    for (int v = 0; v < 40; ++v) one.values.emplace_back(1 + v * v * (p + 3) % 9973);
    all += " + q" + std::to_string(p) + " * q" + std::to_string(p);
    parameters.push_back(one);
  }
  SpaceLimits limits;
  limits.bytes = 8u << 20;
  limits.evaluations = 2'000'000;
  try {
    Space::build(parameters, {all + " == 424243"}, {}, limits);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_OUT_OF_RESOURCES);
    CHECK(std::string(failure.what()).find("q11") != std::string::npos);
    CHECK_FALSE(failure.text().hint.empty());
  }
}

TEST_CASE("texts and hashes of configurations are stable") {
  const Space space = Space::build({parameter("a", {1, 2}), parameter("b", {3})}, {});
  CHECK(configuration_text(space, space.at(1)) == "a=2, b=3");
  CHECK(configuration_hash(space, space.at(0)) != configuration_hash(space, space.at(1)));
  const Space reordered = Space::build({parameter("b", {3}), parameter("a", {1, 2})}, {});
  CHECK(configuration_hash(space, space.at(1)) == configuration_hash(reordered, reordered.at(1)));
}
