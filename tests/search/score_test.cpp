// SPDX-License-Identifier: Apache-2.0
#include "search/score.hpp"

#include <doctest/doctest.h>

using bench::search::Baseline;

TEST_CASE("the expectation of random search is exact for a space of three") {
  const Baseline baseline({1.0, 2.0, 6.0}, 0, 3);
  CHECK(baseline.optimum() == 1.0);
  CHECK(baseline.curve()[0] == doctest::Approx(3.0));  // the mean
  CHECK(baseline.curve()[1] == doctest::Approx((1.0 + 1.0 + 2.0) / 3.0));
  CHECK(baseline.curve()[2] == doctest::Approx(1.0));
}

TEST_CASE("failures slow random search down") {
  const Baseline clean({1.0, 2.0}, 0, 1), failing({1.0, 2.0}, 2, 1);
  CHECK(clean.curve()[0] == doctest::Approx(1.5));
  CHECK(failing.curve()[0] == doctest::Approx((1.0 + 2.0 + 2.0 + 2.0) / 4.0));
}

TEST_CASE("random search scores 0, the optimum at once 1, worse than random below 0") {
  std::vector<double> times;
  for (int i = 1; i <= 1000; ++i) times.push_back(i);
  const Baseline baseline(times, 0, 400);
  CHECK(baseline.cutoff() > 10);
  CHECK(baseline.cutoff() < 100);
  CHECK(baseline.score(baseline.curve()) == doctest::Approx(0.0));
  CHECK(baseline.score({1.0}) == doctest::Approx(1.0));
  CHECK(baseline.score({500.0}) < 0.0);
  CHECK(baseline.score({}) < 0.0);
}

TEST_CASE("against time a search is scored by when its evaluations end") {
  std::vector<double> times;
  for (int i = 1; i <= 1000; ++i) times.push_back(i);
  const Baseline baseline(times, 0, 400);
  std::vector<double> ends, late;
  for (std::size_t k = 1; k <= 400; ++k) {
    ends.push_back(10.0 * static_cast<double>(k));
    late.push_back(100.0 * static_cast<double>(k));
  }
  // Random search at its own mean cost is random search.
  CHECK(baseline.score_in_time(baseline.curve(), ends, 10.0) == doctest::Approx(0.0));
  CHECK(baseline.score_in_time({1.0}, {10.0}, 10.0) == doctest::Approx(1.0));
  CHECK(baseline.score_in_time(baseline.curve(), late, 10.0) < -0.5);
  CHECK(baseline.score_in_time({}, {}, 10.0) < 0.0);
}
