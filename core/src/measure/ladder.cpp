// SPDX-License-Identifier: Apache-2.0
#include "measure/ladder.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "measure/limits.hpp"

namespace bench::measure {
namespace {

// Where a plugin does not say how much fits behind its gate.
constexpr std::uint32_t unknown_gate_depth = 128;
// Recording a graph costs the host about a microsecond a launch, each time something changes.
constexpr std::uint32_t deepest_graph = 4096;
// Shorter than this a graph saves nothing over launches behind a gate.
constexpr std::uint32_t smallest_graph = 2;

// The device did not wait if the host was done well before it.
constexpr double host_bound_share = 0.9;

[[noreturn]] void missing(Method method, const std::string &reason) {
  throw Failure(
      BENCH_ERROR_UNSUPPORTED,
      std::string("the method \"") + method_name(method) + "\" is not to be had: " + reason,
      "measuring engine", "leave the choice of the method to the engine");
}

}  // namespace

Ladder::Ladder(const Target &target, const bench_stream_v1 &stream, const Policy &policy,
               Clock &clock)
    : target_(target),
      stream_(stream),
      policy_(policy),
      extensions_(*target.api, target.instance),
      pair_(target, stream, clock),
      events_(pair_, stream) {
  if (policy.method != Method::profiler) {
    open_gate_and_graphs();
    return;
  }
  if (!extensions_.profiler) missing(policy.method, "the plugin has no bench.profiler/1");
  profiler_ = std::make_unique<ProfilerWindow>(target_, *extensions_.profiler, stream_, clock);
}

void Ladder::open_gate_and_graphs() {
  const Method wanted = policy_.method;
  if (extensions_.gate && wanted != Method::event) {
    try {
      gate_ = std::make_unique<Gate>(target_, *extensions_.gate, stream_);
      gate_depth_ = gate_->depth() ? gate_->depth() : unknown_gate_depth;
    } catch (const Failure &failure) {
      if (failure.status() == BENCH_ERROR_DEVICE_LOST) throw;
      // Not every device of a class can wait for the host: no step down, it was never there.
      if (wanted == Method::gate) missing(wanted, failure.what());
      if (failure.status() != BENCH_ERROR_UNSUPPORTED) step_down(failure.what());
    }
  }
  if (wanted == Method::gate && !gate_) missing(wanted, "the plugin has no bench.gate/1");
  if (extensions_.graph && wanted != Method::event && wanted != Method::gate) {
    graphs_ = std::make_unique<GraphCache>(target_, *extensions_.graph, stream_);
    graph_ = std::make_unique<GraphWindow>(target_, *extensions_.graph, pair_, stream_);
  }
  if (wanted == Method::graph && !graph_) missing(wanted, "the plugin has no bench.graph/1");
}

bool Ladder::records(const bench_callable_v1 &callable) const {
  constexpr std::uint32_t needed = BENCH_CALLABLE_CAPTURABLE | BENCH_CALLABLE_REPEATABLE;
  return graph_ && (callable.flags & needed) == needed && !callable.wait &&
         !(callable.flags & BENCH_CALLABLE_SYNCHRONOUS);
}

std::uint32_t Ladder::choose(const bench_callable_v1 *callable, std::uint32_t launches) const {
  if (profiler_) return BENCH_METHOD_PROFILER;
  if (callable && launches >= smallest_graph && records(*callable)) return BENCH_METHOD_GRAPH;
  // A wait before the window's end would wait for a closed gate.
  const bool waits = callable && (callable->wait || (callable->flags & BENCH_CALLABLE_SYNCHRONOUS));
  if (gate_ && !waits && launches <= gate_depth_) return BENCH_METHOD_GATE;
  return launches > 1 ? BENCH_METHOD_BATCH : BENCH_METHOD_EVENT;
}

std::uint32_t Ladder::method(const bench_callable_v1 &callable, std::uint32_t launches) const {
  return choose(&callable, launches);
}

std::uint32_t Ladder::deepest(const bench_callable_v1 &callable) const {
  if (profiler_) return most_launches;
  if (records(callable)) return deepest_graph;  // with or without a gate
  return choose(&callable, 1) == BENCH_METHOD_GATE ? gate_depth_ : most_launches;
}

void Ladder::prepare(const bench_callable_v1 *callable, const bench_config_v1 *config,
                     std::uint32_t launches, bool &from_callback) {
  current_ = choose(callable, launches);
  if (current_ == BENCH_METHOD_GRAPH) {
    try {
      graph_->set_graph(graphs_->get(callable, config, launches, 0, from_callback));
    } catch (const Failure &failure) {
      if (failure.status() == BENCH_ERROR_DEVICE_LOST) throw;
      if (policy_.method == Method::graph) throw;
      // A callable that fails while it is recorded may work when it runs: that decides.
      from_callback = false;
      forbid_graph(failure.what());
      throw SteppedDown();
    }
    graph_->set_gate(gate_.get());
  }
  events_.set_gate(current_ == BENCH_METHOD_GATE ? gate_.get() : nullptr);
}

WindowFault Ladder::run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                        std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error) {
  switch (current_) {
    case BENCH_METHOD_PROFILER:
      return profiler_->run(callable, config, launches, sample, error);
    case BENCH_METHOD_GRAPH:
      return graph_->run(callable, config, launches, sample, error);
    default:
      return events_.run(callable, config, launches, sample, error);
  }
}

WindowFault Ladder::run_cold_graph(const bench_callable_v1 *callable, const bench_config_v1 *config,
                                   std::uint32_t pairs, bench_sample_v1 &sample,
                                   bench_error_v1 &error, bool &from_callback) {
  current_ = BENCH_METHOD_GRAPH;
  graph_->set_graph(graphs_->get(callable, config, pairs, BENCH_FLUSH_WRITE, from_callback));
  graph_->set_gate(gate_.get());
  return graph_->run(callable, config, pairs, sample, error);
}

void Ladder::lower_gate(std::uint32_t launches) {
  if (current_ == BENCH_METHOD_GRAPH) {
    forbid_gate("submitting a graph waits for the device");
    return;
  }
  gate_depth_ = std::min(gate_depth_, launches) / 2;
  if (gate_depth_ == 0) {
    forbid_gate("a launch waits for the device");
    return;
  }
  step_down("the gate had to be opened before " + std::to_string(launches) +
            " launches were enqueued: " + std::to_string(gate_depth_) + " from now on");
}

void Ladder::forbid_gate(const std::string &reason) {
  if (!gate_) return;
  gate_.reset();
  if (graph_) graph_->set_gate(nullptr);
  step_down("no gate: " + reason);
}

void Ladder::forbid_graph(const std::string &reason) {
  if (!graph_) return;
  graphs_.reset();
  graph_.reset();
  step_down("no graph: " + reason);
}

void Ladder::forbid_profiler(const std::string &reason) {
  profiler_.reset();
  step_down("no profiler: " + reason);
  open_gate_and_graphs();
}

void Ladder::step_down(const std::string &reason) {
  stepped_down_ = true;
  note_ += (note_.empty() ? "" : "; ") + reason;
}

bool Ladder::host_bound(const bench_sample_v1 &sample) const {
  // Where launching is working, the host is what is to be measured.
  return !target_.synchronous &&
         (current_ == BENCH_METHOD_BATCH || current_ == BENCH_METHOD_EVENT) &&
         static_cast<double>(pair_.enqueued_ns()) > host_bound_share * sample.elapsed_ns;
}

void Ladder::drop(const bench_callable_v1 *callable) {
  if (graphs_) graphs_->drop(callable);
}

}  // namespace bench::measure
