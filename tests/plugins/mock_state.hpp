// SPDX-License-Identifier: Apache-2.0
// What the mock plugin's files share: its devices, and the door that every call passes.
#pragma once
#include <bench/ext/profiler.h>

#include <algorithm>
#include <atomic>
#include <bench/plugin.hpp>
#include <map>
#include <set>
#include <vector>

#include "mock_control.h"

struct bench_gate_v1;
struct bench_graph_v1;

namespace mock {

using bench::plugin::Error;
using bench::plugin::guarded;
using Script = bench_test_mock_script_v1;

constexpr int device_count = 2;
constexpr std::uint64_t flush_bytes = 64u << 20;

/// An operation that waits behind a gate, or is part of a graph.
struct Operation {
  enum Kind { work, flush, event } kind;
  double duration_ns = 0.0;
  bench_event_v1 *target = nullptr;
};

struct Stream {
  double done_ns = 0.0;
  bench_gate_v1 *gate = nullptr;  // closed, or not looked at since
  std::vector<Operation> waiting;
  bench_graph_v1 *recording = nullptr;
};

struct Device {
  Script script{};
  std::set<Stream *> streams;
  Stream own;    // DEFAULT, PER_THREAD, NONE
  Stream stray;  // nobody joins it
  double last_work_ns = -1e18;
  std::uint32_t slow_left = 0;
  bool flushed = false;
  bool profiling = false;
  std::vector<bench_activity_v1> activities;
  std::map<void *, std::uint64_t> memories;
};

}  // namespace mock

struct bench_event_v1 {
  double at_ns = 0.0;
  bool recorded = false;
  mock::Stream *stream = nullptr;
};

struct bench_gate_v1 {
  std::atomic<std::uint32_t> closed{0}, opened{0};  // how often
};

struct bench_graph_v1 {
  std::vector<mock::Operation> operations;
  bool broken = false;
};

struct bench_instance_v1 {
  double host_ns = 1e6;
  mock::Device devices[mock::device_count];
};

namespace mock {

inline Device &device_of(bench_instance_v1 *instance, bench_device_v1 device) {
  if (device.type != BENCH_DEVICE_EXT || device.id < 0 || device.id >= device_count) {
    throw Error(BENCH_ERROR_NO_DEVICE,
                "class mock has devices 0 and 1 of type 12 only, not " + std::to_string(device.id),
                "take one of device_list");
  }
  return instance->devices[device.id];
}

/// The device, unless the script has `function` fail here.
inline Device &enter(bench_instance_v1 *instance, bench_device_v1 number, const char *function) {
  Device &device = device_of(instance, number);
  Script &script = device.script;
  if (script.lost) {
    ++script.calls_after_loss;
    throw Error(BENCH_ERROR_DEVICE_LOST, "the mock device is lost", "start a new process", 719,
                "MOCK_LOST");
  }
  if (script.fail_countdown > 0 && std::strcmp(script.fail_function, function) == 0 &&
      --script.fail_countdown == 0) {
    if (script.fail_status == BENCH_ERROR_DEVICE_LOST) script.lost = 1;
    throw Error(script.fail_status, std::string(function) + " fails as scripted",
                "change the script", 42, "MOCK_SCRIPTED");
  }
  return device;
}

inline Stream &stream_of(Device &device, const bench_stream_v1 *stream) {
  if (stream->kind != BENCH_STREAM_PLUGIN_OWNED && stream->kind != BENCH_STREAM_NATIVE)
    return device.own;
  auto *handle = static_cast<Stream *>(stream->handle);
  if (!device.streams.count(handle))
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "a stream that is not of this device",
                "use one from stream_create");
  return *handle;
}

/// Does `operation` on the device, or records it, or lets it wait behind a closed gate. Blocks, for
/// real, where the queue behind the gate is full.
void enqueue(bench_instance_v1 *instance, Device &device, Stream &stream, Operation operation);
/// Blocks, for real, until the gate that the stream waits at is open; then all that waited runs.
void pass_gate(bench_instance_v1 *instance, Device &device, Stream &stream);
/// Throws for a stream that is being recorded: waiting for it breaks the recording.
void check_not_recording(Stream &stream);
const void *extension(bench_instance_v1 *instance, const char *id);

bench_status memory_allocate(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, std::uint64_t size, void **memory,
                             bench_error_v1 *error);
void memory_free(bench_instance_v1 *instance, bench_device_v1 device, void *memory);
bench_status memory_copy(bench_instance_v1 *instance, bench_device_v1 device, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *stream, bench_error_v1 *error);
bench_status memory_set(bench_instance_v1 *instance, bench_device_v1 device, void *memory,
                        std::uint64_t offset, std::uint8_t value, std::uint64_t size,
                        const bench_stream_v1 *stream, bench_error_v1 *error);
bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 device,
                           const bench_stream_v1 *stream, std::uint64_t *flushed_bytes,
                           bench_error_v1 *error);
void flush_release(bench_instance_v1 *instance, bench_device_v1 device,
                   const bench_stream_v1 *stream);
bench_status flush(bench_instance_v1 *instance, bench_device_v1 device,
                   const bench_stream_v1 *stream, std::uint32_t mode, bench_error_v1 *error);

}  // namespace mock
