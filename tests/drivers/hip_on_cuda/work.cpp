// SPDX-License-Identifier: Apache-2.0
// Streams, events, memory, graphs, modules: one call each.
#include <mutex>

#include "cuda_calls.hpp"

using namespace hip_on_cuda;

#define ENTER() \
  if (const CUresult entered = enter(); entered != CUDA_SUCCESS) return hip_error(entered)

namespace {

CUstream cuda(hipStream_t stream) {
  return reinterpret_cast<CUstream>(stream);
}
CUevent cuda(hipEvent_t event) {
  return reinterpret_cast<CUevent>(event);
}
CUdeviceptr address(const void *memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

/// CUDA's processes have two launch speeds, and the CUDA plugin takes its own to the lasting one
/// before it measures (plugins/cuda/settle.cpp). What is under this shim has them as well: without
/// this a fresh process of one plugin would be compared with a settled one of the other.
void settle() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr const char *ptx =
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    constexpr int launches = 100;
    CUmodule module = nullptr;
    CUfunction nothing = nullptr;
    CUstream stream = nullptr;
    if (CUDA(cuModuleLoadData)(&module, ptx) != CUDA_SUCCESS ||
        CUDA(cuModuleGetFunction)(&nothing, module, "nothing") != CUDA_SUCCESS ||
        CUDA(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
      return;
    for (int i = 0; i < launches; ++i)
      CUDA(cuLaunchKernel)(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
    CUDA(cuStreamSynchronize)(stream);
  });
}

}  // namespace

SHIM_API hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  ENTER();
  settle();
  return hip_error(CUDA(cuStreamCreate)(
      reinterpret_cast<CUstream *>(stream),
      flags == hipStreamNonBlocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
}
SHIM_API hipStreamDestroy(hipStream_t stream) {
  return hip_error(CUDA(cuStreamDestroy)(cuda(stream)));
}
SHIM_API hipStreamSynchronize(hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuStreamSynchronize)(cuda(stream)));
}
SHIM_API hipStreamQuery(hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuStreamQuery)(cuda(stream)));
}
SHIM_API hipStreamWaitValue32(hipStream_t stream, void *word, uint32_t value, unsigned, uint32_t) {
  ENTER();
  return hip_error(
      CUDA(cuStreamWaitValue32)(cuda(stream), address(word), value, CU_STREAM_WAIT_VALUE_GEQ));
}
SHIM_API hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  ENTER();
  CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = CUDA(cuStreamIsCapturing)(cuda(stream), &state);
  *status = static_cast<hipStreamCaptureStatus>(state);
  return hip_error(result);
}
SHIM_API hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  ENTER();
  return hip_error(
      CUDA(cuStreamBeginCapture)(cuda(stream), static_cast<CUstreamCaptureMode>(mode)));
}
SHIM_API hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  ENTER();
  return hip_error(CUDA(cuStreamEndCapture)(cuda(stream), reinterpret_cast<CUgraph *>(graph)));
}
SHIM_API hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  return hip_error(
      CUDA(cuThreadExchangeStreamCaptureMode)(reinterpret_cast<CUstreamCaptureMode *>(mode)));
}

SHIM_API hipEventCreateWithFlags(hipEvent_t *event, unsigned) {
  ENTER();
  return hip_error(CUDA(cuEventCreate)(reinterpret_cast<CUevent *>(event), CU_EVENT_DEFAULT));
}
SHIM_API hipEventDestroy(hipEvent_t event) {
  return hip_error(CUDA(cuEventDestroy)(cuda(event)));
}
SHIM_API hipEventRecord(hipEvent_t event, hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuEventRecord)(cuda(event), cuda(stream)));
}
SHIM_API hipEventQuery(hipEvent_t event) {
  return hip_error(CUDA(cuEventQuery)(cuda(event)));
}
SHIM_API hipEventSynchronize(hipEvent_t event) {
  return hip_error(CUDA(cuEventSynchronize)(cuda(event)));
}
SHIM_API hipEventElapsedTime(float *elapsed_ms, hipEvent_t start, hipEvent_t stop) {
  return hip_error(CUDA(cuEventElapsedTime)(elapsed_ms, cuda(start), cuda(stop)));
}

SHIM_API hipMalloc(void **memory, size_t size) {
  ENTER();
  return hip_error(CUDA(cuMemAlloc)(reinterpret_cast<CUdeviceptr *>(memory), size));
}
SHIM_API hipFree(void *memory) {
  ENTER();
  return hip_error(CUDA(cuMemFree)(address(memory)));
}
SHIM_API hipHostMalloc(void **memory, size_t size, unsigned) {
  ENTER();
  return hip_error(
      CUDA(cuMemHostAlloc)(memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
}
SHIM_API hipHostFree(void *memory) {
  ENTER();
  return hip_error(CUDA(cuMemFreeHost)(memory));
}
SHIM_API hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
  ENTER();
  return hip_error(
      CUDA(cuMemHostGetDevicePointer)(reinterpret_cast<CUdeviceptr *>(device), host, flags));
}
SHIM_API hipMemcpyAsync(void *destination, const void *source, size_t size, hipMemcpyKind kind,
                        hipStream_t stream) {
  ENTER();
  switch (kind) {
    case hipMemcpyHostToDevice:
      return hip_error(CUDA(cuMemcpyHtoDAsync)(address(destination), source, size, cuda(stream)));
    case hipMemcpyDeviceToHost:
      return hip_error(CUDA(cuMemcpyDtoHAsync)(destination, address(source), size, cuda(stream)));
    default:
      return hip_error(
          CUDA(cuMemcpyDtoDAsync)(address(destination), address(source), size, cuda(stream)));
  }
}
SHIM_API hipMemsetAsync(void *memory, int value, size_t size, hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuMemsetD8Async)(address(memory), static_cast<unsigned char>(value), size,
                                         cuda(stream)));
}

SHIM_API hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  return hip_error(CUDA(cuGraphGetNodes)(reinterpret_cast<CUgraph>(graph),
                                         reinterpret_cast<CUgraphNode *>(nodes), count));
}
SHIM_API hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, hipGraphNode_t *, char *,
                             size_t) {
  ENTER();
  return hip_error(CUDA(cuGraphInstantiateWithFlags)(reinterpret_cast<CUgraphExec *>(executable),
                                                     reinterpret_cast<CUgraph>(graph), 0));
}
// Younger than the headers.
SHIM_API hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuGraphUpload)(reinterpret_cast<CUgraphExec>(executable), cuda(stream)));
}
SHIM_API hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  ENTER();
  return hip_error(CUDA(cuGraphLaunch)(reinterpret_cast<CUgraphExec>(executable), cuda(stream)));
}
SHIM_API hipGraphDestroy(hipGraph_t graph) {
  return hip_error(CUDA(cuGraphDestroy)(reinterpret_cast<CUgraph>(graph)));
}
SHIM_API hipGraphExecDestroy(hipGraphExec_t executable) {
  return hip_error(CUDA(cuGraphExecDestroy)(reinterpret_cast<CUgraphExec>(executable)));
}

SHIM_API hipModuleLoadData(hipModule_t *module, const void *image) {
  ENTER();
  return hip_error(
      CUDA(cuModuleLoadDataEx)(reinterpret_cast<CUmodule *>(module), image, 0, nullptr, nullptr));
}
SHIM_API hipModuleUnload(hipModule_t module) {
  ENTER();
  return hip_error(CUDA(cuModuleUnload)(reinterpret_cast<CUmodule>(module)));
}
SHIM_API hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  ENTER();
  return hip_error(CUDA(cuModuleGetFunction)(reinterpret_cast<CUfunction *>(function),
                                             reinterpret_cast<CUmodule>(module), name));
}
SHIM_API hipModuleGetGlobal(hipDeviceptr_t *memory, size_t *size, hipModule_t module,
                            const char *name) {
  ENTER();
  return hip_error(CUDA(cuModuleGetGlobal)(reinterpret_cast<CUdeviceptr *>(memory), size,
                                           reinterpret_cast<CUmodule>(module), name));
}
SHIM_API hipFuncGetAttribute(int *value, hipFunction_attribute which, hipFunction_t function) {
  ENTER();
  return hip_error(CUDA(cuFuncGetAttribute)(value, static_cast<CUfunction_attribute>(which),
                                            reinterpret_cast<CUfunction>(function)));
}
SHIM_API hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                               void **arguments, void **) {
  ENTER();
  return hip_error(CUDA(cuLaunchKernel)(reinterpret_cast<CUfunction>(function), grid_x, grid_y,
                                        grid_z, block_x, block_y, block_z, shared_bytes,
                                        cuda(stream), arguments, nullptr));
}
