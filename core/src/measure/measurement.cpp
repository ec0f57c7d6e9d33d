// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "measure/engine.hpp"
#include "measure/telemetry.hpp"

namespace bench::measure {
namespace {

// Windows of the other depth behind a slope; the median of five shrugs off two disturbed ones.
constexpr int slope_windows = 5;
// Differences take some milliseconds each, flushes almost all of that: more would make a user wait.
constexpr std::uint32_t most_differences = 44;
// Half an interval: what varies more says less than single windows do. Wide enough that a kernel is
// not measured in one way today and in another tomorrow: the two read a launch's own cost
// differently.
constexpr double loosest_difference = 0.05;
// The median of ten has a deviation of 0.4 of a window's, of 25 of 0.25. Windows of one long launch
// vary more than averages do, and who waits for such kernels has the time.
constexpr double long_launch_ns = 100'000.0;
constexpr std::uint32_t least_long_samples = 25;
// 1.96 * 1.25 / 1.68: the interval's quantile, the median's efficiency, p80 - p20 in deviations.
constexpr double spread_to_interval = 1.46;
// Room made before the first sample, so that none allocates.
constexpr std::uint32_t reserved_samples = 1u << 16;

void note(Measurement &measurement, const std::string &text) {
  measurement.note += (measurement.note.empty() ? "" : "; ") + text;
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Measurement delegated(Session &session, const bench_callable_v1 &callable,
                      const bench_config_v1 *config, const std::function<bool()> &should_stop) {
  const Policy &policy = session.policy();
  Measurement measurement;
  measurement.samples.resize(policy.max_samples);
  bench_params_v1 params{};
  params.struct_size = sizeof params;
  params.cache = policy.cache == CachePolicy::cold ? BENCH_CACHE_COLD : BENCH_CACHE_HOT;
  params.warmup_launches = 3;
  params.min_samples = policy.min_samples;
  params.max_samples = policy.max_samples;
  params.launches_per_sample = policy.isolated ? 1 : 0;
  params.deadline_ns = session.clock().now_ns() + policy.max_time_ns;
  params.should_stop = [](void *user) -> std::int32_t {
    const auto &stop = *static_cast<const std::function<bool()> *>(user);
    return stop && stop() ? 1 : 0;
  };
  params.should_stop_user = const_cast<std::function<bool()> *>(&should_stop);
  bench_result_v1 result{};
  result.struct_size = sizeof result;
  result.samples = measurement.samples.data();
  result.capacity = policy.max_samples;
  const bench_status status = session.delegate(callable, config, params, result);
  measurement.samples.resize(result.written);
  measurement.method = result.method;
  measurement.flags = result.flags;
  measurement.resolution_ns = result.resolution_ns;
  measurement.floor_ns = result.floor_ns;
  measurement.flush_bytes = result.flush_bytes;
  measurement.note.assign(result.note, ::strnlen(result.note, sizeof result.note));
  measurement.stop_reason = status == BENCH_ERROR_CANCELLED        ? StopReason::cancelled
                            : status == BENCH_ERROR_TIMEOUT        ? StopReason::deadline
                            : session.coarse()                     ? StopReason::coarse
                            : result.written >= policy.max_samples ? StopReason::max_samples
                                                                   : StopReason::precise;
  std::vector<double> times;
  for (const bench_sample_v1 &sample : measurement.samples) {
    if (usable(sample)) times.push_back(sample.elapsed_ns / sample.launches);
    measurement.launches_per_window = std::max(measurement.launches_per_window, sample.launches);
  }
  measurement.summary = summarize(times);
  measurement.cost = session.cost();
  return measurement;
}

void qualify(Session &session, const bench_callable_v1 &callable, const bench_config_v1 *config,
             Measurement &measurement) {
  const Qualification qualified = session.qualify(callable, config);
  if (qualified.unjoined) {
    measurement.flags |= BENCH_RESULT_UNJOINED;
    note(measurement, "work went to a stream that is not joined: the time is too short");
  }
  if (qualified.nothing_enqueued) {
    measurement.flags |= BENCH_RESULT_NOTHING_ENQUEUED;
    note(measurement, "the launches left nothing on the stream");
  }
  const Timer &timer = session.timer();
  if (timer.coarse) note(measurement, "the timer stood still over every empty window");
  if (timer.negatives > 0) {
    note(measurement, "the timer ran backwards in " + std::to_string(timer.negatives) + " of " +
                          std::to_string(timer.readings) + " empty windows");
  }
}

/// Looks at the device's state between blocks of samples, and marks those of a block at whose end
/// something held the clock down.
class StateWatch {
 public:
  StateWatch(Session &session, std::vector<bench_sample_v1> &samples)
      : session_(session), samples_(samples), looked_ns_(session.clock().now_ns()) {}
  void after_sample() {
    const std::int64_t now_ns = session_.clock().now_ns();
    if (now_ns - looked_ns_ < block_ns) return;
    const std::uint32_t throttle = session_.throttle() & ~std::uint32_t{BENCH_THROTTLE_IDLE};
    for (; seen_ < samples_.size(); ++seen_)
      if (throttle) samples_[seen_].flags |= BENCH_SAMPLE_THROTTLED;
    reasons_ |= throttle;
    looked_ns_ = session_.clock().now_ns();
  }
  std::uint32_t reasons() const { return reasons_; }

 private:
  // Drivers renew what they tell every 20 to 100 ms, and a look costs a millisecond in which the
  // device idles: shorter measurements are over before there is anything to see.
  static constexpr std::int64_t block_ns = 100'000'000;
  Session &session_;
  std::vector<bench_sample_v1> &samples_;
  std::size_t seen_ = 0;
  std::int64_t looked_ns_;
  std::uint32_t reasons_ = 0;
};

/// Windows until `rule` or a limit ends it. At least one: a measurement has an answer.
StopReason take_samples(Session &session, const bench_callable_v1 &callable,
                        const bench_config_v1 *config, StopRule &rule, Measurement &measurement,
                        const std::function<bool()> &should_stop) {
  StateWatch watch(session, measurement.samples);
  std::optional<StopReason> reason;
  while (!reason) {
    const bench_sample_v1 sample =
        session.window(callable, config, measurement.launches_per_window);
    measurement.samples.push_back(sample);
    if (usable(sample)) rule.add(sample.elapsed_ns / sample.launches);
    watch.after_sample();
    reason = rule.decide();
    if (!reason && should_stop && should_stop()) reason = StopReason::cancelled;
    if (!reason && session.expired()) reason = StopReason::deadline;
  }
  if (watch.reasons() != 0) {
    std::string names;
    for (const std::string &name : throttle_names(watch.reasons()))
      names += (names.empty() ? "" : ", ") + name;
    note(measurement, "the device's clock was held down meanwhile: " + names);
  }
  return *reason;
}

/// From windows of half as many launches: those of twice as many would take four times as long to
/// record and to run.
std::optional<double> measure_slope(Session &session, const bench_callable_v1 &callable,
                                    const bench_config_v1 *config, const Measurement &measurement) {
  const std::uint32_t launches = measurement.launches_per_window;
  const std::uint32_t others = launches / 2;
  if (others == 0 || session.method(callable, others) != measurement.method) return std::nullopt;
  std::vector<double> elapsed_ns;
  for (int i = 0; i < slope_windows && !session.expired(); ++i) {
    const bench_sample_v1 sample = session.window(callable, config, others);
    if (usable(sample)) elapsed_ns.push_back(sample.elapsed_ns);
  }
  if (elapsed_ns.empty() || measurement.summary.samples == 0) return std::nullopt;
  const double slope = (median_of(elapsed_ns) - measurement.summary.median_ns * launches) /
                       (static_cast<double>(others) - launches);
  return slope > 0.0 ? std::optional(slope) : std::nullopt;
}

/// What is wrong with samples, in words; `wrap_ns` of the timer.
void note_faults(Measurement &measurement, double wrap_ns) {
  std::size_t rejected = 0, coarse = 0, floor = 0, by_host = 0, throttled = 0;
  for (const bench_sample_v1 &sample : measurement.samples) {
    rejected += !usable(sample);
    coarse += (sample.flags & BENCH_SAMPLE_TIMER_COARSE) != 0;
    floor += (sample.flags & BENCH_SAMPLE_BELOW_FLOOR) != 0;
    throttled += (sample.flags & BENCH_SAMPLE_THROTTLED) != 0;
    by_host += wrap_ns > 0.0 && static_cast<double>(sample.end_ns - sample.start_ns) >= wrap_ns;
  }
  const std::string all = " of " + std::to_string(measurement.samples.size()) + " windows";
  if (rejected) note(measurement, "the timer ran backwards in " + std::to_string(rejected) + all);
  if (by_host) {
    note(measurement,
         "longer than the timer's wrap and timed by the host: " + std::to_string(by_host) + all);
    measurement.method = BENCH_METHOD_HOST;
  }
  if (coarse) note(measurement, "under 1000 timer steps: " + std::to_string(coarse) + all);
  if (throttled) note(measurement, "under a lowered clock: " + std::to_string(throttled) + all);
  if (floor) note(measurement, "not longer than an empty window: " + std::to_string(floor) + all);
}

/// All of it with one method. Throws SteppedDown when that has to change.
Measurement measure_once(Session &session, const bench_callable_v1 &callable,
                         const bench_config_v1 *config, const std::function<bool()> &should_stop) {
  const Policy &policy = session.policy();
  Measurement measurement;
  qualify(session, callable, config, measurement);
  const std::uint32_t launches = session.choose_launches(callable, config);
  session.warm_up(callable, config, launches);
  measurement.launches_per_window = launches;
  measurement.resolution_ns = session.timer().resolution_ns;
  measurement.floor_ns = session.timer().floor_ns;
  measurement.flush_bytes = session.flush_bytes();
  // The probe that would prove coldness needs a kernel of known traffic.
  if (policy.cache == CachePolicy::cold) measurement.flags |= BENCH_RESULT_CACHE_UNPROVEN;
  const bool difference = session.takes_difference(callable, launches);
  const std::uint32_t most =
      difference ? std::min(policy.max_samples, most_differences) : policy.max_samples;
  const bool is_long = launches == 1 && session.last_window_ns() > long_launch_ns;
  const std::uint32_t least =
      is_long ? std::max(policy.min_samples, least_long_samples) : policy.min_samples;
  StopRule rule(policy.relative_half_width, std::min(least, most), most);
  measurement.samples.reserve(std::min(most, reserved_samples));
  const std::uint32_t host_bound_before = session.host_bound_windows();
  measurement.stop_reason = take_samples(session, callable, config, rule, measurement, should_stop);
  const std::size_t host_bound = session.host_bound_windows() - host_bound_before;
  if (host_bound > measurement.samples.size() / 2) {
    measurement.flags |= BENCH_RESULT_HOST_BOUND;
    note(measurement, "enqueuing took as long as the work: the host may be what was measured");
  }
  measurement.summary = rule.summary();
  const Summary &summary = measurement.summary;
  const bool full = measurement.stop_reason == StopReason::max_samples ||
                    measurement.stop_reason == StopReason::plateau;
  // From the spread, since an interval may have been withheld: of a normal sample the median's
  // interval is so many times p80 - p20 over the root of its size.
  const double half_width =
      spread_to_interval * (summary.p80_ns - summary.p20_ns) /
      std::sqrt(static_cast<double>(std::max<std::uint64_t>(summary.samples, 1)));
  if (difference && full && !(half_width <= loosest_difference * summary.median_ns)) {
    session.forbid_cold_graphs("the interval of differences of cold graphs is wider than 5 %");
    throw SteppedDown();
  }
  measurement.method = session.method(callable, launches);
  const bool hot = policy.cache == CachePolicy::hot;
  if (hot && launches > 1 && measurement.stop_reason != StopReason::cancelled)
    measurement.slope_ns = measure_slope(session, callable, config, measurement);
  return measurement;
}

}  // namespace

Measurement measure(Session &session, const bench_callable_v1 &callable,
                    const bench_config_v1 *config, const std::function<bool()> &should_stop) {
  Clock &clock = session.clock();
  const std::int64_t begun = clock.now_ns();
  const Cost before = session.cost();
  if (session.delegates()) {
    Measurement measurement = delegated(session, callable, config, should_stop);
    if (measurement.summary.samples == 0 && measurement.stop_reason != StopReason::cancelled) {
      throw Failure(BENCH_ERROR_INTERNAL, "the plugin's do_bench returned no usable sample",
                    "do_bench",
                    "set the policy to the core's engine, and report this to the plugin's vendor");
    }
    return measurement;
  }
  // The session may live on, for visits that have no deadline of their own.
  struct NoDeadline {
    Session &session;
    ~NoDeadline() { session.set_deadline(0); }
  } const no_deadline{session};
  RestoreGuard restore(callable, config, session);
  Measurement measurement = with_step_downs(session, [&] {
    // Each method gets the whole time: a watchdog's patience must not leave the next one without.
    session.set_deadline(clock.now_ns() + session.policy().max_time_ns);
    return measure_once(session, callable, config, should_stop);
  });
  restore.run();
  if (session.stepped_down()) measurement.flags |= BENCH_RESULT_STEPPED_DOWN;
  if (const std::string why = session.method_note(); !why.empty()) note(measurement, why);
  note_faults(measurement, session.timer_wrap_ns());
  if (measurement.summary.samples == 0) {
    throw Failure(BENCH_ERROR_INTERNAL, "no usable sample: " + measurement.note, "measuring engine",
                  "report this to the plugin's vendor");
  }
  measurement.cost = session.cost() - before;
  const Cost &cost = measurement.cost;
  measurement.cost.idle_ns = std::max<std::int64_t>(
      0, clock.now_ns() - begun - cost.warmup_ns - cost.flush_ns - cost.timed_ns);
  return measurement;
}

Measurement measure(const Target &target, const bench_stream_v1 *stream,
                    const bench_callable_v1 &callable, const bench_config_v1 *config,
                    const Policy &policy, Clock &clock, const std::function<bool()> &should_stop) {
  Session session(target, stream, policy, clock);
  return measure(session, callable, config, should_stop);
}

}  // namespace bench::measure
