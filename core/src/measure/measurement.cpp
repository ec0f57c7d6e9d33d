// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "measure/engine.hpp"

namespace bench::measure {
namespace {

// Pairs of windows behind a slope; the median of five shrugs off two disturbed ones.
constexpr int slope_pairs = 5;

void note(Measurement &measurement, const std::string &text) {
  measurement.note += (measurement.note.empty() ? "" : "; ") + text;
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// A sample that statistics may rest on.
bool usable(const bench_sample_v1 &sample) {
  return std::isfinite(sample.elapsed_ns) && !(sample.flags & BENCH_SAMPLE_NEGATIVE) &&
         sample.launches > 0;
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

}  // namespace

Measurement measure(const Target &target, const bench_stream_v1 *stream,
                    const bench_callable_v1 &callable, const bench_config_v1 *config,
                    const Policy &policy, Clock &clock, const std::function<bool()> &should_stop) {
  const std::int64_t begun = clock.now_ns();
  const std::int64_t deadline = begun + policy.max_time_ns;
  Session session(target, stream, policy, clock);
  if (session.delegates()) {
    Measurement measurement = delegated(session, callable, config, should_stop);
    if (measurement.summary.samples == 0 && measurement.stop_reason != StopReason::cancelled) {
      throw Failure(BENCH_ERROR_INTERNAL, "the plugin's do_bench returned no usable sample",
                    "do_bench",
                    "set the policy to the core's engine, and report this to the plugin's vendor");
    }
    return measurement;
  }
  RestoreGuard restore(callable, config, session.stream());
  Measurement measurement;
  const Qualification qualified = session.qualify(callable, config);
  if (qualified.unjoined) {
    measurement.flags |= BENCH_RESULT_UNJOINED;
    note(measurement, "work went to a stream that is not joined: the time is too short");
  }
  if (qualified.nothing_enqueued) {
    measurement.flags |= BENCH_RESULT_NOTHING_ENQUEUED;
    note(measurement, "the launches left nothing on the stream");
  }
  const std::uint32_t launches = session.choose_launches(callable, config);
  session.warm_up(callable, config, launches);
  measurement.launches_per_window = launches;
  measurement.method = session.method(launches);
  measurement.resolution_ns = session.timer().resolution_ns;
  measurement.floor_ns = session.timer().floor_ns;
  if (policy.cache == CachePolicy::cold) {
    // The probe that would prove coldness needs a kernel of known traffic: see flags.
    measurement.flags |= BENCH_RESULT_CACHE_UNPROVEN;
  }
  StopRule rule(policy.relative_half_width, policy.min_samples, policy.max_samples);
  measurement.samples.reserve(policy.max_samples);
  std::uint32_t unusable = 0;
  for (;;) {
    const bench_sample_v1 sample = session.window(callable, config, launches);
    measurement.samples.push_back(sample);
    if (usable(sample))
      rule.add(sample.elapsed_ns / launches);
    else
      ++unusable;
    if (const auto reason = rule.decide()) {
      measurement.stop_reason = *reason;
      break;
    }
    if (measurement.samples.size() >= policy.max_samples) {
      measurement.stop_reason = StopReason::max_samples;
      break;
    }
    if (should_stop && should_stop()) {
      measurement.stop_reason = StopReason::cancelled;
      break;
    }
    if (clock.now_ns() >= deadline) {
      measurement.stop_reason = StopReason::deadline;
      break;
    }
  }
  if (unusable)
    note(measurement, std::to_string(unusable) + " samples were rejected: the timer ran backwards");
  if (launches > 1 && clock.now_ns() < deadline) {
    std::vector<double> slopes;
    for (int i = 0; i < slope_pairs; ++i) {
      const double one = session.window(callable, config, launches).elapsed_ns;
      const double two = session.window(callable, config, 2 * launches).elapsed_ns;
      slopes.push_back((two - one) / launches);
    }
    const double slope = median_of(slopes);
    if (slope > 0.0) measurement.slope_ns = slope;
  }
  bench_error_v1 error = error_struct();
  const bench_status restored = restore.run(&error);
  if (restored != BENCH_OK) throw Failure(restored, error, "restore");
  measurement.flush_bytes = session.flush_bytes();
  measurement.summary = rule.summary();
  measurement.cost = session.cost();
  const Cost &cost = measurement.cost;
  measurement.cost.idle_ns = std::max<std::int64_t>(
      0, clock.now_ns() - begun - cost.warmup_ns - cost.flush_ns - cost.timed_ns);
  return measurement;
}

bench_status engine_do_bench(const Target &target, const bench_stream_v1 *stream,
                             const bench_callable_v1 &callable, const bench_config_v1 *config,
                             const bench_params_v1 &params, bench_result_v1 &result,
                             bench_error_v1 *error, Clock &clock) {
  return guarded(error, "engine do_bench", [&]() -> bench_status {
    if (!callable.launch || params.max_samples == 0 || params.min_samples > params.max_samples ||
        (result.capacity > 0 && !result.samples)) {
      throw Failure(
          BENCH_ERROR_INVALID_ARGUMENT, "no launch, max_samples of 0, or no sample buffer",
          "do_bench",
          "set callable.launch, result.samples and 1 <= max_samples, min_samples <= max_samples");
    }
    if (params.required || callable.required || params.cache > BENCH_CACHE_COLD) {
      throw Failure(BENCH_ERROR_UNSUPPORTED,
                    "params or callable require what this engine does not know", "do_bench",
                    "use a newer core");
    }
    Policy policy;
    policy.use_engine = true;
    policy.cache = params.cache == BENCH_CACHE_COLD ? CachePolicy::cold : CachePolicy::hot;
    policy.isolated = params.launches_per_sample == 1;
    Session session(target, stream, policy, clock);
    RestoreGuard restore(callable, config, session.stream());
    const auto expired = [&] {
      return params.deadline_ns != 0 && clock.now_ns() >= params.deadline_ns;
    };
    bench_status status = BENCH_OK;
    for (std::uint32_t i = 0; i < params.warmup_launches && !expired(); ++i)
      session.window(callable, config, 1);
    const bool single =
        policy.cache == CachePolicy::cold || !(callable.flags & BENCH_CALLABLE_REPEATABLE);
    const std::uint32_t launches = single ? 1
                                   : params.launches_per_sample
                                       ? params.launches_per_sample
                                       : session.choose_launches(callable, config);
    result.written = result.taken = 0;
    result.method = session.method(launches);
    result.flags = 0;
    result.resolution_ns = session.timer().resolution_ns;
    result.floor_ns = session.timer().floor_ns;
    StopRule rule(policy.relative_half_width, params.min_samples, params.max_samples);
    while (result.taken < params.max_samples) {
      const bench_sample_v1 sample = session.window(callable, config, launches);
      if (result.written < result.capacity) result.samples[result.written++] = sample;
      ++result.taken;
      if (usable(sample)) rule.add(sample.elapsed_ns / launches);
      if (rule.decide()) break;
      if (params.should_stop && params.should_stop(params.should_stop_user)) {
        status = BENCH_ERROR_CANCELLED;
        break;
      }
      if (expired()) {
        status = BENCH_ERROR_TIMEOUT;
        break;
      }
    }
    result.flush_bytes = session.flush_bytes();
    bench_error_v1 restore_error = error_struct();
    const bench_status restored = restore.run(&restore_error);
    if (restored != BENCH_OK) throw Failure(restored, restore_error, "restore");
    if (status != BENCH_OK) {
      return error_fill(error, {status,
                                status == BENCH_ERROR_TIMEOUT ? "the deadline passed"
                                                              : "should_stop asked to stop",
                                "do_bench", "the samples already written are good", 0, ""});
    }
    return BENCH_OK;
  });
}

}  // namespace bench::measure
