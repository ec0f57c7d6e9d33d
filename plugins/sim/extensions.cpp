// SPDX-License-Identifier: Apache-2.0
// Clock, gate and graph of a simulated device.
#include <bench/ext/clock.h>
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>

#include <utility>

#include "sim.hpp"

namespace bench_sim {
namespace {

// Reading the clock takes time, or a loop that waits for a deadline would never get there.
constexpr double read_clock_ns = 20.0;

std::int64_t now_ns(bench_instance_v1 *instance) {
  instance->spend(read_clock_ns);
  return static_cast<std::int64_t>(instance->host_ns.load());
}

void sleep_until(bench_instance_v1 *instance, std::int64_t time_ns) {
  instance->wait_until(static_cast<double>(time_ns));
}

bench_status gate_create(bench_instance_v1 *instance, bench_device_v1 number,
                         const bench_stream_v1 *, bench_gate_v1 **gate, bench_error_v1 *error) {
  *gate = nullptr;
  return guarded(error, "gate_create", [&] {
    if (!enter(instance, number).settings.gate)
      throw Error(BENCH_ERROR_UNSUPPORTED, "this device has no gate", "measure without one");
    *gate = new bench_gate_v1;
  });
}

void gate_open(bench_instance_v1 *, bench_device_v1, bench_gate_v1 *gate) {
  gate->opened.store(gate->closed.load());
}

void gate_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_gate_v1 *gate) {
  if (!gate) return;
  gate_open(instance, number, gate);
  guarded(nullptr, "gate_destroy", [&] {
    Device &device = device_of(instance, number);
    for (Stream *stream : device.streams)
      if (stream->gate == gate) pass_gate(instance, device, *stream);
    if (device.own.gate == gate) pass_gate(instance, device, device.own);
  });
  delete gate;
}

bench_status gate_enqueue(bench_instance_v1 *instance, bench_device_v1 number, bench_gate_v1 *gate,
                          const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "gate_enqueue", [&] {
    Device &device = enter(instance, number);
    Stream &queue = stream_of(device, stream);
    pass_gate(instance, device, queue);
    ++gate->closed;
    queue.gate = gate;
  });
}

bench_status graph_begin(bench_instance_v1 *instance, bench_device_v1 number,
                         const bench_stream_v1 *stream, bench_stream_v1 *recording,
                         bench_error_v1 *error) {
  return guarded(error, "graph_begin", [&] {
    Device &device = enter(instance, number);
    if (!device.settings.graph)
      throw Error(BENCH_ERROR_UNSUPPORTED, "this device has no graphs", "launch one by one");
    Stream &queue = stream_of(device, stream);
    check_not_recording(queue);
    queue.recording = new bench_graph_v1;
    const std::uint32_t size = recording->struct_size;
    *recording = *stream;
    recording->struct_size = size;
  });
}

bench_status graph_end(bench_instance_v1 *instance, bench_device_v1 number,
                       const bench_stream_v1 *recording, bench_graph_v1 **graph,
                       std::uint64_t *nodes, bench_error_v1 *error) {
  if (graph) *graph = nullptr;
  return guarded(error, "graph_end", [&] {
    Stream &queue = stream_of(device_of(instance, number), recording);
    std::unique_ptr<bench_graph_v1> made(std::exchange(queue.recording, nullptr));
    if (!made)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "nothing is being recorded", "begin first");
    if (nodes) *nodes = made->operations.size();
    if (made->broken)
      throw Error(BENCH_ERROR_UNSUPPORTED, "a wait broke the recording", "do not wait in a launch");
    if (graph) *graph = made.release();
  });
}

bench_status graph_launch(bench_instance_v1 *instance, bench_device_v1 number,
                          bench_graph_v1 *graph, const bench_stream_v1 *stream,
                          bench_error_v1 *error) {
  return guarded(error, "graph_launch", [&] {
    Device &device = enter(instance, number);
    Stream &queue = stream_of(device, stream);
    pass_gate(instance, device, queue);
    instance->spend(device.settings.cost.submit_ns);
    device.in_graph = true;
    for (const Operation &operation : graph->operations)
      enqueue(instance, device, queue, operation);
    device.in_graph = false;
  });
}

void graph_destroy(bench_instance_v1 *, bench_device_v1, bench_graph_v1 *graph) {
  delete graph;
}

}  // namespace

const void *extension(bench_instance_v1 *, const char *id) {
  static const bench_ext_clock_v1 clock = {sizeof clock, 0, now_ns, sleep_until};
  static const bench_ext_gate_v1 gate = {sizeof gate,  0,        gate_create, gate_destroy,
                                         gate_enqueue, gate_open};
  static const bench_ext_graph_v1 graph = {sizeof graph, 0, graph_begin, graph_end, graph_launch,
                                           graph_destroy};
  if (std::strcmp(id, BENCH_EXT_CLOCK_V1) == 0) return &clock;
  if (std::strcmp(id, BENCH_EXT_GATE_V1) == 0) return &gate;
  if (std::strcmp(id, BENCH_EXT_GRAPH_V1) == 0) return &graph;
  if (std::strcmp(id, BENCH_EXT_KERNEL_V1) == 0) return &kernel_extension;
  return nullptr;
}

}  // namespace bench_sim
