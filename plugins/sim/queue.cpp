// SPDX-License-Identifier: Apache-2.0
// How operations take time: at once, behind a gate, or as part of a graph.
#include <chrono>
#include <thread>

#include "sim.hpp"

namespace bench_sim {
namespace {

// Only a caller that hangs in a callback meets a closed gate; a watchdog in real time opens it.
constexpr std::chrono::milliseconds gate_poll{1};
// Room for what waits behind a gate, so that a window allocates nothing.
constexpr std::size_t waiting_reserved = 1u << 12;

bool closed(const Stream &stream) {
  return stream.gate && stream.gate->opened.load() < stream.gate->closed.load();
}

/// A full queue holds the host until the oldest operation has ended.
void keep_depth(bench_instance_v1 *instance, Device &device, double end_ns) {
  device.pending.push_back(end_ns);
  if (device.pending.size() <= device.settings.queue_depth) return;
  instance->wait_until(device.pending.front());
  device.pending.pop_front();
}

void perform(bench_instance_v1 *instance, Device &device, Stream &stream, Operation operation) {
  const Settings &s = device.settings;
  const double gap = device.in_graph ? s.cost.graph_gap_ns : s.cost.gap_ns;
  const double begin = std::max(instance->host_ns.load(), stream.done_ns);
  if (operation.kind == Operation::event) {
    operation.target->at_ns = begin;
    operation.target->never = stream.hangs;
    operation.target->recorded = true;
    return;
  }
  if (operation.kind == Operation::flush) {
    stream.done_ns = begin + s.cost.flush_ns;
    device.flushed = true;
  } else {
    bench_kernel_v1 &kernel = *operation.kernel;
    if (kernel.program.has(hang)) stream.hangs = true;
    if (kernel.program.has(lost)) device.lost = true;
    do_effect(device, kernel);
    stream.done_ns = begin + gap + launch_duration(device, kernel, begin);
  }
  keep_depth(instance, device, stream.done_ns);
}

}  // namespace

void hang_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

Stream &stream_of(Device &device, const bench_stream_v1 *stream) {
  if (stream->class_kind != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED, "class_kind " + std::to_string(stream->class_kind),
                "class sim has streams of class_kind 0 only");
  if (stream->kind != BENCH_STREAM_PLUGIN_OWNED && stream->kind != BENCH_STREAM_NATIVE)
    return device.own;
  auto *handle = static_cast<Stream *>(stream->handle);
  if (!device.streams.count(handle))
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "a stream that is not of this device",
                "use one from stream_create");
  return *handle;
}

void check_not_recording(Stream &stream) {
  if (!stream.recording) return;
  stream.recording->broken = true;
  throw Error(BENCH_ERROR_BUSY, "the stream is being recorded", "end the recording first");
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
  if (closed(stream) && stream.waiting.size() < device.settings.queue_depth) {
    stream.waiting.reserve(waiting_reserved);
    stream.waiting.push_back(operation);
    return;
  }
  pass_gate(instance, device, stream);
  perform(instance, device, stream, operation);
}

void synchronize(bench_instance_v1 *instance, Device &device, Stream &stream) {
  check_not_recording(stream);
  pass_gate(instance, device, stream);
  if (device.lost)
    throw Error(BENCH_ERROR_DEVICE_LOST, "the simulated device was lost in this work",
                "start a new process");
  if (stream.hangs) hang_for_ever();
  instance->wait_until(stream.done_ns);
  instance->spend(device.settings.cost.synchronize_ns);
  device.pending.clear();
}

}  // namespace bench_sim
