// SPDX-License-Identifier: Apache-2.0
// Streams, events, waits for a word, captures and graphs.
#include <cstring>
#include <utility>

#include "fake_cuda.hpp"

namespace fake_cuda {
namespace {

constexpr double event_ns = 500;  // what an empty window reads

Stream legacy{nullptr, false, {}, 0, CU_STREAM_CAPTURE_STATUS_NONE, {}, {}, nullptr};
Stream per_thread{nullptr, true, {}, 0, CU_STREAM_CAPTURE_STATUS_NONE, {}, {}, nullptr};

/// A capture that the legacy stream would have to wait for.
Stream *blocking_capture() {
  for (Stream *stream : driver().streams)
    if (stream->blocking && stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) return stream;
  return nullptr;
}

bool held(const Operation &operation) {
  return operation.kind == Operation::wait &&
         static_cast<std::int32_t>(__atomic_load_n(operation.word, __ATOMIC_ACQUIRE) -
                                   operation.value) < 0;
}

CUresult refuse_wait(Stream &stream) {
  if (stream.capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    stream.capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (&stream == &legacy) {
    if (Stream *captured = blocking_capture()) {
      captured->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

Stream &stream_of(CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return legacy;
  if (handle == CU_STREAM_PER_THREAD) return per_thread;
  return *reinterpret_cast<Stream *>(handle);
}

/// The legacy and per-thread streams are of whatever context is current.
static int device_of(const Stream &stream) {
  const Context *context = stream.context ? stream.context : current();
  return context ? context->device : 0;
}

void advance(Stream &stream) {
  while (!stream.queue.empty() && !held(stream.queue.front())) {
    const Operation operation = stream.queue.front();
    if (operation.function && operation.function->endless_block != 0 &&
        operation.block >= operation.function->endless_block)
      return;
    stream.queue.pop_front();
    switch (operation.kind) {
      case Operation::wait:
        break;
      case Operation::event:
        operation.target->at_ns = stream.now_ns;
        operation.target->done = true;
        stream.now_ns += event_ns;
        break;
      case Operation::fill:
        std::memset(operation.memory, static_cast<int>(operation.value), operation.size);
        stream.now_ns += static_cast<double>(operation.size) / 1000;
        break;
      case Operation::copy:
        std::memcpy(operation.memory, operation.source, operation.size);
        break;
      case Operation::kernel: {
        const double takes_ns = operation.function->takes_ns(operation.block);
        stream.now_ns += takes_ns;
        driver().joules[device_of(stream)] +=
            takes_ns * 1e-9 * operation.function->takes_watts(operation.block);
        if (operation.function->run)
          if (const CUresult result = operation.function->run(operation); result != CUDA_SUCCESS) {
            driver().sticky = result;
            stream.queue.clear();
            return;
          }
      }
    }
  }
}

CUresult finish(Stream &stream) {
  for (;;) {
    {
      const std::lock_guard lock(driver().mutex);
      advance(stream);
      if (driver().sticky != CUDA_SUCCESS) return driver().sticky;
      if (stream.queue.empty()) return CUDA_SUCCESS;
    }
    std::this_thread::yield();
  }
}

CUresult enqueue(CUstream handle, Operation operation) {
  Stream &stream = stream_of(handle);
  if (stream.capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (&stream == &legacy) {
    if (Stream *captured = blocking_capture()) {
      captured->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  if (stream.capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    if (operation.kind == Operation::event) operation.target->captured = true;
    stream.recording->operations.push_back(std::move(operation));
    return CUDA_SUCCESS;
  }
  if (operation.kind == Operation::event)
    operation.target->done = false, operation.target->recorded = true;
  // A full queue: the call itself waits, which a closed gate makes for ever.
  const auto room = static_cast<std::size_t>(setting("queue", 1024));
  while (!operation.in_graph && stream.queue.size() >= room) {
    driver().mutex.unlock();
    std::this_thread::yield();
    driver().mutex.lock();
    advance(stream);
    if (driver().sticky != CUDA_SUCCESS) return driver().sticky;
  }
  stream.queue.push_back(std::move(operation));
  advance(stream);
  return driver().sticky;
}

}  // namespace fake_cuda

using namespace fake_cuda;

#define ENTER()                               \
  const std::lock_guard lock(driver().mutex); \
  if (const CUresult entered = enter(); entered != CUDA_SUCCESS) return entered

FAKE_CUDA_API cuCtxSynchronize() {
  std::vector<Stream *> all{&legacy, &per_thread};
  {
    ENTER();
    bool broken = false;
    for (Stream *stream : driver().streams) {
      all.push_back(stream);
      if (stream->capture != CU_STREAM_CAPTURE_STATUS_ACTIVE) continue;
      stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      broken = true;
    }
    if (broken) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  for (Stream *stream : all)
    if (const CUresult result = finish(*stream); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}

FAKE_CUDA_API cuStreamCreate(CUstream *stream, unsigned int flags) {
  ENTER();
  if (const CUresult result = break_captures(); result != CUDA_SUCCESS) return result;
  auto *made =
      new Stream{current(), flags == 0, {}, 0, CU_STREAM_CAPTURE_STATUS_NONE, {}, {}, nullptr};
  driver().streams.insert(made);
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuStreamDestroy(CUstream handle) {
  ENTER();
  auto *stream = reinterpret_cast<Stream *>(handle);
  if (driver().streams.erase(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete stream;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuStreamSynchronize(CUstream handle) {
  {
    ENTER();
    if (const CUresult result = refuse_wait(stream_of(handle)); result != CUDA_SUCCESS)
      return result;
  }
  return finish(stream_of(handle));
}
FAKE_CUDA_API cuStreamQuery(CUstream handle) {
  ENTER();
  if (const CUresult result = refuse_wait(stream_of(handle)); result != CUDA_SUCCESS) return result;
  advance(stream_of(handle));
  return stream_of(handle).queue.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
FAKE_CUDA_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  ENTER();
  if (&stream_of(handle) == &legacy && blocking_capture())
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  *status = stream_of(handle).capture;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuStreamGetCtx(CUstream handle, CUcontext *context) {
  const std::lock_guard lock(driver().mutex);
  // As seen on a driver 580: not even the context is told.
  if (stream_of(handle).capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  Context *const own = stream_of(handle).context;
  *context = reinterpret_cast<CUcontext>(own ? own : current());
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuStreamWaitValue32(CUstream handle, CUdeviceptr word, cuuint32_t value,
                                  unsigned int) {
  ENTER();
  Operation operation{Operation::wait};
  operation.word = reinterpret_cast<const std::uint32_t *>(word);
  operation.value = value;
  return enqueue(handle, std::move(operation));
}

FAKE_CUDA_API cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  ENTER();
  Stream &stream = stream_of(handle);
  if (&stream == &legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.capture != CU_STREAM_CAPTURE_STATUS_NONE) return CUDA_ERROR_ILLEGAL_STATE;
  stream.capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  stream.mode = mode;
  stream.capturing = std::this_thread::get_id();
  stream.recording = new Graph;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  ENTER();
  Stream &stream = stream_of(handle);
  const bool broken = stream.capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  stream.capture = CU_STREAM_CAPTURE_STATUS_NONE;
  *graph = nullptr;
  Graph *const recorded = std::exchange(stream.recording, nullptr);
  if (broken) {
    delete recorded;
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  *graph = reinterpret_cast<CUgraph>(recorded);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphGetNodes(CUgraph graph, CUgraphNode *, std::size_t *count) {
  ENTER();
  *count = reinterpret_cast<Graph *>(graph)->operations.size();
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                          unsigned long long) {
  ENTER();
  *executable = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph *>(graph)));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphUpload(CUgraphExec, CUstream) {
  ENTER();
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphLaunch(CUgraphExec executable, CUstream handle) {
  ENTER();
  for (Operation operation : reinterpret_cast<Graph *>(executable)->operations) {
    operation.in_graph = true;
    if (const CUresult result = enqueue(handle, operation); result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphDestroy(CUgraph graph) {
  ENTER();
  delete reinterpret_cast<Graph *>(graph);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGraphExecDestroy(CUgraphExec executable) {
  ENTER();
  delete reinterpret_cast<Graph *>(executable);
  return CUDA_SUCCESS;
}

FAKE_CUDA_API cuEventCreate(CUevent *event, unsigned int) {
  ENTER();
  *event = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuEventDestroy(CUevent event) {
  ENTER();
  delete reinterpret_cast<Event *>(event);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuEventRecord(CUevent event, CUstream handle) {
  ENTER();
  // Counted from the script's start: what ran before it must not use the count up.
  if (const long at = setting("event_error", 0); at && ++driver().event_records == at)
    return CUDA_ERROR_INVALID_HANDLE;
  Operation operation{Operation::event};
  operation.target = reinterpret_cast<Event *>(event);
  return enqueue(handle, std::move(operation));
}
FAKE_CUDA_API cuEventQuery(CUevent event) {
  ENTER();
  if (const CUresult result = break_captures(); result != CUDA_SUCCESS) return result;
  if (reinterpret_cast<Event *>(event)->captured) return CUDA_ERROR_CAPTURED_EVENT;
  for (Stream *stream : driver().streams) advance(*stream);
  advance(legacy);
  advance(per_thread);
  if (driver().sticky != CUDA_SUCCESS) return driver().sticky;
  return reinterpret_cast<Event *>(event)->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
FAKE_CUDA_API cuEventSynchronize(CUevent event) {
  for (;;) {
    const CUresult result = cuEventQuery(event);
    if (result != CUDA_ERROR_NOT_READY) return result;
    std::this_thread::yield();
  }
}
FAKE_CUDA_API cuEventElapsedTime(float *elapsed_ms, CUevent start, CUevent stop) {
  ENTER();
  const double ns =
      reinterpret_cast<Event *>(stop)->at_ns - reinterpret_cast<Event *>(start)->at_ns;
  *elapsed_ms = static_cast<float>(ns / 1e6);
  const long read = ++driver().elapsed_reads;
  if (const long every = setting("negative", 0); every && read % every == 0)
    *elapsed_ms = -*elapsed_ms;
  if (const long every = setting("zero", 0); every && read % every == 0) *elapsed_ms = 0;
  return CUDA_SUCCESS;
}

/// For the stand-in of NVML.
extern "C" __attribute__((visibility("default"))) double fake_cuda_joules(int device) {
  const std::lock_guard lock(driver().mutex);
  return driver().joules[device];
}
