// SPDX-License-Identifier: Apache-2.0
// How good a search was: its best-so-far against the expectation of random search, after the
// methodology of Willemsen et al., Future Generation Computer Systems 2024: 0 is random search, 1
// an immediate optimum. Evaluations stand where the original has time.
#pragma once
#include <cstdint>
#include <vector>

namespace bench::search {

class Baseline {
 public:
  /// `times` of all configurations that run; `failures` more do not. Not empty.
  Baseline(std::vector<double> times, std::uint64_t failures, std::size_t evaluations);

  double optimum() const { return optimum_; }
  double median() const { return median_; }
  /// Expected best of random search after 1, 2, .. evaluations without repetition.
  const std::vector<double> &curve() const { return curve_; }
  /// Evaluations until random search has gone 95 % of the way from median to optimum, at most those
  /// asked for: up to there a score is averaged.
  std::size_t cutoff() const { return cutoff_; }

  /// `best[k]` is the best after k + 1 evaluations; 0 where nothing had run yet. A search that
  /// ended early keeps its last.
  double score(const std::vector<double> &best) const;
  /// The same against wall time: `ended_ns[k]` is when evaluation k + 1 ended. An evaluation of
  /// random search takes `mean_cost_ns`; the cutoff is where it is over in that time.
  double score_in_time(const std::vector<double> &best, const std::vector<double> &ended_ns,
                       double mean_cost_ns) const;

 private:
  double optimum_ = 0.0, median_ = 0.0, worst_ = 0.0;
  std::vector<double> curve_;
  std::size_t cutoff_ = 0;
};

}  // namespace bench::search
