// SPDX-License-Identifier: Apache-2.0
// What the sim plugin's files share: instance, devices and their queues, under one virtual clock.
#pragma once
#include <bench/ext/kernel.h>

#include <algorithm>
#include <atomic>
#include <bench/plugin.hpp>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "program.hpp"
#include "random.hpp"
#include "settings.hpp"

struct bench_gate_v1;
struct bench_graph_v1;

namespace bench_sim {

using bench::plugin::Error;
using bench::plugin::guarded;
using bench::plugin::write_all;

/// An operation of a stream: at once, behind a gate, or as part of a graph.
struct Operation {
  enum Kind { work, flush, event } kind = work;
  bench_kernel_v1 *kernel = nullptr;
  bench_event_v1 *target = nullptr;
};

struct Stream {
  double done_ns = 0.0;
  bench_gate_v1 *gate = nullptr;  // closed, or not looked at since
  std::vector<Operation> waiting;
  bench_graph_v1 *recording = nullptr;
  bool hangs = false;  // what it waits for never ends
};

struct Device {
  Settings settings;
  Random random;
  std::set<Stream *> streams;
  Stream own;  // DEFAULT, PER_THREAD, NONE
  std::map<char *, std::uint64_t> memories;
  std::uint64_t memory_used = 0;
  std::uint64_t contents = 1;  // counts what the host wrote, so that an effect is not done twice
  bool flush_prepared = false, flushed = false, lost = false;
  // The state of the silicon.
  const bench_kernel_v1 *last_kernel = nullptr;
  double busy_ns = 0.0, last_work_ns = -1e18, warm_launches = 0.0, drift = 0.0;
  bool slow_mode = false, in_graph = false;
  std::uint32_t elapsed_calls = 0;
  std::deque<double> pending;  // ends of operations, oldest first
};

}  // namespace bench_sim

struct bench_event_v1 {
  std::atomic<double> at_ns{0.0};
  std::atomic<bool> recorded{false};
  std::atomic<bool> never{false};  // behind work that hangs
  bench_sim::Stream *stream = nullptr;
};

struct bench_gate_v1 {
  std::atomic<std::uint32_t> closed{0}, opened{0};  // how often
};

struct bench_graph_v1 {
  std::vector<bench_sim::Operation> operations;
  bool broken = false;
};

struct bench_kernel_v1 {
  bench_sim::Program program;
  std::vector<bench_kernel_parameter_v1> parameters;
  std::vector<void *> vectors;  // of the last launch, one a parameter
  std::uint64_t contents = 0;   // Device::contents when its effect was last done
  std::uint64_t launches = 0;
  std::size_t position = 0;  // in the recorded samples
  double visit_factor = 1.0;
};

struct bench_instance_v1 {
  std::string where;  // option "devices"; else the environment's
  std::atomic<double> host_ns{1e6};
  std::mutex mutex;  // of the line below
  std::vector<std::unique_ptr<bench_sim::Device>> devices;

  void spend(double duration_ns) {
    double now = host_ns.load();
    while (!host_ns.compare_exchange_weak(now, now + duration_ns)) {
    }
  }
  void wait_until(double time_ns) {
    double now = host_ns.load();
    while (now < time_ns && !host_ns.compare_exchange_weak(now, time_ns)) {
    }
  }
};

namespace bench_sim {

/// The devices, read at first need. Throws NO_DRIVER where nothing asked for a simulation.
std::vector<std::unique_ptr<Device>> &devices_of(bench_instance_v1 *instance);
Device &device_of(bench_instance_v1 *instance, bench_device_v1 device);
/// The same, unless it is lost.
Device &enter(bench_instance_v1 *instance, bench_device_v1 device);
Stream &stream_of(Device &device, const bench_stream_v1 *stream);

/// How long the device works on one launch that begins at `begin_ns`.
double launch_duration(Device &device, bench_kernel_v1 &kernel, double begin_ns);
/// What a launch does to memory.
void do_effect(Device &device, bench_kernel_v1 &kernel);

void enqueue(bench_instance_v1 *instance, Device &device, Stream &stream, Operation operation);
/// Blocks, for real, until the gate that the stream waits at is open; then all that waited runs.
void pass_gate(bench_instance_v1 *instance, Device &device, Stream &stream);
/// Until all work of the stream is done. Never returns from one that hangs.
void synchronize(bench_instance_v1 *instance, Device &device, Stream &stream);
void check_not_recording(Stream &stream);
[[noreturn]] void hang_for_ever();

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error);
bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error);
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

extern const bench_ext_kernel_v1 kernel_extension;
const void *extension(bench_instance_v1 *instance, const char *id);

}  // namespace bench_sim
