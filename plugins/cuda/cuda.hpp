// SPDX-License-Identifier: Apache-2.0
// What the files of the CUDA plugin share: its instance, its runtime and its tables.
#pragma once
#include <bench/ext/kernel.h>
#include <bench/ext/profiler.h>
#include <bench/ext/telemetry.h>

#include <bench/plugin/stream_extensions.hpp>

#include "driver.hpp"

namespace bench_cuda {

using bench::plugin::ContextKey;
using bench::plugin::Error;
using bench::plugin::guarded;
using bench::plugin::write_all;

/// CUDA's names for what bench::plugin::StreamApi needs.
struct Runtime {
  using Stream = CUstream;
  using Event = CUevent;
  using Graph = CUgraph;
  using Executable = CUgraphExec;
  using Status = int;
  static constexpr std::int32_t device_type = BENCH_DEVICE_CUDA;
  struct Reader {
    CUmodule module;
    CUfunction function;
  };

  /// The device's primary context, which frameworks use as well, or the stream's own. The caller's
  /// context and capture mode are as they were when this ends.
  class Scope {
   public:
    Scope(bench_instance_v1 &instance, bench_device_v1 device, const bench_stream_v1 *stream);
    Scope(bench_instance_v1 &instance, bench_device_v1 device, ContextKey key);
    ~Scope();
    Scope(const Scope &) = delete;  // pops once
    Scope &operator=(const Scope &) = delete;
    const void *key() const { return context_; }
    CUcontext context() const { return context_; }

   private:
    void enter();
    /// Goes first and is given back last: to make a primary context allocates, which would break
    /// another thread's capture in global mode.
    struct HarmlessCapture {
      HarmlessCapture() { take(); }
      ~HarmlessCapture() { give_back(); }
      void take();
      void give_back();
      CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
      bool taken = false;
    } harmless_;
    CUcontext context_;
    bool pushed_ = false;
    bool taken_late_ = false;  // by a driver that wants a context for it
  };

  static void check(Status status, const char *what) {
    if (status != 0) bench_cuda::check(static_cast<CUresult>(status), what);
  }
  static void check_device(bench_instance_v1 &instance, bench_device_v1 device);
  static void check_context(bench_device_v1 device);
  static Stream stream_of(const bench_stream_v1 &stream);
  static bool waits_for_others(Stream stream) {
    return stream == CU_STREAM_LEGACY || stream == nullptr;
  }
  static Status create_stream(Stream *stream);
  static Status destroy_stream(Stream stream);
  static Status synchronize_stream(Stream stream);
  static Status query_stream(Stream stream);
  static Status synchronize_device();
  static void recording(Stream stream, std::uint32_t *state);
  static void device_recording(std::uint32_t *state) { recording(CU_STREAM_LEGACY, state); }
  static Status create_event(Event *event);
  static Status destroy_event(Event event);
  static Status record_event(Event event, Stream stream);
  static Status query_event(Event event);
  static bool is_pending(Status status) { return status == CUDA_ERROR_NOT_READY; }
  static Status synchronize_event(Event event);
  static Status elapsed_ms(float *elapsed_ms, Event start, Event stop);
  static Status allocate(void **memory, std::uint64_t size);
  static Status release(void *memory);
  static Status copy(void *destination, const void *source, std::uint64_t size,
                     std::uint32_t direction, Stream stream);
  static Status fill(void *memory, std::uint8_t value, std::uint64_t size, Stream stream);
  static std::uint64_t flush_bytes(bench_instance_v1 &instance, bench_device_v1 device);
  static void unpin_cache();
  static Status make_reader(Reader *reader);
  static Status drop_reader(const Reader &reader);
  static Status read(const Reader &reader, void *memory, std::uint64_t size, Stream stream);
  /// Before the first private stream: see settle.cpp.
  static void settle(bench_instance_v1 &instance, bench_device_v1 device);
  static void drop_settled(bench_instance_v1 &instance, bench_device_v1 device);

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

}  // namespace bench_cuda

struct bench_instance_v1 : bench::plugin::StreamInstance<bench_cuda::Runtime> {
  const bench_host_v1 *host = nullptr;
  /// Primary contexts that this instance holds, by device; for device_info, too, which holds none.
  std::atomic<CUcontext> primary[most_devices] = {};
  /// NVML's handles by device, once asked for: to look one up takes longer than to read it.
  std::atomic<void *> nvml_devices[most_devices] = {};
  /// The stream that Runtime::settle() keeps, by device.
  CUstream settled[most_devices] = {};
};

namespace bench_cuda {

/// The driver's handle of a device of this plugin. Throws Error, NO_DEVICE.
CUdevice device_handle(bench_device_v1 device);
/// Throws Error.
int attribute(CUdevice device, CUdevice_attribute which);
/// "sm_90"
std::string architecture_of(CUdevice device);

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error);
bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error);

extern const bench_ext_kernel_v1 kernel_extension;
extern const bench_ext_telemetry_v1 telemetry_extension;
extern const bench_ext_profiler_v1 profiler_extension;

/// Gives back what lock_clock changed, if it did.
void release_clock_locks(bench_instance_v1 &instance);

}  // namespace bench_cuda
