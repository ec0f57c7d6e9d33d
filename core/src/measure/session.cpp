// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "measure/engine.hpp"
#include "measure/ladder.hpp"
#include "measure/limits.hpp"
#include "measure/telemetry.hpp"

namespace bench::measure {
namespace {

// A device that idled this long has lowered its clock.
constexpr std::int64_t pause_ns = 5'000'000;

}  // namespace

bool usable(const bench_sample_v1 &sample) {
  return std::isfinite(sample.elapsed_ns) && sample.elapsed_ns >= 0.0 &&
         !(sample.flags & BENCH_SAMPLE_NEGATIVE) && sample.launches > 0;
}

Session::Session(const Target &target, const bench_stream_v1 *stream, const Policy &policy,
                 Clock &clock)
    : target_(target), policy_(policy), clock_(clock), error_(error_struct()) {
  delegates_ = target.has_do_bench && !(policy.use_engine && target.has_t1);
  if (!delegates_ && !target.has_t1) {
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the plugin can neither measure by itself nor be measured with",
                  "measuring engine", "the plugin needs do_bench (T0) or all T1 primitives");
  }
  if (stream && stream->kind != BENCH_STREAM_NONE) {
    stream_ = *stream;
    refuse_capture();
  } else {
    stream_.struct_size = sizeof stream_;
    if (target.has_t1) {
      check(target_.api->stream_create(target_.instance, target_.device, &stream_, &error_),
            "stream_create");
      owns_stream_ = true;
    }
  }
  if (delegates_) return;
  try {
    ladder_ = std::make_unique<Ladder>(target_, stream_, policy_, clock_);
    qualify_timer();
    if (policy_.cache == CachePolicy::cold) {
      check(target_.api->flush_prepare(target_.instance, target_.device, &stream_, &flush_bytes_,
                                       &error_),
            "flush_prepare");
      flush_prepared_ = true;
    }
  } catch (...) {
    // The destructor does not run for an object whose constructor throws.
    ladder_.reset();
    if (owns_stream_) target_.api->stream_destroy(target_.instance, target_.device, &stream_);
    throw;
  }
}

Session::~Session() {
  // Its buffer is as large as the cache: an embedder must get it back.
  if (flush_prepared_) target_.api->flush_release(target_.instance, target_.device, &stream_);
  ladder_.reset();
  if (owns_stream_) target_.api->stream_destroy(target_.instance, target_.device, &stream_);
}

void Session::check(bench_status status, const char *where, bool from_callback) {
  if (status == BENCH_OK) return;
  failed_in_callback_ = from_callback;
  lost_ = lost_ || status == BENCH_ERROR_DEVICE_LOST;
  Failure failure(status, error_, where);
  // A later callee that fails without a text must not show this one's.
  error_ = error_struct();
  throw failure;
}

void Session::call(bench_callback_v1 callback, const bench_callable_v1 &callable,
                   const bench_config_v1 *config, const char *where) {
  if (!callback) return;
  ++callbacks_;
  check(callback(callable.user, config, &stream_, &error_), where, true);
}

void Session::synchronize() {
  check(target_.api->stream_synchronize(target_.instance, target_.device, &stream_, &error_),
        "stream_synchronize");
}

void Session::refuse_capture() const {
  const Extensions extensions(*target_.api, target_.instance);
  if (!extensions.capture) return;
  std::uint32_t state = BENCH_CAPTURE_NONE;
  bench_error_v1 error = error_struct();
  const bench_status status =
      extensions.capture->query(target_.instance, target_.device, &stream_, &state, &error);
  if (status != BENCH_OK) throw Failure(status, error, "capture query");
  if (state == BENCH_CAPTURE_NONE) return;
  // Before anything synchronises: that would break the recording.
  throw Failure(BENCH_ERROR_BUSY, "the stream is being captured into a graph", "measuring engine",
                "measure or tune before the capture begins, or on another stream");
}

void Session::flush() {
  const std::int64_t before = clock_.now_ns();
  check(target_.api->flush(target_.instance, target_.device, &stream_, BENCH_FLUSH_WRITE, &error_),
        "flush");
  cost_.flush_ns += clock_.now_ns() - before;
}

bench_sample_v1 Session::window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                std::uint32_t launches) {
  if (takes_difference(callable, launches)) return cold_difference(callable, config, launches);
  for (;;) {
    bool from_callback = false;
    callbacks_ += launches;
    try {
      ladder_->prepare(&callable, config, launches, from_callback);
    } catch (const Failure &failure) {
      failed_in_callback_ = from_callback;
      lost_ = lost_ || failure.status() == BENCH_ERROR_DEVICE_LOST;
      throw;
    }
    call(callable.prepare, callable, config, "prepare");
    if (flush_prepared_) flush();
    bench_sample_v1 sample{};
    const WindowFault fault = ladder_->run(&callable, config, launches, sample, error_);
    if (fault.status == BENCH_ERROR_BUSY && ladder_->profiles() && !fault.from_callback) {
      ladder_->forbid_profiler(error_.what);
      error_ = error_struct();
      throw SteppedDown();
    }
    check(fault.status, fault.step, fault.from_callback);
    cost_.timed_ns += sample.end_ns - sample.start_ns;
    if (gate_held(fault, launches)) {
      // After a flush the device is busy until long after all is enqueued.
      host_bound_ += !flush_prepared_ && ladder_->host_bound(sample);
      finish_sample(sample);
      return sample;
    }
  }
}

bool Session::gate_held(const WindowFault &fault, std::uint32_t launches) {
  if (!fault.gate_forced) {
    forced_gates_ = 0;
    return true;
  }
  // Once is chance: the system may have taken this thread's core away.
  if (++forced_gates_ < 2) return false;
  forced_gates_ = 0;
  ladder_->lower_gate(launches);
  throw SteppedDown();
}

bench_sample_v1 Session::cold_difference(const bench_callable_v1 &callable,
                                         const bench_config_v1 *config, std::uint32_t launches) {
  bench_sample_v1 both{}, flushes{};
  callbacks_ += launches;
  bool from_callback = false;
  try {
    // Again where the gate let the host's speed into one of the two.
    for (bool held = false; !held;) {
      WindowFault fault =
          ladder_->run_cold_graph(nullptr, nullptr, launches, flushes, error_, from_callback);
      check(fault.status, fault.step);
      if (!gate_held(fault, launches)) continue;
      fault = ladder_->run_cold_graph(&callable, config, launches, both, error_, from_callback);
      check(fault.status, fault.step);
      held = gate_held(fault, launches);
    }
  } catch (const Failure &failure) {
    if (lost_ || failure.status() == BENCH_ERROR_DEVICE_LOST) {
      lost_ = true;
      throw;
    }
    // One launch at a time shows whether the callable itself fails.
    forbid_cold_graphs(failure.what());
    throw SteppedDown();
  }
  cost_.flush_ns += 2 * (flushes.end_ns - flushes.start_ns);
  cost_.timed_ns +=
      std::max<std::int64_t>(0, both.end_ns - both.start_ns - (flushes.end_ns - flushes.start_ns));
  both.start_ns = flushes.start_ns;
  both.flags |= flushes.flags;
  both.elapsed_ns -= flushes.elapsed_ns;
  // A difference knows no floor and no step of its own.
  if (!(both.elapsed_ns > 0.0)) both.flags |= BENCH_SAMPLE_BELOW_FLOOR;
  both.elapsed_ns = std::max(both.elapsed_ns, 0.0);
  last_work_ns_ = both.end_ns;
  return both;
}

void Session::finish_sample(bench_sample_v1 &sample) {
  last_work_ns_ = sample.end_ns;
  last_window_ns_ = sample.elapsed_ns;
  const auto host_ns = static_cast<double>(sample.end_ns - sample.start_ns);
  if (target_.timer_wrap_ns > 0.0 && host_ns >= target_.timer_wrap_ns) {
    // The counter may have wrapped more than once, which no plugin can see. A window this long
    // loses nothing to the host's latency.
    sample.elapsed_ns = host_ns;
    sample.flags = BENCH_SAMPLE_WRAPPED;
  }
  // What the plugin did not see, seen here: no statistics may rest on such a window unmarked.
  if (!(sample.elapsed_ns >= 0.0))
    sample.flags |= BENCH_SAMPLE_NEGATIVE;
  else if (sample.elapsed_ns == 0.0)
    sample.flags |= BENCH_SAMPLE_ZERO;
  // The floor and the step are those of events.
  if (policy_.method == Method::profiler) return;
  if (sample.elapsed_ns <= timer_.floor_ns) sample.flags |= BENCH_SAMPLE_BELOW_FLOOR;
  if (timer_.coarse || sample.elapsed_ns < steps_per_window * timer_.resolution_ns)
    sample.flags |= BENCH_SAMPLE_TIMER_COARSE;
}

bool Session::takes_difference(const bench_callable_v1 &callable, std::uint32_t launches) const {
  return flush_prepared_ && launches > 1 && ladder_->records(callable);
}

void Session::forbid_cold_graphs(const std::string &reason) {
  cold_graphs_ = false;
  ladder_->forbid_graph(reason);
}

void Session::drop(const bench_callable_v1 &callable) {
  if (ladder_) ladder_->drop(&callable);
}

std::uint32_t Session::throttle() const {
  std::string reason;
  const auto telemetry = read_telemetry(target_, reason);
  return telemetry && (telemetry->known & BENCH_TELEMETRY_THROTTLE) ? telemetry->throttle : 0;
}

std::uint32_t Session::deepest(const bench_callable_v1 &callable) const {
  return ladder_ ? ladder_->deepest(callable) : 1;
}

std::string Session::method_note() const {
  return ladder_ ? ladder_->note() : std::string();
}

bool Session::stepped_down() const {
  return ladder_ && ladder_->stepped_down();
}

void Session::launch_untimed(const bench_callable_v1 &callable, const bench_config_v1 *config,
                             std::uint32_t count) {
  const std::int64_t begun = clock_.now_ns();
  const bool repeatable = callable.flags & BENCH_CALLABLE_REPEATABLE;
  for (std::uint32_t i = 0; i < count && !expired(); ++i) {
    if (i == 0 || !repeatable) call(callable.prepare, callable, config, "prepare");
    call(callable.launch, callable, config, "launch");
  }
  if (count > 0) call(callable.wait, callable, config, "wait");
  synchronize();
  last_work_ns_ = clock_.now_ns();
  cost_.warmup_ns += last_work_ns_ - begun;
}

std::uint32_t Session::method(const bench_callable_v1 &callable, std::uint32_t launches) const {
  if (!ladder_) return BENCH_METHOD_UNKNOWN;
  if (takes_difference(callable, launches)) return BENCH_METHOD_GRAPH;
  return ladder_->method(callable, launches);
}

bench_status Session::delegate(const bench_callable_v1 &callable, const bench_config_v1 *config,
                               const bench_params_v1 &params, bench_result_v1 &result) {
  const std::int64_t begun = clock_.now_ns();
  const bench_status status = target_.api->do_bench(target_.instance, target_.device, &stream_,
                                                    &callable, config, &params, &result, &error_);
  last_work_ns_ = clock_.now_ns();
  cost_.timed_ns += last_work_ns_ - begun;
  if (status != BENCH_OK && status != BENCH_ERROR_TIMEOUT && status != BENCH_ERROR_CANCELLED)
    check(status, "do_bench", result.flags & BENCH_RESULT_FROM_CALLBACK);
  // A plugin that promises more than the buffer holds must not make us read past it.
  result.written = std::min({result.written, result.capacity, result.taken});
  if ((result.flags & BENCH_RESULT_COARSE) || result.taken > params.max_samples) {
    coarse_ = true;
    result.flags |= BENCH_RESULT_COARSE;
  }
  return status;
}

std::vector<double> Session::visit(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                   std::uint32_t samples, std::uint32_t launches,
                                   std::int64_t deadline_ns) {
  const std::uint32_t wanted = samples;
  std::vector<double> times;
  bool cut = false;  // by a deadline: then no sample is no fault of the timer
  const auto keep = [&](const bench_sample_v1 &sample) {
    // The race compares logarithms: a window of no time has none.
    if (usable(sample) && sample.elapsed_ns > 0.0)
      times.push_back(sample.elapsed_ns / sample.launches);
  };
  if (delegates_) {
    std::vector<bench_sample_v1> buffer(samples);
    bench_params_v1 params{};
    params.struct_size = sizeof params;
    params.cache = policy_.cache == CachePolicy::cold ? BENCH_CACHE_COLD : BENCH_CACHE_HOT;
    params.warmup_launches = 1;
    params.min_samples = params.max_samples = samples;
    params.launches_per_sample = policy_.isolated ? 1 : 0;
    params.deadline_ns = deadline_ns;
    bench_result_v1 result{};
    result.struct_size = sizeof result;
    result.samples = buffer.data();
    result.capacity = samples;
    cut = delegate(callable, config, params, result) != BENCH_OK;
    for (std::uint32_t i = 0; i < result.written; ++i) keep(buffer[i]);
  } else {
    RestoreGuard restore(callable, config, *this);
    const int discarded = clock_.now_ns() - last_work_ns_ > pause_ns ? 2 : 1;
    const std::int64_t timed_before = cost_.timed_ns, begun = clock_.now_ns();
    for (int i = 0; i < discarded; ++i) {
      const bench_sample_v1 sample = window(callable, config, launches);
      if (i + 1 < discarded || samples == 0 || !is_long(std::llround(sample.elapsed_ns))) continue;
      keep(sample);
      --samples;
    }
    cost_.warmup_ns += clock_.now_ns() - begun;
    cost_.timed_ns = timed_before;
    for (std::uint32_t i = 0; i < samples && !cut; ++i) {
      keep(window(callable, config, launches));
      cut = expired() || (deadline_ns != 0 && clock_.now_ns() >= deadline_ns);
    }
    restore.run();
  }
  if (times.empty() && !cut && wanted > 0) {
    throw Failure(
        BENCH_ERROR_INTERNAL,
        "the timer ran backwards or stood still in all " + std::to_string(wanted) + " windows",
        "measuring engine", "take longer launches, or report this to the plugin's vendor");
  }
  return times;
}

RestoreGuard::~RestoreGuard() {
  try {
    run();
  } catch (const Failure &) {
    // The failure that brought us here wins.
  }
}

void RestoreGuard::run() {
  if (done_) return;
  done_ = true;
  if (session_.delegates_ || session_.lost_ || session_.callbacks_ == before_) return;
  session_.call(callable_.restore, callable_, config_, "restore");
  session_.synchronize();
}

}  // namespace bench::measure
