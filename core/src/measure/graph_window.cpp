// SPDX-License-Identifier: Apache-2.0
#include "measure/graph_window.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "measure/gate.hpp"

namespace bench::measure {
namespace {

// A race has up to this many candidates in turn; a graph of a thousand launches takes about a
// megabyte of host and device memory.
constexpr std::size_t most_graphs = 128;

}  // namespace

bench_graph_v1 *GraphCache::get(const bench_callable_v1 *callable, const bench_config_v1 *config,
                                std::uint32_t launches, std::uint32_t flush_mode,
                                bool &from_callback) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &entry) {
    return entry.callable == callable && entry.config == config && entry.launches == launches &&
           entry.flush_mode == flush_mode;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().graph;
  }
  bench_graph_v1 *graph = record(callable, config, launches, flush_mode, from_callback);
  entries_.push_front({callable, config, launches, flush_mode, graph});
  if (entries_.size() > most_graphs) {
    extension_.destroy(target_.instance, target_.device, entries_.back().graph);
    entries_.pop_back();
  }
  return graph;
}

bench_graph_v1 *GraphCache::record(const bench_callable_v1 *callable, const bench_config_v1 *config,
                                   std::uint32_t launches, std::uint32_t flush_mode,
                                   bool &from_callback) {
  bench_error_v1 error = error_struct();
  bench_stream_v1 recording{};
  recording.struct_size = sizeof recording;
  bench_status status =
      extension_.begin(target_.instance, target_.device, &stream_, &recording, &error);
  if (status != BENCH_OK) throw Failure(status, error, "graph");
  const char *step = "graph";
  const bool astray = callable && (callable->flags & BENCH_CALLABLE_OWN_STREAM) &&
                      recording.handle != stream_.handle;
  for (std::uint32_t i = 0; i < launches && status == BENCH_OK && !astray; ++i) {
    if (flush_mode != 0) {
      step = "flush";
      status = target_.api->flush(target_.instance, target_.device, &recording, flush_mode, &error);
    }
    if (callable && status == BENCH_OK) {
      step = "launch";
      status = callable->launch(callable->user, config, &recording, &error);
      from_callback = status != BENCH_OK;
    }
  }
  // Also after a failure: until its end nothing but the recording can use the stream.
  bench_graph_v1 *graph = nullptr;
  std::uint64_t nodes = 0;
  const bool keep = status == BENCH_OK && !astray;
  bench_error_v1 end_error = error_struct();
  const bench_status ended = extension_.end(target_.instance, target_.device, &recording,
                                            keep ? &graph : nullptr, &nodes, &end_error);
  if (status != BENCH_OK) throw Failure(status, error, step);
  if (astray)
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the callable launches on a stream of its own that cannot be recorded", "graph",
                  "launch on the stream that is given");
  if (ended != BENCH_OK) throw Failure(ended, end_error, "graph");
  if (nodes == 0 && launches > 0) {
    extension_.destroy(target_.instance, target_.device, graph);
    throw Failure(BENCH_ERROR_UNSUPPORTED, "the launches left nothing in the recording", "graph",
                  "launch on the stream that is given, or leave CAPTURABLE out of the flags");
  }
  return graph;
}

void GraphCache::drop(const bench_callable_v1 *callable) {
  entries_.remove_if([&](const Entry &entry) {
    if (entry.callable != callable) return false;
    extension_.destroy(target_.instance, target_.device, entry.graph);
    return true;
  });
}

void GraphCache::clear() {
  for (const Entry &entry : entries_)
    extension_.destroy(target_.instance, target_.device, entry.graph);
  entries_.clear();
}

WindowFault GraphWindow::run(const bench_callable_v1 *, const bench_config_v1 *,
                             std::uint32_t launches, bench_sample_v1 &sample,
                             bench_error_v1 &error) {
  sample = {};
  sample.launches = launches;
  if (const WindowFault fault = events_.begin(gate_, sample, error); fault.status != BENCH_OK)
    return fault;
  const bench_status status =
      extension_.launch(target_.instance, target_.device, graph_, &stream_, &error);
  if (status != BENCH_OK) return EventPair::abandon(gate_, {status, "graph launch"});
  return events_.end(gate_, sample, error);
}

}  // namespace bench::measure
