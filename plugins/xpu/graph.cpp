// SPDX-License-Identifier: Apache-2.0
// bench.graph/1: a regular command list, recorded once and executed again and again. It holds what
// this plugin appends: launches of bench.kernel/1, fills, copies on the device, flushes. A
// framework's code records only if it appends to the list that it is given.
#include <algorithm>

#include "xpu.hpp"

struct bench_graph_v1 {
  ze_context_handle_t context = nullptr;
  ze_command_list_handle_t list = nullptr;
  ze_command_queue_handle_t queue = nullptr;
  // A closed list runs on a queue, beside the stream. These two put it into the stream's order,
  // each reset by whoever waited for it, so that a launch follows a launch without the host.
  bench_xpu::Signal begin, end;
};

namespace bench_xpu {
namespace {

void destroy_parts(bench_graph_v1 *graph) {
  const Functions &ze = functions();
  if (graph->list) ze.zeCommandListDestroy(graph->list);
  if (graph->queue) ze.zeCommandQueueDestroy(graph->queue);
  destroy_signal(graph->begin);
  destroy_signal(graph->end);
  delete graph;
}

void make_parts(Device &device, const Target &target, bench_graph_v1 &graph) {
  const Functions &ze = functions();
  graph.context = target.context;
  ze_command_queue_desc_t queue{};
  queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queue.ordinal = device.ordinal;
  queue.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  check(ze.zeCommandQueueCreate(graph.context, target.device, &queue, &graph.queue),
        "zeCommandQueueCreate", &device);
  ze_command_list_desc_t list{};
  list.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  list.commandQueueGroupOrdinal = device.ordinal;
  check(ze.zeCommandListCreate(graph.context, target.device, &list, &graph.list),
        "zeCommandListCreate", &device);
  graph.begin = make_signal(device, graph.context);
  graph.end = make_signal(device, graph.context);
  check(ze.zeCommandListAppendWaitOnEvents(graph.list, 1, &graph.begin.event),
        "zeCommandListAppendWaitOnEvents", &device);
  check(ze.zeCommandListAppendEventReset(graph.list, graph.begin.event),
        "zeCommandListAppendEventReset", &device);
  check(ze.zeCommandListAppendBarrier(graph.list, nullptr, 0, nullptr),
        "zeCommandListAppendBarrier", &device);
}

bench_status begin(bench_instance_v1 *instance, bench_device_v1 pair, const bench_stream_v1 *stream,
                   bench_stream_v1 *recording, bench_error_v1 *error) {
  return guarded(error, "graph begin", [&] {
    Device &device = device_of(instance, pair);
    collect_retired(device);
    const Target target = resolve(device, stream);
    if (target.recording)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the stream is a recording itself",
                  "end it before the next begins");
    auto made = std::make_unique<Recording>();
    made->graph = new bench_graph_v1;
    try {
      make_parts(device, target, *made->graph);
    } catch (...) {
      destroy_parts(made->graph);
      throw;
    }
    made->list = made->graph->list;
    bench_stream_v1 full{};
    full.struct_size = recording->struct_size;
    full.kind = BENCH_STREAM_PLUGIN_OWNED;
    full.class_kind = BENCH_XPU_RECORDING_LIST;
    full.handle = made->list;
    full.context = target.context;
    full.device_handle = target.device;
    std::memcpy(recording, &full, std::min<std::size_t>(recording->struct_size, sizeof full));
    device.recordings.push_back(std::move(made));
  });
}

bench_status end(bench_instance_v1 *instance, bench_device_v1 pair, const bench_stream_v1 *stream,
                 bench_graph_v1 **graph, std::uint64_t *nodes, bench_error_v1 *error) {
  if (graph) *graph = nullptr;
  return guarded(error, "graph end", [&] {
    Device &device = listed_device(instance, pair);
    const auto found =
        std::find_if(device.recordings.begin(), device.recordings.end(),
                     [&](const auto &recording) { return recording->list == stream->handle; });
    if (found == device.recordings.end())
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the stream is no recording",
                  "give the stream that begin returned, once");
    const std::unique_ptr<Recording> recording = std::move(*found);
    device.recordings.erase(found);
    if (nodes) *nodes = recording->nodes;
    if (!graph) return destroy_parts(recording->graph);
    try {
      device_of(instance, pair);
      if (!recording->broken.empty())
        throw Error(BENCH_ERROR_UNSUPPORTED, recording->broken,
                    "record launches, fills and copies on the device only");
      check(functions().zeCommandListAppendBarrier(recording->list, recording->graph->end.event, 0,
                                                   nullptr),
            "zeCommandListAppendBarrier", &device);
      check(functions().zeCommandListClose(recording->list), "zeCommandListClose", &device);
    } catch (...) {
      destroy_parts(recording->graph);
      throw;
    }
    *graph = recording->graph;
  });
}

bench_status launch(bench_instance_v1 *instance, bench_device_v1 pair, bench_graph_v1 *graph,
                    const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "graph launch", [&] {
    const Functions &ze = functions();
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    if (target.context != graph->context)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the graph is of another context than the stream",
                  "record it for a stream of this context");
    if (target.recording) {
      target.recording->broken = "a graph within a graph";
      throw Error(BENCH_ERROR_UNSUPPORTED, "a graph within a graph", "launch it on a stream");
    }
    check(ze.zeCommandListAppendBarrier(target.list, graph->begin.event, 0, nullptr),
          "zeCommandListAppendBarrier", &device);
    check(ze.zeCommandQueueExecuteCommandLists(graph->queue, 1, &graph->list, nullptr),
          "zeCommandQueueExecuteCommandLists", &device);
    check(ze.zeCommandListAppendWaitOnEvents(target.list, 1, &graph->end.event),
          "zeCommandListAppendWaitOnEvents", &device);
    check(ze.zeCommandListAppendEventReset(target.list, graph->end.event),
          "zeCommandListAppendEventReset", &device);
    check(order(target), "zeCommandListAppendBarrier", &device);
  });
}

void destroy(bench_instance_v1 *instance, bench_device_v1 pair, bench_graph_v1 *graph) {
  guarded(nullptr, "graph destroy", [&] {
    if (graph) destroy_graph(listed_device(instance, pair), graph);
  });
}

}  // namespace

void destroy_graph(Device &device, bench_graph_v1 *graph) {
  // Its last launch is done when the stream that launched it is.
  when_idle(device, [graph] { destroy_parts(graph); });
}

const bench_ext_graph_v1 graph_extension = {
    sizeof(bench_ext_graph_v1), 0, begin, end, launch, destroy};

}  // namespace bench_xpu
