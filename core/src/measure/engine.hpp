// SPDX-License-Identifier: Apache-2.0
// The measuring engine: times any callable on any device through a plugin's T1 primitives, or hands
// the work to the plugin's own do_bench. What it can know about a timer, a callable or a window, it
// checks.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bench/plugin_v1.h"
#include "measure/stats.hpp"

namespace bench::measure {

/// A device as its plugin knows it. Functions in `api` are never NULL.
struct Target {
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device{};
  bool has_t1 = false;
  bool has_do_bench = false;
};

enum class CachePolicy { hot, cold };

/// What is to be estimated, and how hard to try. `text` is part of every key.
struct Policy {
  CachePolicy cache = CachePolicy::hot;
  bool isolated = false;    // windows of one launch, for percentiles and latencies
  bool use_engine = false;  // also where the plugin has its own do_bench
  double relative_half_width = 0.005;
  std::uint32_t min_samples = 10;
  std::uint32_t max_samples = 1000;
  std::int64_t max_time_ns = 200'000'000;    // warm-up, flushes and pauses included
  std::int64_t max_warmup_ns = 100'000'000;  // of it

  /// "back-to-back", "isolated-hot", "isolated-cold"; "+engine" where that overrides the plugin.
  std::string text() const;
};

/// What was learned about a timer through the very path that windows take.
struct Timer {
  double resolution_ns = 0.0;  // smallest step seen
  double floor_ns = 0.0;       // what an empty window reads
  bool coarse = false;         // it stood still over thousands of readings
};

/// What was learned about a callable, ungated, before it is timed.
struct Qualification {
  bool unjoined = false;          // the device was still busy after its stream was done
  bool nothing_enqueued = false;  // many launches read no more than none
  bool synchronous = false;       // launch returned only after the work
};

struct Cost {
  std::int64_t warmup_ns = 0;
  std::int64_t flush_ns = 0;
  std::int64_t timed_ns = 0;
  std::int64_t idle_ns = 0;
};

/// A place to measure on: keeps stream, events and what is known of the timer between visits. One
/// thread.
class Session {
 public:
  /// Qualifies the timer. `stream` NULL or NONE: a private one. Throws Failure.
  Session(const Target &target, const bench_stream_v1 *stream, const Policy &policy,
          Clock &clock = system_clock());
  ~Session();
  Session(const Session &) = delete;  // owns stream and events
  Session &operator=(const Session &) = delete;

  /// Launches a few times and tells what the callable does. Throws what the callable reports.
  Qualification qualify(const bench_callable_v1 &callable, const bench_config_v1 *config);
  /// Launches per window that keep floor under 1 % and resolution under 0.1 % of a window; 1 where
  /// the policy or the callable wants single launches, and on T0 plugins.
  std::uint32_t choose_launches(const bench_callable_v1 &callable, const bench_config_v1 *config);
  /// Until window times are flat or the policy's limit.
  void warm_up(const bench_callable_v1 &callable, const bench_config_v1 *config,
               std::uint32_t launches);
  /// One window.
  bench_sample_v1 window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                         std::uint32_t launches);
  /// One window discarded (two after a pause, in which a device lowers its clock), then `samples`
  /// ones: ns per launch. On a T0 plugin one call of its do_bench. `deadline_ns` 0 = none.
  std::vector<double> visit(const bench_callable_v1 &callable, const bench_config_v1 *config,
                            std::uint32_t samples, std::uint32_t launches,
                            std::int64_t deadline_ns = 0);

  const Timer &timer() const { return timer_; }
  const bench_stream_v1 &stream() const { return stream_; }
  const Cost &cost() const { return cost_; }
  std::uint64_t flush_bytes() const { return flush_bytes_; }
  /// The plugin's own do_bench measures here.
  bool delegates() const { return delegates_; }
  /// That do_bench ignored its limits: call it once per configuration.
  bool coarse() const { return coarse_; }
  std::uint32_t method(std::uint32_t launches) const;
  Clock &clock() { return clock_; }
  const Policy &policy() const { return policy_; }
  /// One call of the plugin's do_bench. Returns its status where samples are good, throws
  /// otherwise.
  bench_status delegate(const bench_callable_v1 &callable, const bench_config_v1 *config,
                        const bench_params_v1 &params, bench_result_v1 &result);

 private:
  void check(bench_status status, const bench_error_v1 &error, const char *where) const;
  void qualify_timer();
  double empty_window();
  void launch(const bench_callable_v1 &callable, const bench_config_v1 *config);
  void synchronize();

  const Target target_;
  const Policy policy_;
  Clock &clock_;
  bench_stream_v1 stream_{};
  bool owns_stream_ = false;
  bench_event_v1 *start_ = nullptr;
  bench_event_v1 *stop_ = nullptr;
  Timer timer_;
  Cost cost_;
  std::uint64_t flush_bytes_ = 0;
  std::int64_t last_work_ns_ = 0;
  bool delegates_ = false;
  bool coarse_ = false;
  bench_error_v1 error_{};  // for the timed path: made once, touched on failure only
};

/// Calls `restore` once at the end of a scope, also after a failure: the caller's data are as they
/// were.
class RestoreGuard {
 public:
  RestoreGuard(const bench_callable_v1 &callable, const bench_config_v1 *config,
               const bench_stream_v1 &stream)
      : callable_(callable), config_(config), stream_(stream) {}
  ~RestoreGuard() { run(nullptr); }
  RestoreGuard(const RestoreGuard &) = delete;  // restores once
  RestoreGuard &operator=(const RestoreGuard &) = delete;
  /// Early, to see its status.
  bench_status run(bench_error_v1 *error);

 private:
  const bench_callable_v1 &callable_;
  const bench_config_v1 *config_;
  const bench_stream_v1 &stream_;
  bool done_ = false;
};

struct Measurement {
  Summary summary;                       // of per-launch window averages
  std::vector<bench_sample_v1> samples;  // raw
  std::uint32_t method = BENCH_METHOD_UNKNOWN;
  std::uint32_t flags = 0;
  std::uint32_t launches_per_window = 1;
  double resolution_ns = 0.0;
  double floor_ns = 0.0;
  std::uint64_t flush_bytes = 0;
  /// (T(2n) - T(n)) / n: the period of a launch without the window's own cost. For hot batches.
  std::optional<double> slope_ns;
  StopReason stop_reason = StopReason::precise;
  std::string note;
  Cost cost;
};

/// A whole measurement under `policy`. `should_stop` may be empty. Throws Failure; a callable's
/// failure with its own status and text.
Measurement measure(const Target &target, const bench_stream_v1 *stream,
                    const bench_callable_v1 &callable, const bench_config_v1 *config,
                    const Policy &policy, Clock &clock = system_clock(),
                    const std::function<bool()> &should_stop = {});

/// The default do_bench of a plugin with T1 primitives: the ABI's contract word for word.
bench_status engine_do_bench(const Target &target, const bench_stream_v1 *stream,
                             const bench_callable_v1 &callable, const bench_config_v1 *config,
                             const bench_params_v1 &params, bench_result_v1 &result,
                             bench_error_v1 *error, Clock &clock = system_clock());

}  // namespace bench::measure
