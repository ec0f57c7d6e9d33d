// SPDX-License-Identifier: Apache-2.0
// What has to be known before anything is timed: the timer, the callable, the depth of a window,
// and that the device is warm.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "measure/engine.hpp"
#include "measure/ladder.hpp"
#include "measure/limits.hpp"

namespace bench::measure {
namespace {

constexpr int empty_windows = 33;
// Readings after which a timer that shows no time passing is called coarse.
constexpr int max_timer_readings = 20'000;
// Flushes and launches in one graph: enough that the timer's step is small in the difference, few
// enough that the flushes, which take most of the time, vary little.
constexpr std::uint32_t cold_pairs = 20;
// Longer windows average away what the stop rule wants to see, and outlast a scheduler's time
// slice.
constexpr double longest_batch_ns = 2e6;
// An interrupted calibration reads ten times too long; the smallest of several is not interrupted.
constexpr int calibration_repeats = 5;
// Only what is far longer needs no second look: the first windows of a cold kernel read too long.
constexpr double certain_windows = 20.0;
constexpr double least_growth = 1.2;
constexpr double first_growth = 10.0;
constexpr double most_growth = 100.0;
constexpr double growth_margin = 1.05;
// Windows are flat when this many in a row lie within 2 %.
constexpr int flat_windows = 3;
constexpr double flat_spread = 0.02;
// One launch that reads no more than this many floors may be nothing at all; many launches tell.
constexpr double nothing_suspect_floors = 4.0;
constexpr std::uint32_t nothing_probe_launches = 32;
// Empty windows vary by a few per cent. Launches of an empty kernel or function take far more than
// this.
constexpr double nothing_floors = 1.25;
// Host time that the device may still be busy after its stream, before it counts as unjoined work.
constexpr std::int64_t unjoined_slack_ns = 50'000;
constexpr std::int64_t certain_work_ns = 1'000'000;
// Once is chance: another process may have held the core.
constexpr int qualify_trials = 2;

}  // namespace

double Session::empty_window() {
  bench_sample_v1 sample{};
  bool from_callback = false;
  ladder_->prepare(nullptr, nullptr, 0, from_callback);
  const WindowFault fault = ladder_->run(nullptr, nullptr, 0, sample, error_);
  check(fault.status, fault.step);
  ++timer_.readings;
  const bool backwards = !(sample.elapsed_ns >= 0.0) || (sample.flags & BENCH_SAMPLE_NEGATIVE);
  timer_.negatives += backwards;
  timer_.zeros += sample.elapsed_ns == 0.0;
  return backwards || !std::isfinite(sample.elapsed_ns) ? 0.0 : sample.elapsed_ns;
}

void Session::qualify_timer() {
  if (ladder_->profiles()) return;  // it reads no timer of ours
  std::vector<double> readings;
  empty_window();  // the first pays for lazy set-up
  timer_ = {};
  for (int i = 0; i < empty_windows; ++i) readings.push_back(empty_window());
  std::sort(readings.begin(), readings.end());
  timer_.floor_ns = readings[readings.size() / 2];
  double step = 0.0;
  const auto consider = [&](double candidate) {
    if (candidate > 0.0 && (step == 0.0 || candidate < step)) step = candidate;
  };
  for (std::size_t i = 1; i < readings.size(); ++i) consider(readings[i] - readings[i - 1]);
  // Readings that are all alike bound the step from above only: a perfect timer over constant
  // windows would pass for one as coarse as the floor.
  if (step == 0.0 && readings.front() > 0.0)
    step = target_.timer_resolution_ns > 0.0
               ? std::min(target_.timer_resolution_ns, readings.front())
               : readings.front();
  else
    consider(readings.front());
  for (int i = 0; step == 0.0 && i < max_timer_readings; ++i) consider(empty_window());
  timer_.resolution_ns = step;
  timer_.coarse = step == 0.0;
}

Qualification Session::qualify(const bench_callable_v1 &callable, const bench_config_v1 *config) {
  Qualification result;
  if (delegates_) return result;
  const std::int64_t begun = clock_.now_ns();
  const Cost before = cost_;
  const bool repeatable = callable.flags & BENCH_CALLABLE_REPEATABLE;
  launch_untimed(callable, config, 1);  // lazy loading and first-touch costs end here
  // What others left on the device is not this callable's.
  check(target_.api->device_synchronize(target_.instance, target_.device, &error_),
        "device_synchronize");
  int trials = 0, unjoined = 0, synchronous = 0;
  std::int64_t working_ns = 0;
  // One trial of a long launch tells enough, and a second costs as much as a measurement.
  for (; trials < qualify_trials && !(trials > 0 && is_long(result.launch_ns)) && !expired();
       ++trials) {
    if (!repeatable) {
      call(callable.prepare, callable, config, "prepare");
      synchronize();
    }
    const std::int64_t start = clock_.now_ns();
    call(callable.launch, callable, config, "launch");
    const std::int64_t returned = clock_.now_ns();
    call(callable.wait, callable, config, "wait");
    synchronize();
    const std::int64_t stream_done = clock_.now_ns();
    check(target_.api->device_synchronize(target_.instance, target_.device, &error_),
          "device_synchronize");
    const std::int64_t device_done = clock_.now_ns();
    last_work_ns_ = device_done;
    const std::int64_t took = stream_done - start;
    if (result.launch_ns == 0 || took < result.launch_ns) result.launch_ns = took;
    working_ns = std::max(working_ns, stream_done - returned);
    unjoined += device_done - stream_done > std::max(unjoined_slack_ns, (stream_done - start) / 5);
    synchronous += returned - start > (stream_done - start) * 9 / 10;
  }
  result.unjoined = trials > 0 && unjoined == trials;
  result.synchronous = trials > 0 && synchronous == trials;
  // A stream that worked long after the launch had returned has had something to do.
  if (repeatable && policy_.cache == CachePolicy::hot && working_ns < certain_work_ns &&
      !expired()) {
    const double suspect = nothing_suspect_floors * timer_.floor_ns + timer_.resolution_ns;
    if (policy_.method != Method::profiler && window(callable, config, 1).elapsed_ns <= suspect) {
      const bench_sample_v1 many = window(callable, config, nothing_probe_launches);
      result.nothing_enqueued =
          many.elapsed_ns <= nothing_floors * timer_.floor_ns + timer_.resolution_ns;
    }
  }
  cost_ = before;  // what qualifies is not what is timed
  cost_.warmup_ns += clock_.now_ns() - begun;
  return result;
}

std::uint32_t Session::choose_launches(const bench_callable_v1 &callable,
                                       const bench_config_v1 *config) {
  const bool cold = policy_.cache == CachePolicy::cold;
  const bool single = policy_.isolated || delegates_ || policy_.method == Method::profiler ||
                      !(callable.flags & BENCH_CALLABLE_REPEATABLE) ||
                      (cold && !(cold_graphs_ && ladder_->records(callable)));
  if (single || expired()) return 1;
  const std::int64_t begun = clock_.now_ns();
  const Cost before = cost_;
  const std::uint32_t launches =
      cold ? choose_cold_launches(callable, config) : choose_hot_launches(callable, config);
  cost_ = before;
  cost_.warmup_ns += clock_.now_ns() - begun;
  return launches;
}

std::uint32_t Session::choose_hot_launches(const bench_callable_v1 &callable,
                                           const bench_config_v1 *config) {
  const double wanted =
      std::max(floors_per_window * timer_.floor_ns, steps_per_window * timer_.resolution_ns);
  const double target = std::min(std::max(wanted, 1.0), longest_batch_ns);
  std::uint32_t launches = 1, before_launches = 0;
  double before_ns = 0.0;
  for (;;) {
    const double best = shortest_window(callable, config, launches, certain_windows * target);
    const std::uint32_t deepest = ladder_->deepest(callable);
    if (best >= target || launches >= deepest || expired()) break;
    // A first window is mostly floor; from the second on two depths tell what a launch adds.
    const double added = (best - before_ns) / (launches - before_launches);
    const double next =
        before_launches > 0 && added > 0.0
            ? launches + (target - best) / added * growth_margin
            : launches * (best > 0.0 ? target / best * growth_margin : first_growth);
    const double growth = before_launches > 0 ? most_growth : first_growth;
    before_launches = launches;
    before_ns = best;
    launches = static_cast<std::uint32_t>(
        std::ceil(std::clamp(next, std::min(launches * least_growth, double(deepest)),
                             std::min(launches * growth, double(deepest)))));
  }
  return launches;
}

std::uint32_t Session::choose_cold_launches(const bench_callable_v1 &callable,
                                            const bench_config_v1 *config) {
  const double single_enough = floors_per_window * timer_.floor_ns;
  const double shortest = shortest_window(callable, config, 1, certain_windows * single_enough);
  // A launch that is long beside the window's own cost is read best by itself.
  return shortest >= single_enough || expired() ? 1 : cold_pairs;
}

double Session::shortest_window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                std::uint32_t launches, double enough_ns) {
  double best = 0.0;
  for (int i = 0; i < calibration_repeats && !(i > 0 && expired()); ++i) {
    const bench_sample_v1 sample = window(callable, config, launches);
    // A reading of no time must not ask for ever more launches.
    if (!usable(sample) || sample.elapsed_ns <= 0.0) continue;
    if (best == 0.0 || sample.elapsed_ns < best) best = sample.elapsed_ns;
    if (best >= enough_ns && i > 0) break;
  }
  return best;
}

void Session::warm_up(const bench_callable_v1 &callable, const bench_config_v1 *config,
                      std::uint32_t launches) {
  if (delegates_) return;
  const std::int64_t begun = clock_.now_ns();
  const Cost before = cost_;
  std::vector<double> recent;
  while (!expired() && clock_.now_ns() - begun < policy_.max_warmup_ns) {
    recent.push_back(window(callable, config, launches).elapsed_ns);
    if (recent.size() < flat_windows) continue;
    const auto [low, high] = std::minmax_element(recent.end() - flat_windows, recent.end());
    if (*high <= *low * (1.0 + flat_spread)) break;
  }
  cost_ = before;
  cost_.warmup_ns += clock_.now_ns() - begun;
}

}  // namespace bench::measure
