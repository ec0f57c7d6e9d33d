// SPDX-License-Identifier: Apache-2.0
// CUDA's calls behind bench::plugin::StreamApi.
#include "cuda.hpp"

namespace bench_cuda {
namespace {

/// What stream_of() gives for these is no pointer: there is no stream object to ask.
bool is_default(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}

CUdeviceptr address(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

CUcontext primary_context(bench_instance_v1 &instance, bench_device_v1 device) {
  std::atomic<CUcontext> &slot = instance.primary[device.id];
  if (CUcontext known = slot.load(std::memory_order_acquire)) return known;
  CUcontext retained = nullptr;
  check(driver().cuDevicePrimaryCtxRetain(&retained, device_handle(device)),
        "make the device's primary context");
  // Two threads may come here for one device at once: event_query is free to.
  CUcontext none = nullptr;
  if (slot.compare_exchange_strong(none, retained)) return retained;
  driver().cuDevicePrimaryCtxRelease(device_handle(device));
  return none;
}

}  // namespace

Runtime::Scope::Scope(bench_instance_v1 &instance, bench_device_v1 device,
                      const bench_stream_v1 *stream)
    : context_(nullptr) {
  if (stream && BENCH_HAS(stream, context)) context_ = static_cast<CUcontext>(stream->context);
  if (!context_ && stream && stream->kind == BENCH_STREAM_NATIVE) {
    const CUstream handle = stream_of(*stream);
    if (!is_default(handle))
      Runtime::check(driver().cuStreamGetCtx(handle, &context_), "find the stream's context");
  }
  if (!context_) context_ = primary_context(instance, device);
  enter();
}

Runtime::Scope::Scope(bench_instance_v1 &, bench_device_v1, ContextKey key)
    : context_(static_cast<CUcontext>(const_cast<void *>(key.context))) {
  enter();
}

void Runtime::Scope::enter() {
  const Driver &cuda = driver();
  CUcontext before = nullptr;
  Runtime::check(cuda.cuCtxGetCurrent(&before), "find the current context");
  if (before == context_) return;
  Runtime::check(cuda.cuCtxPushCurrent(context_), "make a context current");
  pushed_ = true;
  if (!harmless_.taken) {
    harmless_.take();
    taken_late_ = true;
  }
}

Runtime::Scope::~Scope() {
  if (taken_late_) harmless_.give_back();
  CUcontext popped = nullptr;
  if (pushed_) driver().cuCtxPopCurrent(&popped);
}

void Runtime::Scope::HarmlessCapture::take() {
  taken = driver().cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS;
}
void Runtime::Scope::HarmlessCapture::give_back() {
  if (taken) driver().cuThreadExchangeStreamCaptureMode(&mode);
  taken = false;
}

void Runtime::check_device(bench_instance_v1 &instance, bench_device_v1 device) {
  // Once its context is held, a device is known to be there: [timed] calls ask nobody.
  if (device.type == BENCH_DEVICE_CUDA && device.id >= 0 &&
      device.id < bench_instance_v1::most_devices &&
      instance.primary[device.id].load(std::memory_order_relaxed))
    return;
  device_handle(device);
}

void Runtime::check_context(bench_device_v1 device) {
  CUdevice current = 0;
  Runtime::check(driver().cuCtxGetDevice(&current), "find the context's device");
  if (current == device_handle(device)) return;
  throw Error(BENCH_ERROR_INVALID_ARGUMENT,
              "the stream is of another device than {" + std::to_string(device.type) + ", " +
                  std::to_string(device.id) + "}",
              "name the stream's own device");
}

Runtime::Stream Runtime::stream_of(const bench_stream_v1 &stream) {
  if (BENCH_HAS(&stream, class_kind) && stream.class_kind != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED,
                "stream class_kind " + std::to_string(stream.class_kind) + " is unknown",
                "pass a CUstream, which is class_kind 0");
  switch (stream.kind) {
    case BENCH_STREAM_DEFAULT:
      return CU_STREAM_LEGACY;
    case BENCH_STREAM_PER_THREAD:
      return CU_STREAM_PER_THREAD;
    case BENCH_STREAM_NATIVE:  // NULL is the legacy stream, as everywhere in CUDA
    case BENCH_STREAM_PLUGIN_OWNED:
      return static_cast<CUstream>(stream.handle);
    default:
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  "stream kind " + std::to_string(stream.kind) + " is unknown",
                  "use one of BENCH_STREAM_*, except NONE");
  }
}

Runtime::Status Runtime::create_stream(Stream *stream) {
  // Non-blocking: the legacy stream of the application must not serialise with what is timed.
  return driver().cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
}
Runtime::Status Runtime::destroy_stream(Stream stream) {
  return driver().cuStreamDestroy(stream);
}
Runtime::Status Runtime::synchronize_stream(Stream stream) {
  return driver().cuStreamSynchronize(stream);
}
Runtime::Status Runtime::query_stream(Stream stream) {
  return driver().cuStreamQuery(stream);
}
Runtime::Status Runtime::synchronize_device() {
  return driver().cuCtxSynchronize();
}

void Runtime::recording(Stream stream, std::uint32_t *state) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver().cuStreamIsCapturing(stream, &status);
  // The legacy stream while another one is captured that it would wait for.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
    *state = BENCH_CAPTURE_ACTIVE;
    return;
  }
  Runtime::check(result, "ask whether a stream is captured");
  *state = status == CU_STREAM_CAPTURE_STATUS_NONE     ? BENCH_CAPTURE_NONE
           : status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? BENCH_CAPTURE_ACTIVE
                                                       : BENCH_CAPTURE_BROKEN;
}

Runtime::Status Runtime::create_event(Event *event) {
  return driver().cuEventCreate(event, CU_EVENT_DEFAULT);
}
Runtime::Status Runtime::destroy_event(Event event) {
  return driver().cuEventDestroy(event);
}
Runtime::Status Runtime::record_event(Event event, Stream stream) {
  return driver().cuEventRecord(event, stream);
}
Runtime::Status Runtime::query_event(Event event) {
  return driver().cuEventQuery(event);
}
Runtime::Status Runtime::synchronize_event(Event event) {
  return driver().cuEventSynchronize(event);
}
Runtime::Status Runtime::elapsed_ms(float *elapsed_ms, Event start, Event stop) {
  return driver().cuEventElapsedTime(elapsed_ms, start, stop);
}

Runtime::Status Runtime::allocate(void **memory, std::uint64_t size) {
  CUdeviceptr pointer = 0;
  const CUresult result = driver().cuMemAlloc(&pointer, size);
  *memory = reinterpret_cast<void *>(pointer);
  return result;
}
Runtime::Status Runtime::release(void *memory) {
  return driver().cuMemFree(address(memory));
}
Runtime::Status Runtime::copy(void *destination, const void *source, std::uint64_t size,
                              std::uint32_t direction, Stream stream) {
  const Driver &cuda = driver();
  if (size == 0) return CUDA_SUCCESS;
  switch (direction) {
    case BENCH_COPY_TO_DEVICE:
      return cuda.cuMemcpyHtoDAsync(address(destination), source, size, stream);
    case BENCH_COPY_FROM_DEVICE:
      return cuda.cuMemcpyDtoHAsync(destination, address(source), size, stream);
    default:
      return cuda.cuMemcpyDtoDAsync(address(destination), address(source), size, stream);
  }
}
Runtime::Status Runtime::fill(void *memory, std::uint8_t value, std::uint64_t size, Stream stream) {
  return size == 0 ? CUDA_SUCCESS : driver().cuMemsetD8Async(address(memory), value, size, stream);
}

// ---- Gate ----

void Runtime::can_wait(bench_instance_v1 &, bench_device_v1 device) {
  // Attribute 92 tells whether the first revision of stream memory operations works; from CUDA 12
  // on it is on unless the administrator disabled it.
  if (attribute(device_handle(device), CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR) == 0 &&
      attribute(device_handle(device), CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1) == 0)
    throw Error(BENCH_ERROR_UNSUPPORTED, "the device has no stream memory operations",
                "none: windows are measured ungated");
}
Runtime::Status Runtime::make_word(std::uint32_t **host, void **device) {
  const Driver &cuda = driver();
  void *word = nullptr;
  CUresult result = cuda.cuMemHostAlloc(&word, sizeof(std::uint32_t),
                                        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result != CUDA_SUCCESS) return result;
  CUdeviceptr pointer = 0;
  result = cuda.cuMemHostGetDevicePointer(&pointer, word, 0);
  if (result != CUDA_SUCCESS) {
    cuda.cuMemFreeHost(word);
    return result;
  }
  *host = static_cast<std::uint32_t *>(word);
  *device = reinterpret_cast<void *>(pointer);
  return CUDA_SUCCESS;
}
Runtime::Status Runtime::drop_word(std::uint32_t *host) {
  return driver().cuMemFreeHost(host);
}
Runtime::Status Runtime::wait_word(Stream stream, void *word, std::uint32_t value) {
  return driver().cuStreamWaitValue32(stream, address(word), value, CU_STREAM_WAIT_VALUE_GEQ);
}

// ---- Graph ----

bool Runtime::can_record(const bench_stream_v1 &stream) {
  const CUstream handle = stream_of(stream);
  return handle != nullptr && handle != CU_STREAM_LEGACY;
}
Runtime::Status Runtime::begin_recording(Stream stream) {
  // Only this thread's unsafe calls break it: a framework's other threads may allocate meanwhile.
  return driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}
Runtime::Status Runtime::end_recording(Stream stream, Graph *graph) {
  return driver().cuStreamEndCapture(stream, graph);
}
Runtime::Status Runtime::count_nodes(Graph graph, std::uint64_t *count) {
  std::size_t nodes = 0;
  const CUresult result = driver().cuGraphGetNodes(graph, nullptr, &nodes);
  *count = nodes;
  return result;
}
Runtime::Status Runtime::instantiate(Executable *executable, Graph graph, Stream stream) {
  const Driver &cuda = driver();
  const CUresult result = cuda.cuGraphInstantiateWithFlags(executable, graph, 0);
  // Else the first launch pays for it, inside a window.
  if (result == CUDA_SUCCESS && cuda.cuGraphUpload) cuda.cuGraphUpload(*executable, stream);
  return result;
}
Runtime::Status Runtime::drop_graph(Graph graph) {
  return driver().cuGraphDestroy(graph);
}
Runtime::Status Runtime::launch(Executable executable, Stream stream) {
  return driver().cuGraphLaunch(executable, stream);
}
Runtime::Status Runtime::drop_executable(Executable executable) {
  return driver().cuGraphExecDestroy(executable);
}

}  // namespace bench_cuda
