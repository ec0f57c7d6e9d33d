// SPDX-License-Identifier: Apache-2.0
// What the files of the xpu plugin share. Class "xpu": Intel GPUs through Level Zero. Device ids:
// the GPUs in the order of zeDriverGet and zeDeviceGet (what SYCL and PyTorch count), then the
// sub-devices of each in order. Streams: see bench/ext/xpu.h.
#pragma once
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>
#include <bench/ext/kernel.h>
#include <bench/ext/profiler.h>
#include <bench/ext/telemetry.h>
#include <bench/ext/xpu.h>

#include <atomic>
#include <bench/plugin.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "functions.hpp"
#include "ticks.hpp"

namespace bench_xpu {

using bench::plugin::Error;
using bench::plugin::guarded;
using bench::plugin::write_all;

/// One event of a pool of its own. Destroyed by the one who knows that nothing waits for it.
struct Signal {
  ze_event_pool_handle_t pool = nullptr;
  ze_event_handle_t event = nullptr;
};

/// A stream of ours: a command list and what orders it.
struct OwnStream {
  ze_command_list_handle_t list;
  bool in_order;  // the driver orders it; else barriers do
};

/// A regular command list that bench.graph/1 records.
struct Recording {
  ze_command_list_handle_t list = nullptr;
  bench_graph_v1 *graph = nullptr;  // owned until end() hands it out
  std::uint64_t nodes = 0;
  std::string broken;  // why it cannot become a graph; empty = it can
};

/// Something destroyed while the device may still use it: destroying would have to wait, and who
/// waits may be the one who has to open the gate.
struct Retired {
  std::vector<Signal> until;  // all of them have to happen
  std::function<void()> destroy;
};

/// The kernel that reads a flush's memory.
struct Reader {
  ze_module_handle_t module = nullptr;
  ze_kernel_handle_t kernel = nullptr;
  std::string absent;  // why it is; empty = it is there
};

struct FlushMemory {
  ze_context_handle_t context;
  void *memory;
  std::uint64_t size;
  Reader reader;
};

struct KernelName {
  char text[sizeof(bench_activity_v1::name)];  // copied: the kernel may be gone when it is read
};

/// Kernel timestamps of our own launches while bench.profiler/1 records.
struct Profile {
  bool active = false;
  ze_event_pool_handle_t pool = nullptr;
  std::vector<ze_event_handle_t> events;
  std::vector<KernelName> names;  // of the first `used` events
  std::uint32_t used = 0;
  std::uint64_t dropped = 0;
  ze_context_handle_t context = nullptr;
};

struct Device {
  // From the list; constant afterwards.
  std::int32_t id = 0;
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t handle = nullptr;
  ze_api_version_t api_version{};
  std::int32_t parent = -1;           // id of the device that this is a part of
  std::uint32_t part = 0, parts = 0;  // 1 of 2
  std::uint32_t ordinal = 0;          // the queue group that computes
  Counter global, kernel;             // ticks of global and of kernel timestamps
  std::uint64_t max_allocation = 0;
  std::uint64_t cache_bytes = 0;
  ze_device_compute_properties_t compute{};
  bool can_defer_free = false;  // zeMemFreeExt waits by itself, for frameworks' streams too

  // From the first [device] call on; one thread at a time, but for what is atomic.
  std::atomic<bool> lost{false};
  ze_context_handle_t context = nullptr;
  Signal sync;  // in `context`
  std::vector<OwnStream> streams;
  ze_command_list_handle_t default_list = nullptr;
  std::vector<std::unique_ptr<Recording>> recordings;
  std::vector<FlushMemory> flushes;
  std::map<void *, ze_context_handle_t> memory;
  std::vector<Retired> retired;
  Profile profile;
};

/// A stream as the functions need it.
struct Target {
  ze_command_list_handle_t list;
  ze_context_handle_t context;
  ze_device_handle_t device;
  bool in_order;
  Recording *recording;  // or NULL
};

}  // namespace bench_xpu

struct bench_instance_v1 {
  const bench_host_v1 *host = nullptr;
  std::mutex mutex;                 // of the first list
  std::atomic<bool> listed{false};  // `devices` is complete and constant
  std::vector<std::unique_ptr<bench_xpu::Device>> devices;
};

struct bench_event_v1 {
  bench_xpu::Signal signal;
  ze_context_handle_t context;
  std::uint64_t *timestamp;  // host memory that the device writes
  std::atomic<bool> recorded{false};
};

namespace bench_xpu {

// result.cpp
struct ResultText {
  const char *name;
  bench_status status;
  const char *hint;
};
/// The vendor's name of a code and what it means to the caller.
ResultText describe(ze_result_t result);
/// Throws unless the call succeeded. A lost device is remembered in `device` (may be NULL).
void check(ze_result_t result, const char *function, Device *device,
           const std::string &details = "");
/// The same without an exception, for [timed] functions.
bench_status report(ze_result_t result, const char *function, Device *device, const char *where,
                    bench_error_v1 *error);

// driver.cpp
/// Starts the driver at the first call and lists its devices. Throws NO_DRIVER with the reason.
void start(bench_instance_v1 &instance);
void log(const bench_instance_v1 &instance, std::uint32_t level, const std::string &text);

/// The device of the pair, ready to be used: throws NO_DEVICE, UNSUPPORTED in a forked child,
/// DEVICE_LOST. Takes no lock once the devices are listed.
Device &device_of(bench_instance_v1 *instance, bench_device_v1 device);
/// The same for lists and destroy functions: a lost device is fine.
Device &listed_device(bench_instance_v1 *instance, bench_device_v1 device);
/// The device's own context, made at the first call.
ze_context_handle_t context_of(Device &device);

// device.cpp
void read_facts(Device &device);
bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error);
bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error);

// stream.cpp
Target resolve(Device &device, const bench_stream_v1 *stream);
/// Makes what follows on the stream wait for what precedes; nothing where the driver does so.
ze_result_t order(const Target &target);
Signal make_signal(Device &device, ze_context_handle_t context, ze_event_pool_flags_t flags = 0);
void destroy_signal(Signal &signal);
void synchronize(Device &device, const Target &target);
void synchronize_own_streams(Device &device);
/// Runs `destroy` as soon as all that was enqueued so far on the plugin's streams is done: now, or
/// from a later call. Never blocks.
void when_idle(Device &device, std::function<void()> destroy);
/// Ends what was retired and is idle now. True if nothing is left.
bool collect_retired(Device &device);
/// Ends all that the device has made. False if it still works: then its Device must stay.
bool close_device(const bench_instance_v1 &instance, Device &device);
bench_status stream_create(bench_instance_v1 *, bench_device_v1, bench_stream_v1 *stream,
                           bench_error_v1 *error);
void stream_destroy(bench_instance_v1 *, bench_device_v1, bench_stream_v1 *stream);
bench_status stream_synchronize(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *stream,
                                bench_error_v1 *error);
bench_status device_synchronize(bench_instance_v1 *, bench_device_v1, bench_error_v1 *error);

// event.cpp
bench_status event_create(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                          bench_event_v1 **event, bench_error_v1 *error);
void event_destroy(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event);
bench_status event_record(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                          const bench_stream_v1 *, bench_error_v1 *error);
bench_status event_query(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                         bench_error_v1 *error);
bench_status event_synchronize(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                               bench_error_v1 *error);
bench_status event_elapsed(bench_instance_v1 *, bench_device_v1, bench_event_v1 *start,
                           bench_event_v1 *stop, double *elapsed_ns, std::uint32_t *sample_flags,
                           bench_error_v1 *error);

// memory.cpp
bench_status memory_allocate(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                             std::uint64_t size, void **memory, bench_error_v1 *error);
void memory_free(bench_instance_v1 *, bench_device_v1, void *memory);
bench_status memory_copy(bench_instance_v1 *, bench_device_v1, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *, bench_error_v1 *error);
bench_status memory_set(bench_instance_v1 *, bench_device_v1, void *memory, std::uint64_t offset,
                        std::uint8_t value, std::uint64_t size, const bench_stream_v1 *,
                        bench_error_v1 *error);

// flush.cpp
bench_status flush_prepare(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                           std::uint64_t *flushed_bytes, bench_error_v1 *error);
void flush_release(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *);
bench_status flush(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                   std::uint32_t mode, bench_error_v1 *error);

// reader.cpp
/// Compiles it for `target`. A failure is kept as the reason in `absent`: writing flushes without
/// it.
Reader make_reader(const Device &device, const Target &target, void *memory, std::uint64_t size);
void destroy_reader(const Reader &reader);
ze_result_t append_reader(const Reader &reader, const Target &target);

extern const bench_ext_gate_v1 gate_extension;            // gate.cpp
extern const bench_ext_graph_v1 graph_extension;          // graph.cpp
extern const bench_ext_kernel_v1 kernel_extension;        // kernel.cpp
extern const bench_ext_profiler_v1 profiler_extension;    // profiler.cpp
extern const bench_ext_telemetry_v1 telemetry_extension;  // telemetry.cpp

void destroy_graph(Device &device, bench_graph_v1 *graph);
/// The event for the kernel's next launch while the profiler records, or NULL.
ze_event_handle_t profiled(Device &device, const Target &target, const std::string &name);
void end_profile(Device &device);

}  // namespace bench_xpu
