// SPDX-License-Identifier: Apache-2.0
// The extensions of the mock plugin: gate, graph, capture, profiler and telemetry.
#include <bench/ext/capture.h>
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>
#include <bench/ext/telemetry.h>

#include <memory>
#include <utility>

#include "mock_state.hpp"

namespace mock {
namespace {

constexpr double ns_per_s = 1e9;

bench_status gate_create(bench_instance_v1 *instance, bench_device_v1 number,
                         const bench_stream_v1 *, bench_gate_v1 **gate, bench_error_v1 *error) {
  *gate = nullptr;
  return guarded(error, "gate_create", [&] {
    Device &device = enter(instance, number, "gate_create");
    *gate = new bench_gate_v1;
    ++device.script.gates_alive;
  });
}

void gate_open(bench_instance_v1 *, bench_device_v1, bench_gate_v1 *gate) {
  gate->opened.store(gate->closed.load());
}

void gate_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_gate_v1 *gate) {
  if (!gate) return;
  gate_open(instance, number, gate);
  Device &device = instance->devices[number.id];
  for (Stream *stream : device.streams)
    if (stream->gate == gate) pass_gate(instance, device, *stream);
  if (device.own.gate == gate) pass_gate(instance, device, device.own);
  delete gate;
  --device.script.gates_alive;
}

bench_status gate_enqueue(bench_instance_v1 *instance, bench_device_v1 number, bench_gate_v1 *gate,
                          const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "gate_enqueue", [&] {
    Device &device = enter(instance, number, "gate_enqueue");
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
    Device &device = enter(instance, number, "graph_begin");
    stream_of(device, stream).recording = new bench_graph_v1;
    ++device.script.recordings;
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
    Device &device = device_of(instance, number);
    const std::unique_ptr<bench_graph_v1> made(
        std::exchange(stream_of(device, recording).recording, nullptr));
    enter(instance, number, "graph_end");
    const bool broken = made->broken;
    if (nodes) *nodes = made->operations.size();
    if (broken)
      throw Error(BENCH_ERROR_UNSUPPORTED, "a wait broke the recording", "do not wait in a launch",
                  901, "MOCK_RECORDING_BROKEN");
    if (!graph) return;
    *graph = new bench_graph_v1(*made);
    ++device.script.graphs_alive;
  });
}

bench_status graph_launch(bench_instance_v1 *instance, bench_device_v1 number,
                          bench_graph_v1 *graph, const bench_stream_v1 *stream,
                          bench_error_v1 *error) {
  return guarded(error, "graph_launch", [&] {
    Device &device = enter(instance, number, "graph_launch");
    Script &script = device.script;
    ++script.graph_launches;
    instance->host_ns += script.submit_ns;
    const double jitter = script.graph_launches % 3 == 0 ? 1.0 + script.recording_jitter : 1.0;
    for (Operation operation : graph->operations) {
      operation.duration_ns *= jitter;
      enqueue(instance, device, stream_of(device, stream), operation);
    }
  });
}

void graph_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_graph_v1 *graph) {
  if (!graph) return;
  delete graph;
  --instance->devices[number.id].script.graphs_alive;
}

bench_status capture_query(bench_instance_v1 *instance, bench_device_v1 number,
                           const bench_stream_v1 *, std::uint32_t *state, bench_error_v1 *error) {
  return guarded(error, "capture_query",
                 [&] { *state = enter(instance, number, "capture_query").script.capture_state; });
}

bench_status profiler_start(bench_instance_v1 *instance, bench_device_v1 number,
                            bench_error_v1 *error) {
  return guarded(error, "profiler_start", [&] {
    Device &device = enter(instance, number, "profiler_start");
    if (device.script.profiler_busy)
      throw Error(BENCH_ERROR_BUSY, "another tool holds the profiler", "close it", 39,
                  "MOCK_PROFILER_BUSY");
    device.profiling = true;
    device.activities.clear();
  });
}

bench_status profiler_stop(bench_instance_v1 *instance, bench_device_v1 number,
                           bench_activity_v1 *activities, std::uint64_t capacity,
                           std::uint64_t *count, std::uint64_t *dropped, bench_error_v1 *error) {
  return guarded(error, "profiler_stop", [&] {
    Device &device = enter(instance, number, "profiler_stop");
    for (Stream *stream : device.streams) {
      pass_gate(instance, device, *stream);
      instance->host_ns = std::max(instance->host_ns, stream->done_ns);
    }
    device.profiling = false;
    *count = device.activities.size();
    if (dropped) *dropped = 0;
    std::copy_n(device.activities.begin(), std::min<std::uint64_t>(capacity, *count), activities);
  });
}

bench_status telemetry_read(bench_instance_v1 *instance, bench_device_v1 number,
                            bench_telemetry_v1 *telemetry, bench_error_v1 *error) {
  return guarded(error, "telemetry_read", [&] {
    const Script &script = enter(instance, number, "telemetry_read").script;
    telemetry->known = BENCH_TELEMETRY_CLOCK | BENCH_TELEMETRY_POWER | BENCH_TELEMETRY_ENERGY |
                       BENCH_TELEMETRY_THROTTLE;
    const bool throttled =
        script.throttled_after_ns > 0.0 && instance->host_ns >= script.throttled_after_ns;
    telemetry->clock_hz = throttled ? 1e9 : 2e9;
    telemetry->throttle = throttled ? BENCH_THROTTLE_POWER : 0u;
    telemetry->power_watts = script.power_watts;
    telemetry->energy_joules = script.power_watts * instance->host_ns / ns_per_s;
  });
}

}  // namespace

const void *extension(bench_instance_v1 *instance, const char *id) {
  static const bench_ext_gate_v1 gate = {sizeof gate,  0,        gate_create, gate_destroy,
                                         gate_enqueue, gate_open};
  static const bench_ext_graph_v1 graph = {sizeof graph, 0, graph_begin, graph_end, graph_launch,
                                           graph_destroy};
  static const bench_ext_capture_v1 capture = {sizeof capture, 0, capture_query};
  static const bench_ext_profiler_v1 profiler = {sizeof profiler, 0, profiler_start, profiler_stop};
  static const bench_ext_telemetry_v1 telemetry = {sizeof telemetry, 0, telemetry_read, nullptr,
                                                   nullptr};
  const struct {
    std::uint32_t bit;
    const char *id;
    const void *table;
  } offered[] = {{MOCK_OFFERS_GATE, BENCH_EXT_GATE_V1, &gate},
                 {MOCK_OFFERS_GRAPH, BENCH_EXT_GRAPH_V1, &graph},
                 {MOCK_OFFERS_CAPTURE, BENCH_EXT_CAPTURE_V1, &capture},
                 {MOCK_OFFERS_PROFILER, BENCH_EXT_PROFILER_V1, &profiler},
                 {MOCK_OFFERS_TELEMETRY, BENCH_EXT_TELEMETRY_V1, &telemetry}};
  const std::uint32_t offers = instance ? instance->devices[0].script.offers : 0u;
  for (const auto &one : offered)
    if ((offers & one.bit) && std::strcmp(id, one.id) == 0) return one.table;
  return nullptr;
}

}  // namespace mock
