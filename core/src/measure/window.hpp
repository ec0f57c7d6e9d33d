// SPDX-License-Identifier: Apache-2.0
// How one window is timed on the device. Events around the launches are the method of any plugin
// with T1 primitives. A method that needs an extension of the plugin - a gate that holds the queue
// until all is enqueued, a captured graph of launches - is a further implementation of
// WindowMethod: the session takes the best one that plugin and callable permit, and steps down to
// this one with a note.
#pragma once
#include <cstdint>

#include "base/clock.hpp"
#include "bench/plugin_v1.h"

namespace bench::measure {

struct Target;

/// What ended a window that failed.
struct WindowFault {
  bench_status status = BENCH_OK;
  const char *step = "";
  bool from_callback = false;
};

class WindowMethod {
 public:
  virtual ~WindowMethod() = default;
  /// BENCH_METHOD_* of a window of so many launches.
  virtual std::uint32_t method(std::uint32_t launches) const = 0;
  /// Times `launches` launches; 0 is the empty window, over the very same path, and takes no
  /// callable. Fills elapsed, host times and the plugin's flags. Allocates nothing; `error` is
  /// written on failure only.
  virtual WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                          std::uint32_t launches, bench_sample_v1 &sample,
                          bench_error_v1 &error) = 0;
};

/// A pair of events around the launches.
class EventWindow final : public WindowMethod {
 public:
  /// Throws Failure. `stream` outlives this.
  EventWindow(const Target &target, const bench_stream_v1 &stream, Clock &clock);
  ~EventWindow() override;
  EventWindow(const EventWindow &) = delete;  // owns the events
  EventWindow &operator=(const EventWindow &) = delete;

  std::uint32_t method(std::uint32_t launches) const override;
  WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                  std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error) override;

 private:
  const Target &target_;
  const bench_stream_v1 &stream_;
  Clock &clock_;
  bench_event_v1 *start_ = nullptr;
  bench_event_v1 *stop_ = nullptr;
};

}  // namespace bench::measure
