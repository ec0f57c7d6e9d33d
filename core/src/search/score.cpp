// SPDX-License-Identifier: Apache-2.0
#include "search/score.hpp"

#include <algorithm>
#include <cmath>

namespace bench::search {
namespace {

constexpr double reached = 0.95;

}  // namespace

Baseline::Baseline(std::vector<double> times, std::uint64_t failures, std::size_t evaluations) {
  std::sort(times.begin(), times.end());
  optimum_ = times.front();
  median_ = times[times.size() / 2];
  worst_ = times.back();
  const double total = static_cast<double>(times.size() + failures);
  for (std::size_t k = 1; k <= evaluations; ++k) {
    // P(none of the i fastest among k drawn) = C(total - i, k) / C(total, k), built up over i. What
    // fails counts as the slowest that runs.
    double none = 1.0, expected = 0.0;
    for (std::size_t i = 0; i < times.size() && none > 1e-12; ++i) {
      const double rest = total - static_cast<double>(i);
      const double still = std::max(0.0, 1.0 - static_cast<double>(k) / rest);
      expected += none * (1.0 - still) * times[i];
      none *= still;
    }
    curve_.push_back(expected + none * worst_);
    if (cutoff_ == 0 && median_ - curve_.back() >= reached * (median_ - optimum_)) cutoff_ = k;
  }
  if (cutoff_ == 0) cutoff_ = evaluations;
}

double Baseline::score(const std::vector<double> &best) const {
  double sum = 0.0;
  std::size_t counted = 0;
  for (std::size_t k = 0; k < cutoff_; ++k) {
    const double room = curve_[k] - optimum_;
    if (room <= 0.0) break;
    double here = best.empty() ? 0.0 : best[std::min(k, best.size() - 1)];
    if (here <= 0.0) here = worst_;
    sum += (curve_[k] - here) / room;
    ++counted;
  }
  return counted ? sum / static_cast<double>(counted) : 1.0;
}

double Baseline::score_in_time(const std::vector<double> &best, const std::vector<double> &ended_ns,
                               double mean_cost_ns) const {
  double sum = 0.0;
  std::size_t counted = 0, done = 0;
  for (std::size_t k = 0; k < cutoff_; ++k) {
    const double room = curve_[k] - optimum_;
    if (room <= 0.0) break;
    const double now_ns = static_cast<double>(k + 1) * mean_cost_ns;
    while (done < ended_ns.size() && ended_ns[done] <= now_ns) ++done;
    double here = done ? best[done - 1] : 0.0;
    if (here <= 0.0) here = worst_;
    sum += (curve_[k] - here) / room;
    ++counted;
  }
  return counted ? sum / static_cast<double>(counted) : 1.0;
}

}  // namespace bench::search
