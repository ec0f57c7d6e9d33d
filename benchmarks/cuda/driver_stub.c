/* SPDX-License-Identifier: Apache-2.0
 * The name of the NVIDIA driver's library and of what these programs call, to link with where no
 * driver is. It is never installed: the machine that runs them has the real one. */
#include <cuda.h>

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text) {
  (void)error;
  (void)text;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuInit(unsigned int flags) {
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  (void)device;
  (void)ordinal;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)context;
  (void)device;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  (void)context;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image) {
  (void)module;
  (void)image;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  (void)function;
  (void)module;
  (void)name;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *memory, size_t size) {
  (void)memory;
  (void)size;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr memory, unsigned int value, size_t count) {
  (void)memory;
  (void)value;
  (void)count;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy,
                                unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
                                unsigned int shared, CUstream stream, void **arguments,
                                void **extra) {
  (void)function;
  (void)gx;
  (void)gy;
  (void)gz;
  (void)bx;
  (void)by;
  (void)bz;
  (void)shared;
  (void)stream;
  (void)arguments;
  (void)extra;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags) {
  (void)stream;
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  (void)stream;
  (void)mode;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  (void)stream;
  (void)graph;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                             unsigned long long flags) {
  (void)executable;
  (void)graph;
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  (void)executable;
  (void)stream;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  (void)stream;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags) {
  (void)event;
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  (void)event;
  (void)stream;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuEventElapsedTime(float *elapsed, CUevent start, CUevent stop) {
  (void)elapsed;
  (void)start;
  (void)stop;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr memory, unsigned int value, size_t count,
                                  CUstream stream) {
  (void)memory;
  (void)value;
  (void)count;
  (void)stream;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr memory) {
  (void)memory;
  return CUDA_ERROR_NO_DEVICE;
}
