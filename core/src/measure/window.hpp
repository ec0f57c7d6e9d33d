// SPDX-License-Identifier: Apache-2.0
// How one window is timed on the device. Each way is an implementation of WindowMethod; the ladder
// (ladder.hpp) takes the best one that plugin and callable permit.
#pragma once
#include <cstdint>

#include "base/clock.hpp"
#include "bench/plugin_v1.h"

namespace bench::measure {

struct Target;
class Gate;

/// What ended a window that failed.
struct WindowFault {
  bench_status status = BENCH_OK;
  const char *step = "";
  bool from_callback = false;
  /// The window is complete, but the gate had to be opened before all was enqueued.
  bool gate_forced = false;
};

class WindowMethod {
 public:
  virtual ~WindowMethod() = default;
  /// Times `launches` launches; 0 is the empty window, over the very same path, and takes no
  /// callable. Fills elapsed, host times and the plugin's flags. Allocates nothing; `error` is
  /// written on failure only.
  virtual WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                          std::uint32_t launches, bench_sample_v1 &sample,
                          bench_error_v1 &error) = 0;
};

/// A pair of events of one stream.
class EventPair {
 public:
  /// Throws Failure. `stream` outlives this.
  EventPair(const Target &target, const bench_stream_v1 &stream, Clock &clock);
  ~EventPair();
  EventPair(const EventPair &) = delete;  // owns the events
  EventPair &operator=(const EventPair &) = delete;

  /// Opens the window: closes the gate, if there is one, and records the start.
  WindowFault begin(Gate *gate, bench_sample_v1 &sample, bench_error_v1 &error);
  /// Records the stop, opens the gate, waits and reads the time.
  WindowFault end(Gate *gate, bench_sample_v1 &sample, bench_error_v1 &error);
  /// Leaves a window that failed: nothing may stay behind a closed gate.
  static WindowFault abandon(Gate *gate, const WindowFault &fault);
  /// Host time from the start's record to the stop's in the last window.
  std::int64_t enqueued_ns() const { return enqueued_ns_; }

 private:
  const Target &target_;
  const bench_stream_v1 &stream_;
  Clock &clock_;
  bench_event_v1 *start_ = nullptr;
  bench_event_v1 *stop_ = nullptr;
  std::int64_t enqueued_ns_ = 0;
};

/// Events around the launches, behind a gate where one is given.
class EventWindow final : public WindowMethod {
 public:
  EventWindow(EventPair &events, const bench_stream_v1 &stream)
      : events_(events), stream_(stream) {}
  /// NULL: ungated.
  void set_gate(Gate *gate) { gate_ = gate; }

  WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                  std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error) override;

 private:
  EventPair &events_;
  const bench_stream_v1 &stream_;
  Gate *gate_ = nullptr;
};

}  // namespace bench::measure
