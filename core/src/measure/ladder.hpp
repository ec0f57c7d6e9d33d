// SPDX-License-Identifier: Apache-2.0
// Which way windows are timed: the best that plugin, policy and callable permit, and one rung down,
// for good and with its reason, when that fails.
#pragma once
#include <memory>
#include <string>

#include "measure/extensions.hpp"
#include "measure/gate.hpp"
#include "measure/graph_window.hpp"
#include "measure/profiler_window.hpp"
#include "measure/window.hpp"

namespace bench::measure {

class Ladder {
 public:
  /// Throws Failure: no events; a method that the policy names is not to be had.
  Ladder(const Target &target, const bench_stream_v1 &stream, const Policy &policy, Clock &clock);

  /// Makes ready, outside the window, what `launches` launches of the callable need. Throws Failure
  /// of a callback (`from_callback` is set); SteppedDown.
  void prepare(const bench_callable_v1 *callable, const bench_config_v1 *config,
               std::uint32_t launches, bool &from_callback);
  /// One window of what prepare() was given.
  WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                  std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error);
  /// A graph of `pairs` flushes, each followed by a launch of the callable if one is given.
  WindowFault run_cold_graph(const bench_callable_v1 *callable, const bench_config_v1 *config,
                             std::uint32_t pairs, bench_sample_v1 &sample, bench_error_v1 &error,
                             bool &from_callback);

  /// Launches that a window of this callable may hold.
  std::uint32_t deepest(const bench_callable_v1 &callable) const;
  std::uint32_t method(const bench_callable_v1 &callable, std::uint32_t launches) const;
  /// The gate had to be forced open at this depth: half of it from now on, or none. A graph is one
  /// submission, which no depth makes shorter.
  void lower_gate(std::uint32_t launches);
  /// Callables that return only after their work cannot be gated.
  void forbid_gate(const std::string &reason);
  void forbid_graph(const std::string &reason);
  /// Another tool holds it: the best of the other methods from now on.
  void forbid_profiler(const std::string &reason);
  bool profiles() const { return profiler_ != nullptr; }
  bool records(const bench_callable_v1 &callable) const;
  /// The last window was ungated, and enqueuing it took the host about as long as the device
  /// worked.
  bool host_bound(const bench_sample_v1 &sample) const;

  /// Forgets what was recorded of a callable.
  void drop(const bench_callable_v1 *callable);
  /// Why not better; empty if nothing was tried in vain.
  const std::string &note() const { return note_; }
  bool stepped_down() const { return stepped_down_; }

 private:
  std::uint32_t choose(const bench_callable_v1 *callable, std::uint32_t launches) const;
  void open_gate_and_graphs();
  void step_down(const std::string &reason);

  const Target &target_;
  const bench_stream_v1 &stream_;
  const Policy &policy_;
  const Extensions extensions_;
  EventPair pair_;
  EventWindow events_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<GraphCache> graphs_;
  std::unique_ptr<GraphWindow> graph_;
  std::unique_ptr<ProfilerWindow> profiler_;
  std::uint32_t gate_depth_ = 0;
  std::uint32_t current_ = BENCH_METHOD_EVENT;
  bool stepped_down_ = false;
  std::string note_;
};

}  // namespace bench::measure
