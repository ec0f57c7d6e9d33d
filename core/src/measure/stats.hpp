// SPDX-License-Identifier: Apache-2.0
// Statistics of window averages. Everything here is O(n log n), takes any finite input (zeros and
// equal samples included) and never gives NaN.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench::measure {

struct Interval {
  double lo = 0.0;
  double hi = 0.0;
};

struct Summary {
  std::uint64_t samples = 0;
  double median_ns = 0.0;
  double p20_ns = 0.0;
  double p80_ns = 0.0;
  double minimum_ns = 0.0;
  double maximum_ns = 0.0;
  double mean_ns = 0.0;
  /// Of the median; nothing if the data do not support one, and `interval_reason` says why. If it
  /// was widened, the reason says that.
  std::optional<Interval> interval;
  std::string interval_reason;
  double autocorrelation = 0.0;    // lag 1, of the signs about the median
  double effective_samples = 0.0;  // independent samples that carry as much about the median
  bool drift = false;
  int modes = 1;
  bool sticky = false;  // the times stay in one of two modes for long
};

/// `error` is the chance that the interval misses: 0.05 for a single look at 95 %.
Summary summarize(std::span<const double> samples_ns, double error = 0.05);

/// Interval of the median from order statistics: no assumption on the distribution (Conover,
/// Practical Nonparametric Statistics, 3.2). `effective_samples` <= samples widens it. Nothing
/// under 6.
std::optional<Interval> median_interval(std::span<const double> sorted_ns, double effective_samples,
                                        double error);

/// The median as a mean of all order statistics, weighted by the chance that each is the median of
/// a resample (Harrell and Davis 1982, A new distribution-free quantile estimator): of few samples
/// it errs less than the sample median, above all where a gap lies at the middle. Keeps the weights
/// of the counts that it met. 0 of no samples.
class SmoothMedian {
 public:
  double operator()(std::span<const double> samples_ns);

 private:
  std::map<std::size_t, std::vector<double>> weights_;
};

/// Independent samples that carry as much about the median as `samples`, from the autocorrelation
/// of the signs about it, cut at the first lag whose pair sum is not positive (Geyer 1992).
double effective_samples(std::span<const double> samples_ns, double median_ns,
                         double *lag_1 = nullptr);

/// Trend of location over time: Cox and Stuart's sign test on first half against second, at 0.1 %.
bool has_drift(std::span<const double> samples_ns);

/// 2 if the sorted samples fall into two clusters, each narrow for how far they lie apart.
int count_modes(std::span<const double> sorted_ns);

/// Two modes, and the samples change between them less often than chance would: the runs test of
/// Wald and Wolfowitz (1940), at 0.1 %. A clock that steps, or another process that comes and goes.
bool has_sticky_modes(std::span<const double> samples_ns, std::span<const double> sorted_ns);

/// Why a measurement stopped.
enum class StopReason { precise, plateau, max_samples, deadline, cancelled, coarse };
const char *stop_reason_name(StopReason reason);

/// Decides when a measurement has enough. Looks at growing sample counts; each look spends a part
/// of the error budget, delta * 6 / ((k + 5) (k + 6)) at look k, so that the interval holds at the
/// moment of stopping (Darling and Robbins 1967 on confidence sequences).
class StopRule {
 public:
  StopRule(double relative_half_width, std::uint32_t min_samples, std::uint32_t max_samples,
           double error = 0.05);

  void add(double sample_ns);
  /// The reason to stop now, if there is one.
  std::optional<StopReason> decide();
  /// At the moment of stopping, with the error budget of the next look.
  Summary summary() const;
  std::span<const double> samples() const { return samples_; }

 private:
  double look_error(std::uint32_t look) const;

  const double relative_half_width_;
  const std::uint32_t min_samples_;
  const std::uint32_t max_samples_;
  const double error_;
  std::vector<double> samples_;
  std::size_t next_look_;
  std::uint32_t looks_ = 0;
  double best_half_width_;
  std::uint32_t looks_without_gain_ = 0;
};

}  // namespace bench::measure
