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
#include "measure/policy.hpp"
#include "measure/stats.hpp"

namespace bench::measure {

class Ladder;
struct WindowFault;

/// A device as its plugin knows it. Functions in `api` are never NULL.
struct Target {
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device{};
  bool has_t1 = false;
  bool has_do_bench = false;
  double timer_resolution_ns = 0.0;  // of its device information; used where readings cannot tell
  double timer_wrap_ns = 0.0;  // of its device information: longer windows are timed by the host
  bool synchronous = false;    // of its device information: launches run on the calling thread
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
  std::int64_t launch_ns = 0;     // a warm launch, by the host's clock; 0 = none was made
};

/// A launch so long that what precedes a window does not show in it, and that each one costs the
/// user.
constexpr bool is_long(std::int64_t launch_ns) {
  return launch_ns >= 5'000'000;
}

/// A sample that statistics may rest on.
bool usable(const bench_sample_v1 &sample);

struct Cost {
  std::int64_t warmup_ns = 0;
  std::int64_t flush_ns = 0;
  std::int64_t timed_ns = 0;
  std::int64_t idle_ns = 0;

  Cost operator-(const Cost &before) const {
    return {warmup_ns - before.warmup_ns, flush_ns - before.flush_ns, timed_ns - before.timed_ns,
            idle_ns - before.idle_ns};
  }
};

/// A place to measure on: keeps stream, events and what is known of the timer between visits. One
/// thread.
class Session {
 public:
  /// Qualifies the timer. `stream` NULL or NONE: a private one. Throws Failure; BUSY for a stream
  /// that somebody records at the moment.
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
  /// One window. A cold one of several launches is the difference of two graphs: flush and launch
  /// in turn, and flushes alone. Throws SteppedDown when the method had to change, after which
  /// nothing measured before may be compared with what comes: see with_step_downs().
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
  double timer_wrap_ns() const { return target_.timer_wrap_ns; }
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
  std::uint32_t method(const bench_callable_v1 &callable, std::uint32_t launches) const;
  /// BENCH_THROTTLE_* now; 0 where the plugin cannot tell.
  std::uint32_t throttle() const;
  /// Launches that a window of this callable may hold.
  std::uint32_t deepest(const bench_callable_v1 &callable) const;
  /// Why the method is not a better one; empty if nothing was tried in vain.
  std::string method_note() const;
  bool stepped_down() const;
  /// What the last window took.
  double last_window_ns() const { return last_window_ns_; }
  /// The windows so far in which the device may have waited for the host.
  std::uint32_t host_bound_windows() const { return host_bound_; }
  /// Cold windows of several launches vary too much: single ones from now on.
  void forbid_cold_graphs(const std::string &reason);
  /// A window of so many launches is the difference of two graphs.
  bool takes_difference(const bench_callable_v1 &callable, std::uint32_t launches) const;
  /// Forgets what was recorded of a callable whose arguments or code change, or that ends.
  void drop(const bench_callable_v1 &callable);
  /// Measures again what an empty window reads, after the method changed.
  void qualify_timer();
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
  void synchronize();
  void flush();
  void refuse_capture() const;
  /// The window counts: its gate was not forced open. False: take it again. Throws SteppedDown.
  bool gate_held(const WindowFault &fault, std::uint32_t launches);
  /// The shortest of some windows, by a timer that may stand still or run backwards in one.
  double shortest_window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                         std::uint32_t launches, double enough_ns);
  std::uint32_t choose_hot_launches(const bench_callable_v1 &callable,
                                    const bench_config_v1 *config);
  std::uint32_t choose_cold_launches(const bench_callable_v1 &callable,
                                     const bench_config_v1 *config);
  void finish_sample(bench_sample_v1 &sample);
  bench_sample_v1 cold_difference(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                  std::uint32_t launches);

  const Target target_;
  const Policy policy_;
  Clock &clock_;
  bench_stream_v1 stream_{};
  bool owns_stream_ = false;
  bool flush_prepared_ = false;
  std::unique_ptr<Ladder> ladder_;
  Timer timer_;
  Cost cost_;
  std::uint64_t flush_bytes_ = 0;
  std::uint64_t callbacks_ = 0;
  std::uint32_t host_bound_ = 0;
  std::uint32_t forced_gates_ = 0;  // in a row
  bool cold_graphs_ = true;
  std::int64_t last_work_ns_ = 0;
  double last_window_ns_ = 0.0;
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

/// The method of a session changed: measure anew.
class SteppedDown : public std::exception {
 public:
  const char *what() const noexcept override { return "the measuring method stepped down"; }
};

/// Runs `body` again after each step down; the ladder's end ends it.
template <typename Body>
auto with_step_downs(Session &session, Body &&body) {
  for (;;) {
    try {
      return body();
    } catch (const SteppedDown &) {
      session.qualify_timer();
    }
  }
}

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

/// A whole measurement on a session, under its policy. Two sessions at once on one stream would
/// free each other's flush buffer. Throws as below.
Measurement measure(Session &session, const bench_callable_v1 &callable,
                    const bench_config_v1 *config, const std::function<bool()> &should_stop = {});

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
