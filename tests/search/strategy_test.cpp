// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "bowl.hpp"

using namespace bench::search;
using bench::Failure;
using bench::test::Bowl;

namespace {

History run(Bowl &bowl, const std::string &name, std::uint64_t evaluations,
            std::uint64_t seed = 1) {
  const auto strategy = make_strategy(name, seed);
  SearchOptions options;
  options.budget.evaluations = evaluations;
  return search(bowl, *strategy, options,
                [&](const std::vector<std::uint64_t> &indices) { return bowl.measure(indices); });
}

}  // namespace

TEST_CASE("every strategy keeps its budget and tries nothing twice") {
  for (const std::string &name : strategy_names()) {
    CAPTURE(name);
    Bowl bowl;
    const History history = run(bowl, name, 150);
    CHECK(history.trials().size() == 150);
    std::set<std::uint64_t> seen;
    for (const Trial &trial : history.trials()) {
      CHECK(trial.index < bowl.size());
      seen.insert(trial.index);
      CHECK(trial.time_ns == bowl.time(trial.index));
    }
    CHECK(seen.size() == 150);
  }
}

TEST_CASE("every strategy ends normally where the space is exhausted") {
  for (const std::string &name : strategy_names()) {
    CAPTURE(name);
    Bowl bowl(4);
    const History history = run(bowl, name, 10'000);
    CHECK(history.trials().size() == bowl.size());
    REQUIRE(history.best());
    double best = 1e9;
    for (std::uint64_t i = 0; i < bowl.size(); ++i)
      best = std::min(best, bowl.time(i).value_or(1e9));
    CHECK(*history.best()->time_ns == best);
  }
}

TEST_CASE("a seed gives one search, another seed another") {
  for (const std::string &name : strategy_names()) {
    if (name == "exhaustive") continue;
    CAPTURE(name);
    Bowl bowl;
    const auto indices = [&](std::uint64_t seed) {
      std::vector<std::uint64_t> list;
      const History history = run(bowl, name, 80, seed);
      for (const Trial &trial : history.trials()) list.push_back(trial.index);
      return list;
    };
    CHECK(indices(5) == indices(5));
    CHECK(indices(5) != indices(6));
  }
}

TEST_CASE("those that learn find the bottom of a bowl of 18 000 in 200 evaluations") {
  for (const std::string name : {"portfolio", "surrogate", "genetic", "differential", "local"}) {
    CAPTURE(name);
    Bowl bowl;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      found += *run(bowl, name, 200, seed).best()->time_ns <= 102.0;
    CHECK(found >= 8);
  }
}

TEST_CASE("what fails is learned: it is tried ever less") {
  Bowl bowl;
  const History history = run(bowl, "surrogate", 200);
  int early = 0, late = 0;
  for (std::size_t i = 0; i < 20; ++i) early += !history.trials()[i].time_ns;
  for (std::size_t i = 180; i < 200; ++i) late += !history.trials()[i].time_ns;
  CHECK(late <= early);
}

TEST_CASE("what was asked for first is measured first, and once") {
  Bowl bowl;
  const auto strategy = make_strategy("portfolio", 1);
  SearchOptions options;
  options.budget.evaluations = 30;
  options.first = {77, 5, 77};
  const History history =
      search(bowl, *strategy, options,
             [&](const std::vector<std::uint64_t> &indices) { return bowl.measure(indices); });
  CHECK(history.trials()[0].index == 77);
  CHECK(history.trials()[1].index == 5);
  CHECK(history.trials().size() == 30);
}

TEST_CASE("a time budget is not exceeded by more than a tenth") {
  Bowl bowl;
  const auto strategy = make_strategy("portfolio", 1);
  SearchOptions options;
  options.budget.evaluations = 100'000;
  options.budget.time_ns = 200'000;  // 200 evaluations of 1000 ns
  const History history =
      search(bowl, *strategy, options,
             [&](const std::vector<std::uint64_t> &indices) { return bowl.measure(indices); });
  CHECK(history.trials().size() >= 190);
  CHECK(history.trials().size() <= 220);
}

TEST_CASE("a stop is obeyed between batches") {
  Bowl bowl;
  const auto strategy = make_strategy("random", 1);
  SearchOptions options;
  int asked = 0;
  options.should_stop = [&] { return ++asked > 3; };
  const History history =
      search(bowl, *strategy, options,
             [&](const std::vector<std::uint64_t> &indices) { return bowl.measure(indices); });
  CHECK(history.trials().size() == 12);
}

TEST_CASE("an unknown name is answered with the list of names") {
  CHECK_THROWS_WITH_AS(make_strategy("annealing", 1), doctest::Contains("portfolio"), Failure);
}
