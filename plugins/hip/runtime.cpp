// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "hip.hpp"

namespace bench_hip {

Runtime::Scope::Scope(bench_instance_v1 &instance, bench_device_v1 device,
                      const bench_stream_v1 *stream) {
  const Library &hip = library();
  // Before anything that may allocate, which would break another thread's capture in global mode.
  if (hip.hipThreadExchangeStreamCaptureMode)
    mode_taken_ = hip.hipThreadExchangeStreamCaptureMode(&mode_) == hipSuccess;
  try {
    enter(device);
    key_ = &instance.known[device.id];
    const bool named = stream && stream->kind == BENCH_STREAM_NATIVE && stream->handle;
    hipDevice_t of = device.id;
    if (named && hip.hipStreamGetDevice &&
        hip.hipStreamGetDevice(stream_of(*stream), &of) == hipSuccess && of != device.id)
      throw Error(
          BENCH_ERROR_INVALID_ARGUMENT,
          "the stream is of device " + std::to_string(of) + ", not of " + std::to_string(device.id),
          "name the stream's own device");
  } catch (...) {
    give_back();
    throw;
  }
}

Runtime::Scope::Scope(bench_instance_v1 &instance, bench_device_v1 device, ContextKey)
    : Scope(instance, device, nullptr) {}

void Runtime::Scope::enter(bench_device_v1 device) {
  const Library &hip = library();
  int current = -1;
  Runtime::check(hip.hipGetDevice(&current), "find the current device");
  if (current == device.id) return;
  Runtime::check(hip.hipSetDevice(device.id), "make the device current");
  before_ = current;
}

Runtime::Scope::~Scope() {
  give_back();
}

void Runtime::Scope::give_back() {
  const Library &hip = library();
  if (const int before = std::exchange(before_, -1); before >= 0) ignore(hip.hipSetDevice(before));
  if (std::exchange(mode_taken_, false)) ignore(hip.hipThreadExchangeStreamCaptureMode(&mode_));
}

void Runtime::check_device(bench_instance_v1 &instance, bench_device_v1 device) {
  if (device.type == device_type && device.id >= 0 && device.id < bench_instance_v1::most_devices &&
      instance.known[device.id].load(std::memory_order_relaxed))
    return;
  require_device(device);
  instance.known[device.id].store(true, std::memory_order_relaxed);
}

Runtime::Stream Runtime::stream_of(const bench_stream_v1 &stream) {
  if (BENCH_HAS(&stream, class_kind) && stream.class_kind != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED,
                "stream class_kind " + std::to_string(stream.class_kind) + " is unknown",
                "pass a hipStream_t, which is class_kind 0");
  switch (stream.kind) {
    case BENCH_STREAM_DEFAULT:
      return nullptr;
    case BENCH_STREAM_PER_THREAD:
      return hipStreamPerThread;
    case BENCH_STREAM_NATIVE:  // NULL is the default stream, as everywhere in HIP
    case BENCH_STREAM_PLUGIN_OWNED:
      return static_cast<hipStream_t>(stream.handle);
    default:
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  "stream kind " + std::to_string(stream.kind) + " is unknown",
                  "use one of BENCH_STREAM_*, except NONE");
  }
}

Runtime::Status Runtime::create_stream(Stream *stream) {
  // Non-blocking: the default stream of the application must not serialise with what is timed.
  return library().hipStreamCreateWithFlags(stream, hipStreamNonBlocking);
}
Runtime::Status Runtime::destroy_stream(Stream stream) {
  return library().hipStreamDestroy(stream);
}
Runtime::Status Runtime::synchronize_stream(Stream stream) {
  return library().hipStreamSynchronize(stream);
}
Runtime::Status Runtime::query_stream(Stream stream) {
  return library().hipStreamQuery(stream);
}
Runtime::Status Runtime::synchronize_device() {
  return library().hipDeviceSynchronize();
}

void Runtime::recording(Stream stream, std::uint32_t *state) {
  *state = BENCH_CAPTURE_NONE;
  const Library &hip = library();
  if (!hip.hipStreamIsCapturing) return;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const hipError_t result = hip.hipStreamIsCapturing(stream, &status);
  // The default stream while another one is captured that it would wait for.
  if (result == hipErrorStreamCaptureImplicit) {
    *state = BENCH_CAPTURE_ACTIVE;
    return;
  }
  Runtime::check(result, "ask whether a stream is captured");
  if (status != hipStreamCaptureStatusNone)
    *state = status == hipStreamCaptureStatusActive ? BENCH_CAPTURE_ACTIVE : BENCH_CAPTURE_BROKEN;
}

Runtime::Status Runtime::create_event(Event *event) {
  return library().hipEventCreateWithFlags(event, hipEventDefault);
}
Runtime::Status Runtime::destroy_event(Event event) {
  return library().hipEventDestroy(event);
}
Runtime::Status Runtime::record_event(Event event, Stream stream) {
  return library().hipEventRecord(event, stream);
}
Runtime::Status Runtime::query_event(Event event) {
  return library().hipEventQuery(event);
}
Runtime::Status Runtime::synchronize_event(Event event) {
  return library().hipEventSynchronize(event);
}
Runtime::Status Runtime::elapsed_ms(float *elapsed_ms, Event start, Event stop) {
  return library().hipEventElapsedTime(elapsed_ms, start, stop);
}

Runtime::Status Runtime::allocate(void **memory, std::uint64_t size) {
  return library().hipMalloc(memory, size);
}
Runtime::Status Runtime::release(void *memory) {
  return library().hipFree(memory);
}
Runtime::Status Runtime::copy(void *destination, const void *source, std::uint64_t size,
                              std::uint32_t direction, Stream stream) {
  if (size == 0) return hipSuccess;
  const hipMemcpyKind kind = direction == BENCH_COPY_TO_DEVICE     ? hipMemcpyHostToDevice
                             : direction == BENCH_COPY_FROM_DEVICE ? hipMemcpyDeviceToHost
                                                                   : hipMemcpyDeviceToDevice;
  return library().hipMemcpyAsync(destination, source, size, kind, stream);
}
Runtime::Status Runtime::fill(void *memory, std::uint8_t value, std::uint64_t size, Stream stream) {
  return size == 0 ? hipSuccess : library().hipMemsetAsync(memory, value, size, stream);
}

std::uint64_t Runtime::flush_bytes(bench_instance_v1 &, bench_device_v1 device) {
  // Five quarters: caches hash addresses in ways of their own. Not measured on a device of AMD's.
  constexpr std::uint64_t flush_quarters = 5;
  // Where no cache is told: more than any that was known when this was written.
  constexpr std::uint64_t unknown_cache_bytes = 256u << 20;
  const std::uint64_t cache = last_level_cache_bytes(device);
  return flush_quarters * (cache ? cache : unknown_cache_bytes) / 4;
}

// ---- Gate ----

void Runtime::can_wait(bench_instance_v1 &, bench_device_v1 device) {
  if (library().hipStreamWaitValue32 &&
      attribute(device, hipDeviceAttributeCanUseStreamWaitValue) != 0)
    return;
  throw Error(BENCH_ERROR_UNSUPPORTED, "the device cannot wait for a value in memory",
              "none: windows are measured ungated");
}
Runtime::Status Runtime::make_word(std::uint32_t **host, void **device) {
  const Library &hip = library();
  void *word = nullptr;
  // Coherent: the device must see the host's store while it waits.
  hipError_t result =
      hip.hipHostMalloc(&word, sizeof(std::uint32_t),
                        hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent);
  if (result != hipSuccess) return result;
  result = hip.hipHostGetDevicePointer(device, word, 0);
  if (result != hipSuccess) {
    ignore(hip.hipHostFree(word));
    return result;
  }
  *host = static_cast<std::uint32_t *>(word);
  return hipSuccess;
}
Runtime::Status Runtime::drop_word(std::uint32_t *host) {
  return library().hipHostFree(host);
}
Runtime::Status Runtime::wait_word(Stream stream, void *word, std::uint32_t value) {
  constexpr std::uint32_t all_bits = 0xffffffff;
  return library().hipStreamWaitValue32(stream, word, value, hipStreamWaitValueGte, all_bits);
}

// ---- Graph ----

bool Runtime::can_record(const bench_stream_v1 &stream) {
  return stream_of(stream) != nullptr;
}
Runtime::Status Runtime::begin_recording(Stream stream) {
  // Only this thread's unsafe calls break it: a framework's other threads may allocate meanwhile.
  return library().hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal);
}
Runtime::Status Runtime::end_recording(Stream stream, Graph *graph) {
  return library().hipStreamEndCapture(stream, graph);
}
Runtime::Status Runtime::count_nodes(Graph graph, std::uint64_t *count) {
  std::size_t nodes = 0;
  const hipError_t result = library().hipGraphGetNodes(graph, nullptr, &nodes);
  *count = nodes;
  return result;
}
Runtime::Status Runtime::instantiate(Executable *executable, Graph graph, Stream stream) {
  const Library &hip = library();
  const hipError_t result = hip.hipGraphInstantiate(executable, graph, nullptr, nullptr, 0);
  // Else the first launch pays for it, inside a window.
  if (result == hipSuccess && hip.hipGraphUpload) ignore(hip.hipGraphUpload(*executable, stream));
  return result;
}
Runtime::Status Runtime::drop_graph(Graph graph) {
  return library().hipGraphDestroy(graph);
}
Runtime::Status Runtime::launch(Executable executable, Stream stream) {
  return library().hipGraphLaunch(executable, stream);
}
Runtime::Status Runtime::drop_executable(Executable executable) {
  return library().hipGraphExecDestroy(executable);
}

}  // namespace bench_hip
