// SPDX-License-Identifier: Apache-2.0
// The measuring engine: times any callable on any device through a plugin's T1 primitives, or hands
// the work to the plugin's own do_bench. What it can know about a timer, a callable or a window, it
// checks.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bench/plugin_v1.h"
#include "measure/stats.hpp"
#include "measure/window.hpp"

namespace bench::measure {

/// A device as its plugin knows it. Functions in `api` are never NULL.
struct Target {
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device{};
  bool has_t1 = false;
  bool has_do_bench = false;
  double timer_resolution_ns = 0.0;  // of its device information; used where readings cannot tell
  double timer_wrap_ns = 0.0;  // of its device information: longer windows are timed by the host
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
  double resolution_ns = 0.0;   // smallest step seen
  double floor_ns = 0.0;        // what an empty window reads
  bool coarse = false;          // it stood still over thousands of readings
  std::uint32_t readings = 0;   // of empty windows
  std::uint32_t zeros = 0;      // of them saw no time pass
  std::uint32_t negatives = 0;  // of them ran backwards
};

/// What was learned about a callable, ungated, before it is timed.
struct Qualification {
  bool unjoined = false;          // the device was still busy after its stream was done
  bool nothing_enqueued = false;  // many launches read no more than none
  bool synchronous = false;       // launch returned only after the work
};

/// A sample that statistics may rest on.
bool usable(const bench_sample_v1 &sample);

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

  /// From now on no calibration, warm-up or visit goes on after this time of the clock; 0 = none.
  void set_deadline(std::int64_t deadline_ns) { deadline_ns_ = deadline_ns; }
  bool expired() const { return deadline_ns_ != 0 && clock_.now_ns() >= deadline_ns_; }
  /// Launches a few times and tells what the callable does. Throws what the callable reports.
  Qualification qualify(const bench_callable_v1 &callable, const bench_config_v1 *config);
  /// Launches per window that keep floor and resolution within what is promised; 1 where the policy
  /// or the callable wants single launches, and on T0 plugins.
  std::uint32_t choose_launches(const bench_callable_v1 &callable, const bench_config_v1 *config);
  /// Until window times are flat or the policy's limit.
  void warm_up(const bench_callable_v1 &callable, const bench_config_v1 *config,
               std::uint32_t launches);
  /// Untimed launches, each with its prepare (a REPEATABLE callable: one for all).
  void launch_untimed(const bench_callable_v1 &callable, const bench_config_v1 *config,
                      std::uint32_t count);
  /// One window.
  bench_sample_v1 window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                         std::uint32_t launches);
  /// One window discarded (two after a pause, in which a device lowers its clock), then `samples`
  /// ones: ns per launch. On a T0 plugin one call of its do_bench. Windows in which the timer ran
  /// backwards or stood still are left out. `deadline_ns` 0 = none.
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
  /// The last failure came from a callback, not from the plugin.
  bool failed_in_callback() const { return failed_in_callback_; }
  bool lost() const { return lost_; }
  /// Callbacks made so far.
  std::uint64_t callbacks() const { return callbacks_; }
  std::uint32_t method(std::uint32_t launches) const;
  Clock &clock() { return clock_; }
  const Policy &policy() const { return policy_; }
  /// One call of the plugin's do_bench. Returns its status where samples are good, throws
  /// otherwise.
  bench_status delegate(const bench_callable_v1 &callable, const bench_config_v1 *config,
                        const bench_params_v1 &params, bench_result_v1 &result);

 private:
  friend class RestoreGuard;
  /// Throws for a status that is not BENCH_OK, and clears the error struct for the next failure.
  void check(bench_status status, const char *where, bool from_callback = false);
  void call(bench_callback_v1 callback, const bench_callable_v1 &callable,
            const bench_config_v1 *config, const char *where);
  double empty_window();
  void qualify_timer();
  void synchronize();

  const Target target_;
  const Policy policy_;
  Clock &clock_;
  bench_stream_v1 stream_{};
  bool owns_stream_ = false;
  bool flush_prepared_ = false;
  std::unique_ptr<WindowMethod> method_;
  Timer timer_;
  Cost cost_;
  std::uint64_t flush_bytes_ = 0;
  std::uint64_t callbacks_ = 0;
  std::int64_t last_work_ns_ = 0;
  std::int64_t deadline_ns_ = 0;
  bool delegates_ = false;
  bool coarse_ = false;
  bool failed_in_callback_ = false;
  bool lost_ = false;
  bench_error_v1 error_{};  // for the timed path: made once, touched on failure only
};

/// Ends the use of a callable: calls `restore` once if any callback was called meanwhile, also
/// after a failure, and waits for what is still on the stream. After DEVICE_LOST it does neither.
/// On a T0 plugin do_bench has done all that.
class RestoreGuard {
 public:
  RestoreGuard(const bench_callable_v1 &callable, const bench_config_v1 *config, Session &session)
      : callable_(callable), config_(config), session_(session), before_(session.callbacks()) {}
  ~RestoreGuard();
  RestoreGuard(const RestoreGuard &) = delete;  // restores once
  RestoreGuard &operator=(const RestoreGuard &) = delete;
  /// Early, to see how it ends. Throws Failure.
  void run();

 private:
  const bench_callable_v1 &callable_;
  const bench_config_v1 *config_;
  Session &session_;
  const std::uint64_t before_;
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
