// SPDX-License-Identifier: Apache-2.0
// do_bench of a plugin that has T1 primitives and none of its own.
#include "base/error.hpp"
#include "bench/plugin.hpp"
#include "bench/plugin_v1_layout.h"
#include "measure/engine.hpp"

namespace bench::measure {
namespace {

void check_arguments(const bench_stream_v1 *stream, const bench_callable_v1 &callable,
                     const bench_params_v1 &params, const bench_result_v1 &result) {
  const auto refuse = [](const char *what, const char *hint) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, "do_bench", hint);
  };
  if (callable.struct_size < BENCH_SIZE_1_0_CALLABLE ||
      params.struct_size < BENCH_SIZE_1_0_PARAMS || result.struct_size < BENCH_SIZE_1_0_RESULT ||
      (stream && stream->struct_size < BENCH_SIZE_1_0_STREAM))
    refuse("a struct_size is below its size in ABI 1.0", "set struct_size to sizeof the struct");
  if (!callable.launch) refuse("callable.launch is NULL", "set it to what enqueues the work");
  if (params.max_samples == 0) refuse("max_samples is 0", "ask for at least one sample");
  if (params.min_samples > params.max_samples)
    refuse("min_samples exceeds max_samples", "set min_samples to max_samples or less");
  if (result.capacity > 0 && !result.samples)
    refuse("result.samples is NULL and its capacity is not 0", "give the buffer or capacity 0");
  if ((callable.flags & BENCH_CALLABLE_OWN_STREAM) &&
      (!stream || stream->kind == BENCH_STREAM_NONE))
    refuse("the callable uses a stream of its own, and none is named",
           "pass the stream that it launches on");
  if (params.required || callable.required || params.cache > BENCH_CACHE_COLD) {
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "params or callable require what this engine does not know", "do_bench",
                  "use a newer core");
  }
}

bench_status finish(bench_status status, bench_error_v1 *error) {
  if (status == BENCH_OK) return status;
  return error_fill(
      error,
      {status, status == BENCH_ERROR_TIMEOUT ? "the deadline passed" : "should_stop asked to stop",
       "do_bench", "the samples already written are good", 0, ""});
}

bench_status take(Session &session, const bench_callable_v1 &callable,
                  const bench_config_v1 *config, const bench_params_v1 &params,
                  bench_result_v1 &result) {
  result.written = result.taken = 0;  // of a method that was left, if this is not the first try
  session.launch_untimed(callable, config, params.warmup_launches);
  const bool single =
      params.cache == BENCH_CACHE_COLD || !(callable.flags & BENCH_CALLABLE_REPEATABLE);
  const std::uint32_t launches = single                       ? 1
                                 : params.launches_per_sample ? params.launches_per_sample
                                 : session.expired()          ? 1
                                                     : session.choose_launches(callable, config);
  result.method = session.method(callable, launches);
  StopRule rule(session.policy().relative_half_width, params.min_samples, params.max_samples);
  while (result.taken < params.max_samples) {
    if (session.expired()) return BENCH_ERROR_TIMEOUT;
    if (params.should_stop && params.should_stop(params.should_stop_user))
      return BENCH_ERROR_CANCELLED;
    const bench_sample_v1 sample = session.window(callable, config, launches);
    if (result.written < result.capacity) result.samples[result.written++] = sample;
    ++result.taken;
    if (usable(sample)) rule.add(sample.elapsed_ns / sample.launches);
    if (result.taken >= params.min_samples && rule.decide()) break;
  }
  return BENCH_OK;
}

}  // namespace

bench_status engine_do_bench(const Target &target, const bench_stream_v1 *stream,
                             const bench_callable_v1 &callable, const bench_config_v1 *config,
                             const bench_params_v1 &params, bench_result_v1 &result,
                             bench_error_v1 *error, Clock &clock) {
  return guarded(error, "engine do_bench", [&]() -> bench_status {
    check_arguments(stream, callable, params, result);
    result.method = BENCH_METHOD_UNKNOWN;
    result.written = result.taken = result.flags = 0;
    result.resolution_ns = result.floor_ns = 0.0;
    result.flush_bytes = 0;
    result.note[0] = '\0';
    if (params.deadline_ns != 0 && clock.now_ns() >= params.deadline_ns)
      return finish(BENCH_ERROR_TIMEOUT, error);
    Policy policy;
    policy.use_engine = true;
    policy.cache = params.cache == BENCH_CACHE_COLD ? CachePolicy::cold : CachePolicy::hot;
    policy.isolated = params.launches_per_sample == 1;
    Session session(target, stream, policy, clock);
    session.set_deadline(params.deadline_ns);
    result.resolution_ns = session.timer().resolution_ns;
    result.floor_ns = session.timer().floor_ns;
    result.flush_bytes = session.flush_bytes();
    if (policy.cache == CachePolicy::cold) result.flags |= BENCH_RESULT_CACHE_UNPROVEN;
    RestoreGuard restore(callable, config, session);
    try {
      const bench_status status =
          with_step_downs(session, [&] { return take(session, callable, config, params, result); });
      restore.run();
      if (session.stepped_down()) result.flags |= BENCH_RESULT_STEPPED_DOWN;
      plugin::copy_text(result.note, session.method_note());
      return finish(status, error);
    } catch (const Failure &) {
      if (session.failed_in_callback()) result.flags |= BENCH_RESULT_FROM_CALLBACK;
      throw;
    }
  });
}

}  // namespace bench::measure
