// SPDX-License-Identifier: Apache-2.0
#include "measure/stats.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace bench::measure;

namespace {

std::vector<double> noise(std::uint64_t seed, std::size_t count, double correlation = 0.0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> samples;
  double state = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    state = correlation * state + std::sqrt(1 - correlation * correlation) * normal(random);
    samples.push_back(1000.0 + 10.0 * state);
  }
  return samples;
}

/// How often the interval at the moment of stopping misses the true median of 1000.
int misses(int runs, double correlation, int &withheld) {
  int missed = 0;
  for (int run = 0; run < runs; ++run) {
    StopRule rule(0.004, 10, 400);
    for (const double sample : noise(static_cast<std::uint64_t>(run) + 1, 400, correlation)) {
      rule.add(sample);
      if (rule.decide()) break;
    }
    const Summary summary = rule.summary();
    if (!summary.interval)
      ++withheld;
    else
      missed += summary.interval->lo > 1000.0 || summary.interval->hi < 1000.0;
  }
  return missed;
}

}  // namespace

TEST_CASE("the interval holds at the moment of stopping") {
  int withheld = 0;
  const int missed = misses(600, 0.0, withheld);
  MESSAGE("independent: " << missed << " of 600 missed, " << withheld << " withheld");
  CHECK(missed <= 30);  // 5 %
  CHECK(withheld <= 60);
}

TEST_CASE("correlated samples widen it: coverage stays within 3 points of what is promised") {
  int withheld = 0;
  const int missed = misses(600, 0.6, withheld);
  MESSAGE("AR(1) 0.6: " << missed << " of 600 missed, " << withheld << " withheld");
  CHECK(missed <= 48);  // 8 %
  const auto samples = noise(5, 400, 0.8);
  CHECK(effective_samples(samples, 1000.0) < 200);
  CHECK(effective_samples(noise(5, 400), 1000.0) > 200);
}

TEST_CASE("under six samples there is no interval, and the reason is given") {
  for (std::size_t count = 1; count < 6; ++count) {
    const Summary summary = summarize(noise(1, count));
    CHECK_FALSE(summary.interval);
    CHECK_FALSE(summary.interval_reason.empty());
    CHECK(std::isfinite(summary.median_ns));
  }
  CHECK_FALSE(summarize({}).interval_reason.empty());
}

TEST_CASE("equal samples and zeros are legal, and nothing is ever NaN") {
  for (const double value : {0.0, 7.0, 1e-300, 1e300}) {
    const Summary summary = summarize(std::vector<double>(50, value));
    CHECK(summary.median_ns == value);
    REQUIRE(summary.interval);
    CHECK(summary.interval->lo == value);
    CHECK(summary.interval->hi == value);
    CHECK(std::isfinite(summary.autocorrelation));
    CHECK(std::isfinite(summary.effective_samples));
  }
}

TEST_CASE("drift and two modes withhold the interval and say why") {
  std::vector<double> drifting;
  for (int i = 0; i < 100; ++i) drifting.push_back(1000.0 + i + (i % 7));
  Summary summary = summarize(drifting);
  CHECK(summary.drift);
  CHECK_FALSE(summary.interval);
  std::vector<double> bimodal;
  for (int i = 0; i < 100; ++i) bimodal.push_back((i * 7919 % 100 < 50 ? 1000.0 : 1500.0) + i % 5);
  summary = summarize(bimodal);
  CHECK(summary.modes == 2);
  CHECK_FALSE(summary.interval);
  int false_drift = 0, false_modes = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Summary calm = summarize(noise(seed, 100));
    false_drift += calm.drift;
    false_modes += calm.modes != 1;
  }
  CHECK(false_drift <= 3);
  CHECK(false_modes <= 3);
}

TEST_CASE("a clock that steps between two states is seen; quick changes of mode alone are not it") {
  int seen = 0, false_alarms = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    std::vector<double> sticky, quick;
    bool slow = false;
    for (int i = 0; i < 600; ++i) {
      if (uniform(random) < 0.02) slow = !slow;
      sticky.push_back(1000.0 * (slow ? 1.2 : 1.0) * (1.0 + 0.02 * normal(random)));
      quick.push_back(1000.0 * (uniform(random) < 0.3 ? 1.1 : 1.0) + 10.0 * normal(random));
    }
    const Summary summary = summarize(sticky);
    seen += summary.sticky && !summary.interval;
    if (summary.sticky && !summary.drift)
      CHECK(summary.interval_reason.find("two states") != std::string::npos);
    const Summary calm = summarize(quick);
    CHECK(calm.modes == 2);
    false_alarms += calm.sticky || !calm.interval;
    false_alarms += summarize(noise(seed, 600, 0.8)).sticky;
  }
  CHECK(seen >= 95);
  CHECK(false_alarms <= 2);
}

TEST_CASE("modes need both distance and numbers") {
  const auto modes = [](int low, int high, double apart, double width) {
    std::vector<double> sorted;
    for (int i = 0; i < low; ++i) sorted.push_back(1000.0 + width * i / std::max(low - 1, 1));
    for (int i = 0; i < high; ++i)
      sorted.push_back(1000.0 + apart + width * i / std::max(high - 1, 1));
    return count_modes(sorted);
  };
  CHECK(modes(50, 50, 100, 10) == 2);
  CHECK(modes(50, 50, 11, 10) == 1);  // one even spread
  CHECK(modes(95, 5, 100, 10) == 1);  // outliers
  CHECK(modes(88, 12, 100, 10) == 2);
  CHECK(modes(12, 88, 100, 10) == 2);
  CHECK(modes(5, 5, 100, 10) == 1);   // too few to tell
  CHECK(modes(50, 50, 4, 0.1) == 1);  // steps of a coarse timer
  CHECK(modes(50, 50, 6, 0.1) == 2);
  CHECK(modes(100, 0, 0, 0) == 1);
}

TEST_CASE("quantiles are where they should be") {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);
  const Summary summary = summarize(samples);
  CHECK(summary.median_ns == 50);
  CHECK(summary.p20_ns == 20);
  CHECK(summary.p80_ns == 80);
  CHECK(summary.minimum_ns == 0);
  CHECK(summary.maximum_ns == 100);
  CHECK(summary.mean_ns == doctest::Approx(50));
}

TEST_CASE(
    "the smooth median is the median of symmetric samples, weighs all, and errs less at a gap") {
  SmoothMedian median;
  CHECK(median({}) == 0.0);
  CHECK(median(std::vector<double>{7.0}) == doctest::Approx(7.0));
  CHECK(median(std::vector<double>{3.0, 1.0}) == doctest::Approx(2.0));
  CHECK(median(std::vector<double>{5.0, 1.0, 3.0, 2.0, 4.0}) == doctest::Approx(3.0));
  // Weights of three: I(1/3; 2, 2) = 7/27, so 7/27, 13/27, 7/27.
  CHECK(median(std::vector<double>{0.0, 0.0, 27.0}) == doctest::Approx(7.0));
  CHECK(median(std::vector<double>{0.0, 27.0, 27.0}) == doctest::Approx(20.0));
  std::mt19937_64 random(3);
  double smooth_error = 0.0, plain_error = 0.0;
  for (int run = 0; run < 500; ++run) {
    std::vector<double> samples;
    for (int i = 0; i < 25; ++i) samples.push_back(random() % 2 ? 110.0 : 100.0);
    smooth_error += std::pow(median(samples) - 105.0, 2);
    plain_error += std::pow(summarize(samples).median_ns - 105.0, 2);
  }
  CHECK(smooth_error < 0.7 * plain_error);
}

TEST_CASE("the rule stops when precise, on a plateau, and at the cap") {
  StopRule precise(0.05, 10, 1000);
  std::optional<StopReason> reason;
  for (const double sample : noise(2, 1000)) {
    precise.add(sample);
    if ((reason = precise.decide())) break;
  }
  CHECK(reason == StopReason::precise);
  CHECK(precise.samples().size() < 50);
  // Two modes of equal weight: the interval spans both for ever.
  StopRule plateau(0.001, 10, 20000);
  std::mt19937_64 random(4);
  do {
    plateau.add(random() % 2 ? 1000.0 : 1003.0);
    reason = plateau.decide();
  } while (!reason);
  CHECK(reason == StopReason::plateau);
  CHECK(plateau.samples().size() >= 300);
  CHECK(plateau.samples().size() <= 5000);
  StopRule capped(1e-12, 10, 12);
  for (const double sample : noise(2, 12)) capped.add(sample);
  CHECK(capped.decide() == StopReason::max_samples);
}

namespace {

std::vector<double> one_to(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return values;
}

}  // namespace

TEST_CASE("ranks of the interval are those of the tables") {
  const auto low = [](std::size_t count, double effective, double error) {
    const auto interval = median_interval(one_to(count), effective, error);
    REQUIRE(interval);
    CHECK(interval->lo + interval->hi == static_cast<double>(count + 1));
    return interval->lo;
  };
  CHECK(low(6, 6, 0.05) == 1);
  CHECK(low(9, 9, 0.05) == 2);
  CHECK(low(10, 10, 0.05) == 2);
  CHECK(low(20, 20, 0.05) == 6);
  CHECK(low(50, 50, 0.05) == 18);
  CHECK(low(20, 20, 0.01) == 4);
  CHECK(low(10, 99, 0.05) == 2);  // never more than there are
  CHECK(low(19, 10, 0.05) == 3);  // rank 2 of 10 is a ninth of the way: 2 of 18 steps
  CHECK_FALSE(median_interval(one_to(5), 5, 0.05));
  CHECK_FALSE(median_interval(one_to(40), 5.9, 0.05));
  CHECK_FALSE(median_interval(one_to(6), 6, 0.03));  // 2 / 64 is more
}

TEST_CASE("effective samples of a short series, by hand") {
  double lag_1 = 0.0;
  // Signs ++++----: lags 1 and 2 correlate by 5/8 and 2/8, so tau = 1 + 2 * 7/8.
  const std::vector<double> blocks{2, 2, 2, 2, 1, 1, 1, 1};
  CHECK(effective_samples(blocks, 1.5, &lag_1) == doctest::Approx(8 / 2.75));
  CHECK(lag_1 == doctest::Approx(0.625));
  CHECK(effective_samples(std::vector<double>{2, 1, 2, 1, 2, 1, 2, 1}, 1.5, &lag_1) == 8);
  CHECK(lag_1 == doctest::Approx(-0.875));
  CHECK(effective_samples(std::vector<double>(blocks.begin(), blocks.end() - 1), 1.5) == 7);
  CHECK(effective_samples(std::vector<double>(8, 3.0), 3.0) == 8);
  // Signs ++0----- about 3: of seven that are not zero.
  effective_samples(std::vector<double>{4, 4, 3, 1, 1, 1, 1, 1}, 3.0, &lag_1);
  CHECK(lag_1 == doctest::Approx(5.0 / 7));
}

TEST_CASE("the least trend that counts: eleven pairs that all rise, or all fall") {
  const auto drift = [](std::size_t count, bool falls = false) {
    std::vector<double> samples = one_to(count);
    if (falls) std::reverse(samples.begin(), samples.end());
    return has_drift(samples);
  };
  CHECK_FALSE(drift(19));
  CHECK_FALSE(drift(20));  // 2 / 2^10
  CHECK_FALSE(drift(21));
  CHECK(drift(22));
  CHECK(drift(23));
  CHECK(drift(22, true));
  std::vector<double> tie = one_to(22);
  tie[21] = tie[10];
  CHECK_FALSE(has_drift(tie));
}

TEST_CASE("looks are at 10, 15, 23, 35 samples, and each reason has its name") {
  StopRule rule(1e-9, 3, 36);
  std::vector<std::size_t> stopped;
  for (std::size_t i = 1; i <= 9; ++i) {
    rule.add(100.0);
    CHECK_FALSE(rule.decide());
  }
  rule.add(100.0);
  CHECK(rule.decide() == StopReason::precise);  // equal samples: no width
  StopRule later(1e-9, 12, 100);
  for (std::size_t i = 1; i <= 12; ++i) {
    CHECK_FALSE(later.decide());
    later.add(100.0);
  }
  CHECK(later.decide() == StopReason::precise);
  // Too wide at 10; narrow only once the outlier is past the rank, which is seen at the next look.
  StopRule looks(0.01, 3, 1000);
  std::size_t at = 0;
  for (std::size_t i = 0; at == 0; ++i) {
    looks.add(i < 1 ? 200.0 : 100.0 + 0.01 * static_cast<double>(i * 7 % 10));
    if (looks.decide()) at = looks.samples().size();
  }
  CHECK(at == 15);
  CHECK(std::string(stop_reason_name(StopReason::precise)) == "precise");
  CHECK(std::string(stop_reason_name(StopReason::plateau)) == "noise plateau");
  CHECK(std::string(stop_reason_name(StopReason::max_samples)) == "sample cap");
  CHECK(std::string(stop_reason_name(StopReason::deadline)) == "time cap");
  CHECK(std::string(stop_reason_name(StopReason::cancelled)) == "cancelled");
  CHECK(std::string(stop_reason_name(StopReason::coarse)) == "one coarse call");
}

TEST_CASE("the first looks spend a seventh and a ninth of the error") {
  // At 10 samples 0.05 / 7 allows rank 1 only, at 15 samples 0.05 * 3 / 28 allows rank 2.
  StopRule rule(1e-9, 3, 1000);
  for (std::size_t i = 0; i < 10; ++i)
    rule.add(std::vector<double>{5, 1, 8, 3, 10, 2, 7, 4, 9, 6}[i]);
  CHECK_FALSE(rule.decide());
  REQUIRE(rule.summary().interval);
  CHECK(rule.summary().interval->lo == 1);
  CHECK(rule.summary().interval->hi == 10);
  for (const double sample : {5.5, 2.5, 8.5, 3.5, 7.5}) rule.add(sample);
  CHECK_FALSE(rule.decide());
  REQUIRE(rule.summary().interval);
  CHECK(rule.summary().interval->lo == 2);
  CHECK(rule.summary().interval->hi == 9);
}

TEST_CASE("each reason is told: none, too few, drift, correlated") {
  CHECK(summarize({}).interval_reason == "no samples");
  CHECK(summarize(noise(1, 5)).interval_reason == "fewer than 6 samples");
  CHECK(summarize(one_to(40)).interval_reason.find("drifts") != std::string::npos);
  const Summary calm = summarize(std::vector<double>{2, 1, 2, 1, 2, 1, 2, 1});
  CHECK(calm.interval);
  CHECK(calm.interval_reason.empty());
  int widened = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Summary slow = summarize(noise(seed, 400, 0.6));
    widened += slow.interval && slow.interval_reason.find("widened") != std::string::npos;
  }
  CHECK(widened >= 7);
  CHECK(summarize(std::vector<double>{2, 2, 2, 2, 1, 1, 1, 1}).interval_reason ==
        "too few independent samples");
}
