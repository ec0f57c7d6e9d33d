// SPDX-License-Identifier: Apache-2.0
// The CUDA driver library, opened at run time: the plugin loads on machines without it.
#pragma once
#include <cuda.h>

#include <cstddef>
#include <string>
#include <type_traits>

namespace bench_cuda {

// Named as cuda.h names them for the version it was made for: its macros turn cuMemAlloc into
// cuMemAlloc_v2, which is what is looked up then.
// clang-format off
#define BENCH_CUDA_REQUIRED(X)                                                                    \
  X(cuInit)                                                                                       \
  X(cuDriverGetVersion)                                                                           \
  X(cuGetErrorName) X(cuGetErrorString)                                                           \
  X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid_v2)                     \
  X(cuDeviceGetAttribute) X(cuDeviceGetPCIBusId) X(cuDeviceTotalMem)                              \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                                        \
  X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxGetCurrent) X(cuCtxGetDevice)                     \
  X(cuCtxSynchronize)                                                                             \
  X(cuThreadExchangeStreamCaptureMode)                                                            \
  X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuStreamQuery)                    \
  X(cuStreamIsCapturing)                                                                          \
  X(cuStreamGetCtx) X(cuStreamWaitValue32) X(cuStreamBeginCapture) X(cuStreamEndCapture)          \
  X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize)       \
  X(cuEventElapsedTime)                                                                           \
  X(cuMemAlloc) X(cuMemFree) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemHostGetDevicePointer)      \
  X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemsetD8Async)               \
  X(cuGraphGetNodes) X(cuGraphInstantiateWithFlags) X(cuGraphLaunch) X(cuGraphDestroy)            \
  X(cuGraphExecDestroy)                                                                           \
  X(cuModuleLoadDataEx) X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal)             \
  X(cuFuncGetAttribute) X(cuFuncSetAttribute)                                                     \
  X(cuLaunchKernel)
// clang-format on

// Of later drivers: without one its use steps down. Spelled out, since the headers of CUDA 12.0
// to 12.3 have not all of them.
#define BENCH_CUDA_OPTIONAL(X)                                                           \
  X(cuGraphUpload, CUresult(CUgraphExec, CUstream))                                      \
  X(cuCtxResetPersistingL2Cache, CUresult())                                             \
  X(cuModuleGetFunctionCount, CUresult(unsigned *, CUmodule))                            \
  X(cuModuleEnumerateFunctions, CUresult(CUfunction *, unsigned, CUmodule))              \
  X(cuFuncGetName, CUresult(const char **, CUfunction))                                  \
  X(cuFuncGetParamInfo, CUresult(CUfunction, std::size_t, std::size_t *, std::size_t *)) \
  X(cuFuncLoad, CUresult(CUfunction))

struct Driver {
#define BENCH_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_CUDA_REQUIRED(BENCH_CUDA_MEMBER)
#undef BENCH_CUDA_MEMBER
#define BENCH_CUDA_MEMBER(name, type) std::add_pointer_t<type> name = nullptr;
  BENCH_CUDA_OPTIONAL(BENCH_CUDA_MEMBER)
#undef BENCH_CUDA_MEMBER
  int version = 0;  // 1000 * major + 10 * minor
};

/// The driver, opened and started. Throws Error, NO_DRIVER, with the system's or the driver's
/// reason; asked again it tries again. Any thread.
const Driver &driver();

/// Opened before, or NULL: for destruction, which must not start anything.
const Driver *opened_driver();

/// "12.4"
std::string version_text(int version);

/// Throws Error for a result that is no success: the status by what the caller does next, with the
/// driver's name and number. `what` is what was tried: "create a stream".
void check(CUresult result, const std::string &what);

/// The status of a failed call.
int status_of(CUresult result);

}  // namespace bench_cuda
