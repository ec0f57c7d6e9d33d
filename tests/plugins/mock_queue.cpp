// SPDX-License-Identifier: Apache-2.0
// How operations of the mock plugin take time: at once, behind a gate, or as part of a graph.
#include <chrono>
#include <thread>

#include "mock_state.hpp"

namespace mock {
namespace {

constexpr std::chrono::milliseconds gate_poll{1};
// Room for what waits behind a gate, so that a window allocates nothing.
constexpr std::size_t waiting_reserved = 1u << 14;

bool closed(const Stream &stream) {
  return stream.gate && stream.gate->opened.load() < stream.gate->closed.load();
}

void note_activity(Device &device, double begin_ns, double end_ns, std::uint32_t kind) {
  bench_activity_v1 activity{};
  activity.start_ns = static_cast<std::int64_t>(begin_ns);
  activity.end_ns = static_cast<std::int64_t>(end_ns);
  activity.kind = kind;
  bench::plugin::copy_text(activity.name, "work");
  device.activities.push_back(activity);
}

/// What the operation does once nothing holds it.
void perform(bench_instance_v1 *instance, Device &device, Stream &stream, Operation operation) {
  Script &script = device.script;
  const double begin = std::max(instance->host_ns, stream.done_ns);
  double duration_ns = operation.duration_ns;
  if (operation.kind == Operation::event) {
    operation.target->at_ns = begin;
    stream.done_ns = begin + script.event_gap_ns + script.records % 5 * script.event_gap_step_ns;
    return;
  }
  if (operation.kind == Operation::work) {
    if (instance->host_ns - device.last_work_ns > script.idle_limit_ns)
      device.slow_left = script.slow_count;
    if (device.slow_left > 0) {
      --device.slow_left;
      duration_ns *= script.slow_factor;
    }
    if (device.flushed) duration_ns += script.cold_extra_ns;
  }
  device.flushed = operation.kind == Operation::flush;
  stream.done_ns = begin + duration_ns;
  device.last_work_ns = stream.done_ns;
  if (device.profiling)
    note_activity(device, begin, stream.done_ns,
                  operation.kind == Operation::flush ? BENCH_ACTIVITY_FILL : BENCH_ACTIVITY_KERNEL);
  if (script.synchronous) instance->host_ns = std::max(instance->host_ns, stream.done_ns);
}

}  // namespace

void check_not_recording(Stream &stream) {
  if (!stream.recording) return;
  stream.recording->broken = true;
  throw Error(BENCH_ERROR_BUSY, "the stream is being recorded", "end the recording first", 900,
              "MOCK_RECORDING");
}

void pass_gate(bench_instance_v1 *instance, Device &device, Stream &stream) {
  while (closed(stream)) std::this_thread::sleep_for(gate_poll);
  if (!stream.gate) return;
  stream.gate = nullptr;
  for (const Operation &operation : stream.waiting) perform(instance, device, stream, operation);
  stream.waiting.clear();
}

void enqueue(bench_instance_v1 *instance, Device &device, Stream &stream, Operation operation) {
  if (stream.recording) {
    stream.recording->operations.push_back(operation);
    return;
  }
  const std::uint32_t limit = device.script.queue_limit;
  if (closed(stream) && !(limit && stream.waiting.size() >= limit)) {
    stream.waiting.reserve(waiting_reserved);
    stream.waiting.push_back(operation);
    return;
  }
  pass_gate(instance, device, stream);
  perform(instance, device, stream, operation);
}

}  // namespace mock
