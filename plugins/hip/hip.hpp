// SPDX-License-Identifier: Apache-2.0
// What the files of the HIP plugin share: its instance, its runtime and its tables.
#pragma once
#include <bench/ext/kernel.h>
#include <bench/ext/telemetry.h>

#include <bench/plugin/stream_extensions.hpp>

#include "library.hpp"

namespace bench_hip {

using bench::plugin::ContextKey;
using bench::plugin::Error;
using bench::plugin::guarded;

/// HIP's names for what bench::plugin::StreamApi needs.
struct Runtime {
  using Stream = hipStream_t;
  using Event = hipEvent_t;
  using Graph = hipGraph_t;
  using Executable = hipGraphExec_t;
  using Status = int;
  static constexpr std::int32_t device_type = BENCH_DEVICE_ROCM;
  struct Reader {};

  /// HIP has one context a device, and a current device a thread. The caller's device and capture
  /// mode are as they were when this ends.
  class Scope {
   public:
    Scope(bench_instance_v1 &instance, bench_device_v1 device, const bench_stream_v1 *stream);
    Scope(bench_instance_v1 &instance, bench_device_v1 device, ContextKey key);
    ~Scope();
    Scope(const Scope &) = delete;  // gives back once
    Scope &operator=(const Scope &) = delete;
    const void *key() const { return key_; }

   private:
    void enter(bench_device_v1 device);
    void give_back();
    hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
    bool mode_taken_ = false;
    const void *key_ = nullptr;
    int before_ = -1;
  };

  static void check(Status status, const char *what) {
    if (status != 0) bench_hip::check(static_cast<hipError_t>(status), what);
  }
  static void check_device(bench_instance_v1 &instance, bench_device_v1 device);
  /// A scope's context is the device's own: nothing to compare.
  static void check_context(bench_device_v1) {}
  static Stream stream_of(const bench_stream_v1 &stream);
  static bool waits_for_others(Stream stream) { return stream == nullptr; }
  static Status create_stream(Stream *stream);
  static Status destroy_stream(Stream stream);
  static Status synchronize_stream(Stream stream);
  static Status query_stream(Stream stream);
  static Status synchronize_device();
  static void recording(Stream stream, std::uint32_t *state);
  static void device_recording(std::uint32_t *state) { recording(nullptr, state); }
  static Status create_event(Event *event);
  static Status destroy_event(Event event);
  static Status record_event(Event event, Stream stream);
  static Status query_event(Event event);
  static bool is_pending(Status status) { return status == hipErrorNotReady; }
  static Status synchronize_event(Event event);
  static Status elapsed_ms(float *elapsed_ms, Event start, Event stop);
  static Status allocate(void **memory, std::uint64_t size);
  static Status release(void *memory);
  static Status copy(void *destination, const void *source, std::uint64_t size,
                     std::uint32_t direction, Stream stream);
  static Status fill(void *memory, std::uint8_t value, std::uint64_t size, Stream stream);
  static std::uint64_t flush_bytes(bench_instance_v1 &instance, bench_device_v1 device);
  /// No lines persist on AMD's devices.
  static void unpin_cache() {}
  /// A kernel that reads would have to be compiled, which takes longer than what is measured: a
  /// flush writes.
  static Status make_reader(Reader *) { return hipErrorNotSupported; }
  static Status drop_reader(const Reader &) { return hipSuccess; }
  static Status read(const Reader &, void *, std::uint64_t, Stream) { return hipErrorNotSupported; }

  static void can_wait(bench_instance_v1 &instance, bench_device_v1 device);
  static Status make_word(std::uint32_t **host, void **device);
  static Status drop_word(std::uint32_t *host);
  static Status wait_word(Stream stream, void *address, std::uint32_t value);
  static bool can_record(const bench_stream_v1 &stream);
  static Status begin_recording(Stream stream);
  static Status end_recording(Stream stream, Graph *graph);
  static Status count_nodes(Graph graph, std::uint64_t *count);
  static Status instantiate(Executable *executable, Graph graph, Stream stream);
  static Status drop_graph(Graph graph);
  static Status launch(Executable executable, Stream stream);
  static Status drop_executable(Executable executable);
};

using StreamApi = bench::plugin::StreamApi<Runtime>;
using Scope = Runtime::Scope;

}  // namespace bench_hip

struct bench_instance_v1 : bench::plugin::StreamInstance<bench_hip::Runtime> {
  const bench_host_v1 *host = nullptr;
  std::atomic<bool> told_printed{false};  // what the runtime printed while it started
  /// Devices that were found to be there: [timed] calls ask nobody.
  std::atomic<bool> known[most_devices] = {};
};

namespace bench_hip {

/// Throws Error, NO_DEVICE, for a device that is not of this class, or not there.
void require_device(bench_device_v1 device);
/// Throws Error.
int attribute(bench_device_v1 device, hipDeviceAttribute_t which);
/// "gfx942:sramecc+:xnack-"; empty where the runtime does not tell.
std::string architecture_text(bench_device_v1 device);
/// "0000:c1:00.0"
std::string bus_text(bench_device_v1 device);
/// The last cache before memory, a memory-side one (Infinity Cache) included; 0 = unknown.
std::uint64_t last_level_cache_bytes(bench_device_v1 device);
/// Where the kernel tells of devices: "/sys", or what BENCH_HIP_SYSFS names, for tests.
std::string sysfs_root();

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error);
bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error);

extern const bench_ext_kernel_v1 kernel_extension;
extern const bench_ext_telemetry_v1 telemetry_extension;

}  // namespace bench_hip
