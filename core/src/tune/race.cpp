// SPDX-License-Identifier: Apache-2.0
// Bounds use visit medians, paired by round, on log time: samples within a visit are correlated
// (pooled, they eliminate the best in an eighth of races with a 1 % visit effect), while drift
// common to a round cancels in the pair.
#include "tune/race.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace bench::tune {
namespace {

// A warm candidate this much slower than the best warm one is out after one sample; never a cold
// one, whose first sample errs by more than that in either direction.
constexpr double cut_ratio = 1.5;
// With pooled variances two pairs are enough to tell who is far off; nearer than this takes more:
// a variance of two pairs errs too often.
constexpr std::size_t min_pairs = 2;
constexpr std::size_t min_close_pairs = 5;
constexpr double close_margin = 0.03;
// Shown far behind by one warm sample alone: it takes the pooled noise of the others and this much.
constexpr double single_margin = 0.05;
// So many must have been paired before the pooled noise is worth anything.
constexpr std::size_t min_first = 6;
// Each pair's variance leans on the pooled one as if eight more rounds had been seen, and no
// machine is quieter than 0.1 % from visit to visit.
constexpr double prior_weight = 8.0;
constexpr double floor_deviation = 0.001;
// Final fresh measurement of winner and default.
constexpr unsigned final_visits = 3;
constexpr unsigned final_samples = 4;
// An interval takes six samples.
constexpr unsigned least_final = 2;
constexpr std::size_t min_visits_before_time_cap = 6;
// What bounds and medians need is visits: neighbours of a long launch tell what it told already,
// and a long launch needs no discarded window before it, so that one sample a visit costs least.
constexpr double long_visit_ns = 5e6;
constexpr int visit_trials = 3;
// Visits of one sample, then of two, then of what the options say: most candidates leave early.
constexpr std::uint32_t single_rounds = 2;
constexpr std::uint32_t double_rounds = 2;
// At the time cap the best six get three times it, and then the best three nine times: sequential
// halving (Karnin, Koren and Somekh 2013). A tie of rows whose times have two modes takes fifty
// visits to tell; given to all, they would cost more than seven runs of each.
constexpr std::size_t deep_count = 6;
constexpr double deep_allowance = 3.0;
constexpr unsigned deepenings = 2;
// A leader that beat all others with fewer visits may have been lucky in all of them: a boosted
// clock at the start of a tune made one look 36 % faster than it was.
constexpr std::size_t min_winner_visits = 8;
// Of leaders that time proved wrong. Each brings back who looks better, so it ends by itself; this
// bounds a device whose times make no sense.
constexpr unsigned reconsiderations = 16;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

/// Mean and standard error of log(time of a) - log(time of b) over the rounds that visited both.
struct Paired {
  std::size_t pairs = 0;
  double mean = 0.0;
  double square_sum = 0.0;  // of deviations from the mean
  std::vector<double> sorted;
};

Paired paired(const Racer &a, const Racer &b) {
  std::vector<double> differences;
  for (std::size_t i = 0, j = 0; i < a.rounds.size() && j < b.rounds.size();) {
    if (a.rounds[i] < b.rounds[j])
      ++i;
    else if (a.rounds[i] > b.rounds[j])
      ++j;
    else
      differences.push_back(std::log(a.visits_ns[i++]) - std::log(b.visits_ns[j++]));
  }
  Paired result;
  result.pairs = differences.size();
  if (differences.empty()) return result;
  result.mean = std::accumulate(differences.begin(), differences.end(), 0.0) /
                static_cast<double>(differences.size());
  for (const double d : differences) result.square_sum += (d - result.mean) * (d - result.mean);
  std::sort(differences.begin(), differences.end());
  result.sorted = std::move(differences);
  return result;
}

class Racing {
 public:
  Racing(Bench &bench, const std::vector<EndState> &start, const RaceOptions &options,
         const std::function<void(const RaceProgress &)> &progress)
      : bench_(bench), options_(options), progress_(progress), random_(options.seed) {
    result_.delta = options.delta;
    result_.racers.resize(start.size());
    time_ns_.resize(start.size());
    allowance_.resize(start.size(), 1.0);
    for (std::size_t i = 0; i < start.size(); ++i) {
      result_.racers[i].state = start[i];
      if (start[i] == EndState::not_tested) alive_.push_back(i);
    }
    count_ = std::max<std::size_t>(alive_.size(), 2);
  }

  RaceResult run() {
    if (bench_.coarse()) return run_coarse();
    if (first_round()) rounds();
    return finish();
  }

 private:
  /// Bound factor for a comparison after `pairs` rounds: Student's t at the budget of one pair in
  /// one look.
  double factor(std::size_t pairs) const {
    const double r = static_cast<double>(pairs);
    const double level = options_.delta / (static_cast<double>(count_) * r * (r + 1.0));
    const boost::math::students_t distribution(r - 1.0 + prior_weight);
    return boost::math::quantile(boost::math::complement(distribution, level));
  }

  double half_width(const Paired &pair) const {
    const double degrees = static_cast<double>(pair.pairs) - 1.0;
    const double variance =
        (pair.square_sum + prior_weight * pooled_variance_) / (degrees + prior_weight);
    return factor(pair.pairs) * std::sqrt(variance / static_cast<double>(pair.pairs));
  }

  /// Lower bound of the median difference by ranks alone: no variance in it, so that a few visits
  /// which another process made ten times longer do not hide a difference that all of them show.
  double rank_bound(const Paired &pair) const {
    double tail =
        std::pow(0.5, static_cast<double>(pair.pairs));  // P(no difference below the median)
    if (pair.pairs < min_pairs || tail > options_.delta)
      return -std::numeric_limits<double>::infinity();
    std::size_t rank = 0;
    double term = tail;
    for (std::size_t k = 1; k < pair.pairs; ++k) {
      term *= static_cast<double>(pair.pairs - k + 1) / static_cast<double>(k);
      tail += term;
      if (tail > options_.delta) break;
      rank = k;
    }
    return pair.sorted[rank];
  }

  /// The median of the pairs' variances: one candidate whose threads fight for cores must not make
  /// all others look as noisy as itself, or a default 300 times slower is never shown to be slower.
  void pool_variance(std::size_t leader) {
    std::vector<double> variances;
    for (const std::size_t i : alive_) {
      if (i == leader) continue;
      const Paired pair = paired(result_.racers[i], result_.racers[leader]);
      if (pair.pairs < 2) continue;
      // The median of a variance from few pairs lies below its mean, far below for two.
      const double degrees = static_cast<double>(pair.pairs) - 1.0;
      const boost::math::chi_squared distribution(degrees);
      variances.push_back(pair.square_sum / boost::math::median(distribution));
    }
    const double floor = floor_deviation * floor_deviation;
    pooled_variance_ = variances.empty() ? floor : std::max(median_of(std::move(variances)), floor);
  }

  bool out_of_time() {
    if (bench_.should_stop())
      result_.stop_reason = "cancelled";
    else if (options_.deadline_ns != 0 && bench_.now_ns() >= options_.deadline_ns)
      result_.stop_reason = "deadline";
    return !result_.stop_reason.empty();
  }

  void fail(std::size_t candidate, EndState state, const ErrorText &error) {
    const bool had_raced = result_.racers[candidate].state == EndState::measured;
    result_.racers[candidate].state = state;
    result_.racers[candidate].error = error;
    alive_.erase(std::remove(alive_.begin(), alive_.end(), candidate), alive_.end());
    if (had_raced) revive();
  }

  /// Who left because of a candidate that then failed was beaten by nobody: all come back, but for
  /// those far behind the best that remains.
  void revive() {
    double best = std::numeric_limits<double>::infinity();
    for (const Racer &racer : result_.racers) {
      if (racer.state == EndState::measured) best = std::min(best, racer.samples_ns.front());
    }
    for (std::size_t i = 0; i < result_.racers.size(); ++i) {
      Racer &racer = result_.racers[i];
      if (racer.state != EndState::measured || !racer.eliminated) continue;
      if (i != options_.default_candidate && racer.samples_ns.front() > cut_ratio * best) continue;
      racer.eliminated = false;
      alive_.push_back(i);
    }
    default_bound_.reset();
  }

  static bool usable(const std::vector<double> &times) {
    return !times.empty() && std::all_of(times.begin(), times.end(),
                                         [](double t) { return std::isfinite(t) && t > 0.0; });
  }

  /// False if the candidate ended.
  bool visit(std::size_t candidate, unsigned samples, std::vector<double> &times) {
    const std::int64_t begun = bench_.now_ns();
    times.clear();
    // A timer that reads nothing now and then must not cost a candidate that it hits in a visit of
    // one window.
    for (int trial = 1; trial <= visit_trials && !usable(times); ++trial) {
      try {
        times = bench_.visit(candidate, samples).samples_ns;
      } catch (const VisitFailed &failed) {
        if (failed.error().status == BENCH_ERROR_INTERNAL && trial < visit_trials) continue;
        fail(candidate, failed.state(), failed.error());
        return false;
      }
    }
    time_ns_[candidate] += bench_.now_ns() - begun;
    if (!usable(times)) {
      fail(candidate, EndState::non_finite,
           {BENCH_ERROR_INTERNAL, "a window read no positive time", "race",
            "the timer of this device is too coarse for single launches of this kernel, or its "
            "work is not on the stream",
            0, ""});
      return false;
    }
    result_.racers[candidate].state = EndState::measured;
    return true;
  }

  std::vector<std::size_t> shuffled() {
    std::vector<std::size_t> order(alive_);
    // By hand: std::shuffle differs between libraries, and a seed should give one order everywhere.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    return order;
  }

  /// One warm sample each; what is far behind leaves at once.
  bool first_round() {
    std::vector<double> warm(result_.racers.size(), 0.0);
    double best = 0.0;
    for (const std::size_t candidate : shuffled()) {
      if (out_of_time()) return false;
      std::vector<double> times;
      if (!visit(candidate, 1, times)) continue;
      warm[candidate] = times[0];
      result_.racers[candidate].samples_ns.push_back(times[0]);
      result_.racers[candidate].visits_ns.push_back(times[0]);
      result_.racers[candidate].rounds.push_back(0);
      if (best == 0.0 || times[0] < best) best = times[0];
      report(0);
    }
    for (const std::size_t candidate : std::vector<std::size_t>(alive_)) {
      if (candidate != options_.default_candidate && warm[candidate] > cut_ratio * best)
        drop(candidate);
    }
    return true;
  }

  void drop(std::size_t candidate) {
    result_.racers[candidate].eliminated = true;
    alive_.erase(std::remove(alive_.begin(), alive_.end(), candidate), alive_.end());
  }

  void report(std::uint32_t round) const {
    if (progress_) progress_({round, alive_.size(), result_.racers.size()});
  }

  bool capped(std::size_t candidate) const {
    const Racer &racer = result_.racers[candidate];
    return racer.samples_ns.size() >= options_.max_samples_per_candidate ||
           (racer.visits_ns.size() >= min_visits_before_time_cap &&
            time_ns_[candidate] >=
                allowance_[candidate] * double(options_.max_time_per_candidate_ns));
  }

  /// Fewer samples a visit where each is long: what bounds need is visits, and a slow candidate
  /// (the default above all) would be at its time cap after two of them.
  unsigned samples_per_visit(std::size_t candidate, std::uint32_t round) const {
    unsigned wanted = options_.samples_per_visit;
    // Most leave in the first rounds: what they were given is the larger part of the race's time.
    if (round <= single_rounds)
      wanted = 1;
    else if (round <= single_rounds + double_rounds)
      wanted = std::min(2u, wanted);
    return affordable(candidate, wanted);
  }
  unsigned affordable(std::size_t candidate, unsigned wanted) const {
    const double fit = long_visit_ns / result_.racers[candidate].samples_ns.front();
    if (fit >= wanted) return wanted;
    return fit > 1.0 ? static_cast<unsigned>(fit) : 1u;
  }

  /// What is reported is a median over windows: so is what ranks, by an estimator of it that a few
  /// samples more or less do not throw from one mode of the times into the other.
  double level(std::size_t candidate) { return median_(result_.racers[candidate].samples_ns); }

  std::optional<std::size_t> leader() {
    std::optional<std::size_t> best;
    double best_level = 0.0;
    std::size_t most = 0;
    for (const std::size_t i : alive_) most = std::max(most, result_.racers[i].visits_ns.size());
    most = std::min(most, 2 * min_visits_before_time_cap);
    for (const std::size_t i : alive_) {
      // Fewer visits than half of the others': too few to lead, but never for ever, or one that
      // comes back could not pass a leader that is at its cap.
      if (result_.racers[i].visits_ns.empty() || result_.racers[i].visits_ns.size() * 2 < most)
        continue;
      const double here = level(i);
      if (!best || here < best_level) best = i, best_level = here;
    }
    return best;
  }

  void rounds() {
    std::uint32_t round = 1;
    do {
      result_.stop_reason.clear();
      for (; result_.stop_reason.empty(); ++round) run_round(round);
    } while (reconsider(round));
  }

  void run_round(std::uint32_t round) {
    if (alive_.size() <= 1) {
      // Measured all the same: what is reported needs more than one warm sample.
      if (!alive_.empty() && result_.racers[alive_[0]].visits_ns.empty())
        visit_round(round, shuffled());
      if (result_.stop_reason.empty())
        result_.stop_reason = alive_.empty() ? "no valid configuration" : "one left";
      return;
    }
    if (!(round == 1 ? first_paired_round() : visit_round(round, shuffled()))) return;
    report(round);
    judge();
  }

  /// Whoever left was beaten by what the leader seemed to be then. True if somebody who looks
  /// better than what it is now came back, so that the race goes on.
  bool reconsider(std::uint32_t &round) {
    if (result_.stop_reason == "cancelled" || result_.stop_reason == "deadline" ||
        reconsidered_ == reconsiderations)
      return false;
    ++reconsidered_;
    const auto best = leader();
    if (!best) return false;
    const std::string reason = std::exchange(result_.stop_reason, "");
    while (result_.racers[*best].visits_ns.size() < min_winner_visits && !capped(*best)) {
      if (out_of_time()) return false;
      if (!visit_once(*best, round++)) return true;  // it failed, and those it had beaten are back
    }
    const double bar = level(*best);
    bool back = false;
    for (std::size_t i = 0; i < result_.racers.size(); ++i) {
      Racer &racer = result_.racers[i];
      if (racer.state != EndState::measured || !racer.eliminated || level(i) >= bar) continue;
      racer.eliminated = false;
      alive_.push_back(i);
      back = true;
      if (i == options_.default_candidate) default_bound_.reset();
    }
    if (!back) result_.stop_reason = reason;
    return back;
  }

  /// The better half of the warm samples is paired first. It tells how noisy a pair is, and with
  /// that the warm sample alone shows many of the others to be far behind.
  bool first_paired_round() {
    std::vector<std::size_t> order(alive_);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return result_.racers[a].samples_ns.front() < result_.racers[b].samples_ns.front();
    });
    const std::size_t half = (order.size() + 1) / 2;
    std::vector<std::size_t> first, rest;
    for (const std::size_t candidate : shuffled()) {
      const auto place = std::find(order.begin(), order.end(), candidate) - order.begin();
      const bool early =
          static_cast<std::size_t>(place) < half || candidate == options_.default_candidate;
      (early ? first : rest).push_back(candidate);
    }
    if (!visit_round(1, first)) return false;
    const auto best = leader();
    if (best && first.size() >= min_first) {
      pool_variance(*best);
      for (const std::size_t i : std::vector<std::size_t>(rest)) {
        const Paired pair = paired(result_.racers[i], result_.racers[*best]);
        if (pair.pairs == 0 || pair.mean < single_margin || pair.mean < half_width(pair)) continue;
        drop(i);
        rest.erase(std::find(rest.begin(), rest.end(), i));
      }
    }
    return rest.empty() || visit_round(1, rest) || result_.stop_reason.empty();
  }

  /// At the time cap many are level that are not alike: the best few of them get more, and then the
  /// best of those, rather than all of them a little.
  bool deepen() {
    if (deepened_ == deepenings || alive_.size() < 2) return false;
    const std::size_t count = deep_count >> deepened_;
    ++deepened_;
    std::vector<std::size_t> order;
    for (const std::size_t i : alive_) {
      if (result_.racers[i].samples_ns.size() < options_.max_samples_per_candidate)
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return level(a) < level(b); });
    if (order.size() > count) order.resize(count);
    // The default too: whether it may be left is the question that the user pays for.
    const std::size_t standard = options_.default_candidate;
    if (std::find(alive_.begin(), alive_.end(), standard) != alive_.end() &&
        std::find(order.begin(), order.end(), standard) == order.end())
      order.push_back(standard);
    for (const std::size_t i : order) allowance_[i] *= deep_allowance;
    return order.size() > 1;
  }

  bool visit_once(std::size_t candidate, std::uint32_t round) {
    std::vector<double> times;
    if (!visit(candidate, samples_per_visit(candidate, round), times)) return false;
    Racer &racer = result_.racers[candidate];
    racer.samples_ns.insert(racer.samples_ns.end(), times.begin(), times.end());
    racer.visits_ns.push_back(median_of(times));
    racer.rounds.push_back(round);
    return true;
  }

  bool visit_round(std::uint32_t round, const std::vector<std::size_t> &order) {
    std::size_t visited = 0;
    for (const std::size_t candidate : order) {
      if (result_.racers[candidate].eliminated) continue;
      if (capped(candidate)) continue;
      if (out_of_time()) return false;
      visited += visit_once(candidate, round);
    }
    if (visited == 0 && deepen()) return true;
    if (visited == 0) {
      bool by_samples = false;
      for (const std::size_t i : alive_)
        by_samples =
            by_samples || result_.racers[i].samples_ns.size() >= options_.max_samples_per_candidate;
      result_.stop_reason = by_samples ? "sample cap" : "time cap";
    }
    return visited > 0;
  }

  void judge() {
    const auto best = leader();
    if (!best) return;
    pool_variance(*best);
    bool all_within = true;
    for (const std::size_t i : std::vector<std::size_t>(alive_)) {
      if (i == *best) continue;
      const Paired pair = paired(result_.racers[i], result_.racers[*best]);
      if (pair.pairs < min_pairs || (pair.pairs < min_close_pairs && pair.mean < close_margin)) {
        all_within = false;
        continue;
      }
      const double half = half_width(pair);
      // The default leaves only for a gain that is proven and worth it.
      const double bar = i == options_.default_candidate ? std::log1p(options_.switch_margin) : 0.0;
      if (pair.mean - half > bar) {
        if (i == options_.default_candidate) default_bound_ = pair.mean - half;
        drop(i);
      } else if (half - pair.mean > options_.eps) {
        all_within = false;
      }
    }
    if (alive_.size() > 1 && all_within && !default_undecided(*best))
      result_.stop_reason = "all within eps";
  }

  /// The default is in the race and a worthwhile gain over it is still possible.
  bool default_undecided(std::size_t best) const {
    const std::size_t standard = options_.default_candidate;
    if (standard == best || std::find(alive_.begin(), alive_.end(), standard) == alive_.end())
      return false;
    const Paired pair = paired(result_.racers[standard], result_.racers[best]);
    return pair.pairs < min_pairs ||
           pair.mean + half_width(pair) > std::log1p(options_.switch_margin);
  }

  RaceResult finish() {
    const auto best = alive_.size() == 1 ? std::optional<std::size_t>(alive_[0]) : leader();
    for (Racer &racer : result_.racers) racer.summary = measure::summarize(racer.samples_ns);
    if (!best || result_.racers[*best].visits_ns.empty()) {
      if (result_.stop_reason.empty()) result_.stop_reason = "no valid configuration";
      return std::move(result_);
    }
    pool_variance(*best);
    std::size_t winner = *best;
    const std::size_t standard = options_.default_candidate;
    if (standard < result_.racers.size() && standard != winner &&
        result_.racers[standard].state == EndState::measured) {
      const Paired pair = paired(result_.racers[standard], result_.racers[winner]);
      if (pair.pairs >= 2 || default_bound_) {
        const double bound = default_bound_
                                 ? *default_bound_
                                 : std::max(pair.mean - half_width(pair), rank_bound(pair));
        // A winner that left early and came back may share no round with a default long gone.
        const double gain =
            pair.pairs >= 2 ? pair.mean : std::log(level(standard)) - std::log(level(winner));
        result_.gain = std::expm1(gain);
        result_.gain_lower_bound = std::expm1(bound);
      }
      if (!result_.gain_lower_bound || *result_.gain_lower_bound <= options_.switch_margin) {
        winner = standard;
        result_.default_kept = true;
      }
    }
    result_.winner = winner;
    collect_ties(winner);
    if (result_.stop_reason != "cancelled") measure_fresh(winner);
    return std::move(result_);
  }

  void collect_ties(std::size_t winner) {
    result_.tie_set.push_back(winner);
    double reached = 0.0;
    bool supported = true;
    for (std::size_t i = 0; i < result_.racers.size(); ++i) {
      const Racer &racer = result_.racers[i];
      if (i == winner || racer.state != EndState::measured) continue;
      if (racer.visits_ns.empty()) continue;  // cut as far behind, or never reached
      const Paired pair = paired(racer, result_.racers[winner]);
      if (pair.pairs < 2) {
        if (!racer.eliminated) supported = false, result_.tie_set.push_back(i);
        continue;
      }
      const double half = half_width(pair);
      if (pair.mean - half <= options_.eps) {
        // Once eliminated, it was shown worse than a leader; the bar for a tie is eps, not zero.
        result_.tie_set.push_back(i);
      }
      if (!racer.eliminated) reached = std::max(reached, half - pair.mean);
    }
    if (supported && result_.racers[winner].visits_ns.size() >= min_pairs)
      result_.eps_reached = std::max(reached, 0.0);
    if (alive_.size() == 1 && supported) result_.eps_reached = std::max(reached, 0.0);
  }

  /// Times that are reported are not those that chose: the chosen one was lucky in them.
  void measure_fresh(std::size_t winner) {
    std::vector<std::size_t> who{winner};
    const std::size_t standard = options_.default_candidate;
    if (standard < result_.racers.size() && standard != winner &&
        result_.racers[standard].state == EndState::measured)
      who.push_back(standard);
    std::vector<std::vector<double>> times(who.size());
    for (unsigned round = 0; round < final_visits; ++round) {
      for (std::size_t w = 0; w < who.size(); ++w) {
        if (options_.deadline_ns != 0 && bench_.now_ns() >= options_.deadline_ns && round > 0)
          continue;
        std::vector<double> fresh;
        try {
          fresh = bench_.visit(who[w], std::max(least_final, affordable(who[w], final_samples)))
                      .samples_ns;
        } catch (const VisitFailed &) {
          return;  // what the race saw stands
        }
        times[w].insert(times[w].end(), fresh.begin(), fresh.end());
      }
    }
    for (std::size_t w = 0; w < who.size(); ++w) {
      result_.racers[who[w]].summary = measure::summarize(times[w]);
      result_.racers[who[w]].fresh = true;
    }
  }

  /// One call each; ranked by median, ties by overlapping intervals.
  RaceResult run_coarse() {
    for (const std::size_t candidate : shuffled()) {
      if (out_of_time()) break;
      std::vector<double> times;
      if (!visit(candidate, options_.max_samples_per_candidate, times)) continue;
      Racer &racer = result_.racers[candidate];
      racer.samples_ns = times;
      racer.summary = measure::summarize(times);
      if (!result_.winner ||
          racer.summary.median_ns < result_.racers[*result_.winner].summary.median_ns)
        result_.winner = candidate;
    }
    if (!result_.winner) {
      if (result_.stop_reason.empty()) result_.stop_reason = "no valid configuration";
      return std::move(result_);
    }
    if (result_.stop_reason.empty()) result_.stop_reason = "one coarse call each";
    const std::size_t standard = options_.default_candidate;
    const auto overlap = [&](std::size_t a, std::size_t b) {
      const auto &x = result_.racers[a].summary, &y = result_.racers[b].summary;
      return !x.interval || !y.interval ||
             (x.interval->lo <= y.interval->hi && y.interval->lo <= x.interval->hi);
    };
    if (standard != *result_.winner && result_.racers[standard].state == EndState::measured &&
        overlap(standard, *result_.winner)) {
      result_.winner = standard;
      result_.default_kept = true;
    }
    result_.tie_set.push_back(*result_.winner);
    for (std::size_t i = 0; i < result_.racers.size(); ++i) {
      if (i != *result_.winner && result_.racers[i].state == EndState::measured &&
          overlap(i, *result_.winner))
        result_.tie_set.push_back(i);
    }
    return std::move(result_);
  }

  Bench &bench_;
  const RaceOptions options_;
  const std::function<void(const RaceProgress &)> &progress_;
  std::mt19937_64 random_;
  measure::SmoothMedian median_;
  RaceResult result_;
  std::vector<std::size_t> alive_;
  std::vector<std::int64_t> time_ns_;
  std::size_t count_ = 2;
  std::vector<double> allowance_;  // of the time cap, one a candidate
  unsigned deepened_ = 0;
  unsigned reconsidered_ = 0;
  double pooled_variance_ = floor_deviation * floor_deviation;
  std::optional<double> default_bound_;
};

}  // namespace

RaceResult race(Bench &bench, const std::vector<EndState> &start, const RaceOptions &options,
                const std::function<void(const RaceProgress &)> &progress) {
  return Racing(bench, start, options, progress).run();
}

}  // namespace bench::tune
