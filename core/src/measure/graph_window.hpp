// SPDX-License-Identifier: Apache-2.0
// Windows of one graph that holds all launches: the host submits it once, so that launches follow
// each other as closely as the device can.
#pragma once
#include <cstdint>
#include <list>
#include <string>

#include "bench/ext/graph.h"
#include "measure/engine.hpp"
#include "measure/window.hpp"

namespace bench::measure {

/// Recorded launches, kept by callable, configuration and number until dropped.
class GraphCache {
 public:
  GraphCache(const Target &target, const bench_ext_graph_v1 &extension,
             const bench_stream_v1 &stream)
      : target_(target), extension_(extension), stream_(stream) {}
  ~GraphCache() { clear(); }
  GraphCache(const GraphCache &) = delete;  // owns the graphs
  GraphCache &operator=(const GraphCache &) = delete;

  /// The graph of so many launches, each after a flush of `flush_mode` if that is not 0; no
  /// callable: flushes alone. Records it where it is not yet there. Throws Failure; a failing
  /// callback's own status with `from_callback` set.
  bench_graph_v1 *get(const bench_callable_v1 *callable, const bench_config_v1 *config,
                      std::uint32_t launches, std::uint32_t flush_mode, bool &from_callback);
  /// Forgets the graphs of a callable whose arguments or code are about to change.
  void drop(const bench_callable_v1 *callable);
  void clear();

 private:
  struct Entry {
    const bench_callable_v1 *callable;
    const bench_config_v1 *config;
    std::uint32_t launches, flush_mode;
    bench_graph_v1 *graph;
  };
  bench_graph_v1 *record(const bench_callable_v1 *callable, const bench_config_v1 *config,
                         std::uint32_t launches, std::uint32_t flush_mode, bool &from_callback);

  const Target &target_;
  const bench_ext_graph_v1 &extension_;
  const bench_stream_v1 &stream_;
  std::list<Entry> entries_;  // the latest used first
};

/// One launch of a graph between two events, behind a gate where one is given: without it the start
/// is recorded while the host still submits.
class GraphWindow final : public WindowMethod {
 public:
  GraphWindow(const Target &target, const bench_ext_graph_v1 &extension, EventPair &events,
              const bench_stream_v1 &stream)
      : target_(target), extension_(extension), events_(events), stream_(stream) {}
  void set_gate(Gate *gate) { gate_ = gate; }
  /// What the next windows launch.
  void set_graph(bench_graph_v1 *graph) { graph_ = graph; }

  WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                  std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error) override;

 private:
  const Target &target_;
  const bench_ext_graph_v1 &extension_;
  EventPair &events_;
  const bench_stream_v1 &stream_;
  Gate *gate_ = nullptr;
  bench_graph_v1 *graph_ = nullptr;
};

}  // namespace bench::measure
