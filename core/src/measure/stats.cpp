// SPDX-License-Identifier: Apache-2.0
#include "measure/stats.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace bench::measure {
namespace {

// Below this no order-statistic interval of 95 % exists: 2 * 0.5^6 = 3.1 % is the first under 5 %.
constexpr double min_interval_samples = 6.0;
// Looks grow by half: a look costs a sort, and too many would spend the error budget on nothing.
constexpr double look_growth = 1.5;
// An interval that three looks in a row (3.4 times the samples) have not narrowed by a tenth is as
// narrow as this machine's noise allows.
constexpr std::uint32_t plateau_looks = 3;
constexpr double plateau_gain = 0.9;
// Under so many, ranks jump from look to look, and a trend is not yet seen: plateaus at 35 samples
// hid most ramps.
constexpr std::size_t plateau_samples = 100;
constexpr std::size_t max_lag = 64;
// Room made before the first sample, so that none allocates; a larger limit is rarely reached.
constexpr std::uint32_t reserved_samples = 1u << 16;
constexpr double drift_error = 0.001;
// Halves of one normal mode lie 2.65 apart, of an even spread 3.5.
constexpr double mode_distance = 5.0;
constexpr double mode_share = 0.1;
// Fewer look like two modes by chance.
constexpr std::size_t min_mode_samples = 20;
// From the 10th to the 90th percentile of a normal distribution.
constexpr double deviations_p10_to_p90 = 2.5631;
// A state that lasts shows in few samples: a clock that fell at the end of a measurement.
constexpr double sticky_share = 0.04;
constexpr double sticky_error = 0.001;

double quantile(std::span<const double> sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

}  // namespace

std::optional<Interval> median_interval(std::span<const double> sorted, double effective,
                                        double error) {
  effective = std::min(effective, static_cast<double>(sorted.size()));
  if (effective < min_interval_samples) return std::nullopt;
  const double trials = std::floor(effective);
  // Largest rank r with P(Binomial(trials, 1/2) < r) <= error / 2.
  using boost::math::binomial_distribution;
  const binomial_distribution<double> ranks(trials, 0.5);
  double rank = std::floor(trials / 2);
  while (rank > 0 && boost::math::cdf(ranks, rank - 1) > error / 2) --rank;
  if (rank < 1) return std::nullopt;
  // The rank is among the effective samples: take the same fraction of the real ones.
  const double fraction = (rank - 1) / (trials - 1);
  const auto low =
      static_cast<std::size_t>(std::floor(fraction * static_cast<double>(sorted.size() - 1)));
  return Interval{sorted[low], sorted[sorted.size() - 1 - low]};
}

double SmoothMedian::operator()(std::span<const double> samples) {
  const std::size_t n = samples.size();
  std::vector<double> &weights = weights_[n];
  const double shape = (static_cast<double>(n) + 1.0) / 2.0;
  for (double before = 0.0; weights.size() < n;) {
    const double part = static_cast<double>(weights.size() + 1) / static_cast<double>(n);
    const double up_to = boost::math::ibeta(shape, shape, part);
    weights.push_back(up_to - before);
    before = up_to;
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return std::inner_product(sorted.begin(), sorted.end(), weights.begin(), 0.0);
}

double effective_samples(std::span<const double> samples, double median, double *lag_1) {
  const std::size_t n = samples.size();
  if (lag_1) *lag_1 = 0.0;
  if (n < 8) return static_cast<double>(n);
  std::vector<double> signs(n);
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    signs[i] = samples[i] > median ? 1.0 : samples[i] < median ? -1.0 : 0.0;
    total += signs[i] * signs[i];
  }
  if (total == 0.0) return static_cast<double>(n);
  const auto correlation = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += signs[i] * signs[i + lag];
    return sum / total;
  };
  if (lag_1) *lag_1 = correlation(1);
  double tau = 1.0;
  for (std::size_t lag = 1; lag + 1 <= std::min(max_lag, n / 4); lag += 2) {
    const double pair = correlation(lag) + correlation(lag + 1);
    if (pair <= 0.0) break;
    tau += 2.0 * pair;
  }
  return std::clamp(static_cast<double>(n) / tau, 1.0, static_cast<double>(n));
}

bool has_drift(std::span<const double> samples) {
  const std::size_t half = samples.size() / 2;
  if (half < 10) return false;
  std::size_t rising = 0, falling = 0;
  for (std::size_t i = 0; i < half; ++i) {
    const double first = samples[i], second = samples[samples.size() - half + i];
    rising += second > first;
    falling += second < first;
  }
  const std::size_t moves = rising + falling;
  if (moves < 10) return false;
  const boost::math::binomial_distribution<double> fair(static_cast<double>(moves), 0.5);
  return 2.0 * boost::math::cdf(fair, static_cast<double>(std::min(rising, falling))) < drift_error;
}

namespace {

/// Where the upper of two clusters begins, by Otsu's criterion (1979): the cut with the greatest
/// variance between the parts, each of which holds `least` samples or more.
std::size_t best_cut(std::span<const double> sorted, std::size_t least) {
  const double middle = sorted[sorted.size() / 2];  // sums of what lies about it lose no digits
  double total = 0.0, below = 0.0, most = -1.0;
  for (const double sample : sorted) total += sample - middle;
  std::size_t cut = 0;
  const double n = static_cast<double>(sorted.size());
  for (std::size_t i = 1; i + least <= sorted.size(); ++i) {
    below += sorted[i - 1] - middle;
    if (i < least || sorted[i] == sorted[i - 1]) continue;
    const double count = static_cast<double>(i);
    const double apart = (total - below) / (n - count) - below / count;
    const double between = apart * apart * count * (n - count);
    if (between > most) most = between, cut = i;
  }
  return cut;
}

/// The cut between two modes; nothing if there is one. Two clusters of `share` of the samples or
/// more are modes where their medians lie far apart for what each is wide: Ashman's D (Ashman, Bird
/// and Zepf 1994), with widths from the 10th to the 90th percentile, so that a tail does not count.
std::optional<std::size_t> mode_cut(std::span<const double> sorted, double share) {
  const std::size_t n = sorted.size();
  if (n < min_mode_samples) return std::nullopt;
  const auto least = static_cast<std::size_t>(std::ceil(share * static_cast<double>(n)));
  const std::size_t cut = best_cut(sorted, std::max<std::size_t>(least, 2));
  if (cut == 0) return std::nullopt;
  const auto deviation = [](std::span<const double> part) {
    return (quantile(part, 0.9) - quantile(part, 0.1)) / deviations_p10_to_p90;
  };
  const auto low = sorted.first(cut), high = sorted.subspan(cut);
  const double apart = quantile(high, 0.5) - quantile(low, 0.5);
  // By hand: std::hypot would ask for a newer GLIBC than the library promises to run with.
  const double a = deviation(low), b = deviation(high);
  const double width = std::sqrt((a * a + b * b) / 2.0);
  // The floor of 0.5 % keeps a coarse timer's steps from looking like modes.
  if (apart > mode_distance * width && apart > 0.005 * quantile(sorted, 0.5)) return cut;
  return std::nullopt;
}

/// Two modes alone do no harm where one of them surely holds the median; where the interval reaches
/// into both, any value of the gap between would do.
bool in_both_modes(std::span<const double> sorted, const std::optional<Interval> &interval) {
  const auto cut = mode_cut(sorted, mode_share);
  return cut && (!interval || (interval->lo < sorted[*cut] && interval->hi >= sorted[*cut]));
}

}  // namespace

int count_modes(std::span<const double> sorted) {
  return mode_cut(sorted, mode_share) ? 2 : 1;
}

bool has_sticky_modes(std::span<const double> samples, std::span<const double> sorted) {
  const auto cut = mode_cut(sorted, sticky_share);
  if (!cut) return false;
  const double bar = sorted[*cut], n = static_cast<double>(samples.size());
  double runs = 1.0;
  for (std::size_t i = 1; i < samples.size(); ++i)
    runs += (samples[i] >= bar) != (samples[i - 1] >= bar);
  const double low = static_cast<double>(*cut), both = 2.0 * low * (n - low);
  const double expected = both / n + 1.0;
  const double variance = both * (both - n) / (n * n * (n - 1.0));
  const boost::math::normal standard;
  return runs < expected - boost::math::quantile(boost::math::complement(standard, sticky_error)) *
                               std::sqrt(std::max(variance, 0.0));
}

Summary summarize(std::span<const double> samples, double error) {
  Summary summary;
  summary.samples = samples.size();
  if (samples.empty()) {
    summary.interval_reason = "no samples";
    return summary;
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  summary.median_ns = quantile(sorted, 0.5);
  summary.p20_ns = quantile(sorted, 0.2);
  summary.p80_ns = quantile(sorted, 0.8);
  summary.minimum_ns = sorted.front();
  summary.maximum_ns = sorted.back();
  for (const double sample : samples)
    summary.mean_ns += sample / static_cast<double>(samples.size());
  summary.effective_samples =
      effective_samples(samples, summary.median_ns, &summary.autocorrelation);
  summary.drift = has_drift(samples);
  summary.modes = count_modes(sorted);
  summary.sticky = has_sticky_modes(samples, sorted);
  if (summary.samples < min_interval_samples) {
    summary.interval_reason = "fewer than 6 samples";
  } else if (summary.drift) {
    summary.interval_reason = "the time drifts: an interval of its median would not mean anything";
  } else if (summary.sticky) {
    summary.interval_reason = "the times stay in one of two states for long: a clock that steps";
  } else {
    summary.interval = median_interval(sorted, summary.effective_samples, error);
    if (summary.modes > 1 && in_both_modes(sorted, summary.interval)) {
      summary.interval.reset();
      summary.interval_reason = "the times have two modes: their median is in neither";
    } else if (!summary.interval) {
      summary.interval_reason = "too few independent samples";
    } else if (summary.effective_samples < 0.9 * static_cast<double>(summary.samples)) {
      summary.interval_reason = "widened: samples are correlated";
    }
  }
  return summary;
}

const char *stop_reason_name(StopReason reason) {
  static constexpr const char *names[] = {"precise",  "noise plateau", "sample cap",
                                          "time cap", "cancelled",     "one coarse call"};
  return names[static_cast<int>(reason)];
}

StopRule::StopRule(double relative_half_width, std::uint32_t min_samples, std::uint32_t max_samples,
                   double error)
    : relative_half_width_(relative_half_width),
      min_samples_(min_samples),
      max_samples_(std::max(max_samples, 1u)),
      error_(error),
      next_look_(std::max<std::size_t>(min_samples, 10)),
      best_half_width_(std::numeric_limits<double>::infinity()) {
  samples_.reserve(std::min(max_samples_, reserved_samples));
}

double StopRule::look_error(std::uint32_t look) const {
  // 6 / ((k + 5) (k + 6)) adds up to one over all looks. Spent evenly over the first few, in which
  // no interval is narrow yet, it leaves later looks three times what 6 / (pi k)^2 does.
  const double k = look;
  return error_ * 6.0 / ((k + 5.0) * (k + 6.0));
}

void StopRule::add(double sample_ns) {
  samples_.push_back(sample_ns);
}

std::optional<StopReason> StopRule::decide() {
  if (samples_.size() >= max_samples_) return StopReason::max_samples;
  if (samples_.size() < std::max<std::size_t>(min_samples_, 1) || samples_.size() < next_look_)
    return std::nullopt;
  ++looks_;
  next_look_ =
      static_cast<std::size_t>(std::ceil(static_cast<double>(samples_.size()) * look_growth));
  const Summary now = summarize(samples_, look_error(looks_));
  if (!now.interval || now.median_ns <= 0.0) return std::nullopt;
  const double half_width = (now.interval->hi - now.interval->lo) / (2.0 * now.median_ns);
  if (half_width <= relative_half_width_) return StopReason::precise;
  // Narrow by luck, of few samples whose correlation did not show yet.
  if (samples_.size() < plateau_samples) return std::nullopt;
  if (half_width < plateau_gain * best_half_width_) {
    best_half_width_ = half_width;
    looks_without_gain_ = 0;
  } else if (++looks_without_gain_ >= plateau_looks) {
    return StopReason::plateau;
  }
  return std::nullopt;
}

Summary StopRule::summary() const {
  return summarize(samples_, look_error(std::max(looks_, 1u)));
}

}  // namespace bench::measure
