// SPDX-License-Identifier: Apache-2.0
// How often the interval at the moment of stopping covers the median, on scripted noise; what it
// costs against knowing the number of samples beforehand; how often trouble is seen.
#include <boost/math/distributions/beta.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>

#include "measure/stats.hpp"
#include "replay.hpp"

namespace {

using bench::measure::StopRule;
using bench::measure::Summary;
using bench::simulated::Random;

constexpr double base_ns = 10000.0;
constexpr double half_width = 0.005;
constexpr std::uint32_t most_samples = 20000;

struct Series {
  std::string name;
  double median = base_ns;
  bool stationary = true;  // else the interval must be withheld
  std::function<std::function<double()>(Random &)> start;
  double tau = 1.0;  // samples that carry as much as an independent one
};

/// Of the signs about the median of a normal AR(1), whose lag k correlates as 2/pi asin(phi^k).
double sign_tau(double phi) {
  double tau = 1.0;
  for (double power = phi; power > 1e-9; power *= phi)
    tau += 4.0 / std::numbers::pi * std::asin(power);
  return tau;
}

/// Samples of somebody who knows beforehand how many it takes, and how they correlate: the fewest
/// whose ordinary 95 % interval is as narrow as asked, on the mean of 200 runs.
std::size_t oracle_samples(const Series &series) {
  constexpr int runs = 200;
  for (std::size_t n = 10;; n += std::max<std::size_t>(1, n / 50)) {
    double width = 0.0;
    bool given = true;
    for (int run = 0; run < runs && given; ++run) {
      Random random(777 + static_cast<std::uint64_t>(run));
      const auto next = series.start(random);
      std::vector<double> samples;
      for (std::size_t i = 0; i < n; ++i) samples.push_back(next());
      std::sort(samples.begin(), samples.end());
      const auto interval =
          bench::measure::median_interval(samples, static_cast<double>(n) / series.tau, 0.05);
      given = interval.has_value();
      if (given) width += (interval->hi - interval->lo) / 2.0 / series.median;
    }
    if (given && width / runs <= half_width) return n;
  }
}

std::function<double()> autoregressive(Random &random, double phi, double sd) {
  double state = sd * random.normal();
  return [&random, phi, sd, state]() mutable {
    state = phi * state + sd * std::sqrt(1.0 - phi * phi) * random.normal();
    return base_ns * std::exp(state);
  };
}

/// The lower bound of a share at 99 %, after Clopper and Pearson.
double lower_bound(double hits, double runs) {
  if (hits == 0.0) return 0.0;
  return boost::math::quantile(boost::math::beta_distribution<>(hits, runs - hits + 1.0), 0.01);
}

std::vector<Series> all_series() {
  std::vector<Series> list;
  list.push_back({"normal", base_ns, true,
                  [](Random &r) { return [&r] { return base_ns * (1.0 + 0.02 * r.normal()); }; }});
  list.push_back({"lognormal", base_ns, true, [](Random &r) {
                    return [&r] { return base_ns * std::exp(0.05 * r.normal()); };
                  }});
  // Student's t with two degrees of freedom, in the logarithm.
  list.push_back({"heavy tail", base_ns, true, [](Random &r) {
                    return [&r] {
                      const double u = r.uniform();
                      const double t = (2.0 * u - 1.0) / std::sqrt(2.0 * u * (1.0 - u));
                      return base_ns * std::exp(0.01 * t);
                    };
                  }});
  // The median lies in the lower mode: at 5/7 of it.
  const double z = 0.5659488219328631;
  list.push_back({"bimodal 70/30", base_ns * (1.0 + 0.01 * z), true, [](Random &r) {
                    return [&r] {
                      const double level = r.uniform() < 0.7 ? 1.0 : 1.1;
                      return base_ns * (level + 0.01 * r.normal());
                    };
                  }});
  list.push_back({"AR(1) 0.3", base_ns, true,
                  [](Random &r) { return autoregressive(r, 0.3, 0.02); }, sign_tau(0.3)});
  list.push_back({"AR(1) 0.8", base_ns, true,
                  [](Random &r) { return autoregressive(r, 0.8, 0.02); }, sign_tau(0.8)});
  list.push_back({"bimodal 50/50", base_ns, false, [](Random &r) {
                    return [&r] {
                      const double level = r.uniform() < 0.5 ? 1.0 : 1.1;
                      return base_ns * (level + 0.005 * r.normal());
                    };
                  }});
  list.push_back({"ramp", base_ns, false, [](Random &r) {
                    return [&r, i = 0]() mutable {
                      return base_ns * (1.0 + 0.0005 * i++) * (1.0 + 0.02 * r.normal());
                    };
                  }});
  list.push_back({"sticky clock", base_ns, false, [](Random &r) {
                    return [&r, slow = false]() mutable {
                      if (r.uniform() < 0.02) slow = !slow;
                      return base_ns * (slow ? 1.2 : 1.0) * (1.0 + 0.02 * r.normal());
                    };
                  }});
  return list;
}

}  // namespace

int main(int count, char **words) {
  const int runs = count > 1 ? std::atoi(words[1]) : 10000;
  nlohmann::json document = nlohmann::json::object();
  for (const Series &series : all_series()) {
    int covered = 0, given = 0, precise = 0, flagged = 0;
    double samples = 0.0;
    for (int run = 0; run < runs; ++run) {
      Random random(1 + static_cast<std::uint64_t>(run));
      const auto next = series.start(random);
      StopRule rule(half_width, 10, series.stationary ? most_samples : 2000);
      std::optional<bench::measure::StopReason> reason;
      while (!reason) {
        rule.add(next());
        reason = rule.decide();
      }
      const Summary summary = rule.summary();
      samples += static_cast<double>(summary.samples);
      precise += *reason == bench::measure::StopReason::precise;
      flagged += !summary.interval && (summary.drift || summary.modes > 1 || summary.sticky);
      if (!summary.interval) continue;
      ++given;
      covered += summary.interval->lo <= series.median && series.median <= summary.interval->hi;
    }
    nlohmann::json entry{{"runs", runs},
                         {"mean_samples", samples / runs},
                         {"withheld_with_reason", static_cast<double>(flagged) / runs},
                         {"precise", static_cast<double>(precise) / runs}};
    if (series.stationary && given) {
      entry["coverage"] = static_cast<double>(covered) / given;
      entry["coverage_lower_99"] = lower_bound(covered, given);
      const std::size_t oracle = oracle_samples(series);
      entry["oracle_samples"] = oracle;
      entry["samples_over_oracle"] = samples / runs / static_cast<double>(oracle);
    }
    document[series.name] = entry;
  }
  if (const char *commit = std::getenv("BENCH_COMMIT")) document["commit"] = commit;
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
