// SPDX-License-Identifier: Apache-2.0
// The HIP runtime, opened at run time: the plugin loads on machines without it.
#pragma once
// The headers' own platform switch: no compiler of AMD's defines it here.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

#include <string>

namespace bench_hip {

// clang-format off
#define BENCH_HIP_REQUIRED(X)                                                                     \
  X(hipInit) X(hipRuntimeGetVersion)                                                              \
  X(hipGetErrorName) X(hipGetErrorString)                                                         \
  X(hipGetDeviceCount) X(hipDeviceGetName) X(hipDeviceGetAttribute)                               \
  X(hipDeviceGetPCIBusId) X(hipDeviceTotalMem)                                                    \
  X(hipGetDevice) X(hipSetDevice) X(hipDeviceSynchronize)                                         \
  X(hipStreamCreateWithFlags) X(hipStreamDestroy) X(hipStreamSynchronize) X(hipStreamQuery)       \
  X(hipEventCreateWithFlags) X(hipEventDestroy) X(hipEventRecord) X(hipEventQuery)                \
  X(hipEventSynchronize) X(hipEventElapsedTime)                                                   \
  X(hipFree) X(hipHostFree) X(hipHostGetDevicePointer)              \
  X(hipMemcpyAsync) X(hipMemsetAsync)                                                             \
  X(hipModuleLoadData) X(hipModuleUnload) X(hipModuleGetFunction) X(hipModuleGetGlobal)           \
  X(hipFuncGetAttribute) X(hipModuleLaunchKernel)
// Overloaded in the header.
#define BENCH_HIP_OVERLOADED(X)                                                                   \
  X(hipMalloc, hipError_t(void **, size_t)) X(hipHostMalloc, hipError_t(void **, size_t, unsigned))
// Of younger runtimes, or missing in some: without one its use steps down.
#define BENCH_HIP_OPTIONAL(X)                                                                     \
  X(hipDeviceGetUuid, hipError_t(hipUUID *, hipDevice_t))                                         \
  X(hipDriverGetVersion, hipError_t(int *))                                                       \
  X(hipStreamWaitValue32, hipError_t(hipStream_t, void *, uint32_t, unsigned, uint32_t))          \
  X(hipStreamIsCapturing, hipError_t(hipStream_t, hipStreamCaptureStatus *))                      \
  X(hipStreamBeginCapture, hipError_t(hipStream_t, hipStreamCaptureMode))                         \
  X(hipStreamEndCapture, hipError_t(hipStream_t, hipGraph_t *))                                   \
  X(hipThreadExchangeStreamCaptureMode, hipError_t(hipStreamCaptureMode *))                       \
  X(hipGraphGetNodes, hipError_t(hipGraph_t, hipGraphNode_t *, size_t *))                         \
  X(hipGraphInstantiate,                                                                          \
    hipError_t(hipGraphExec_t *, hipGraph_t, hipGraphNode_t *, char *, size_t))                   \
  X(hipGraphUpload, hipError_t(hipGraphExec_t, hipStream_t))                                      \
  X(hipGraphLaunch, hipError_t(hipGraphExec_t, hipStream_t))                                      \
  X(hipGraphDestroy, hipError_t(hipGraph_t)) X(hipGraphExecDestroy, hipError_t(hipGraphExec_t))   \
  X(hipStreamGetDevice, hipError_t(hipStream_t, hipDevice_t *))                                   \
  X(hipFuncSetAttribute, hipError_t(const void *, hipFuncAttribute, int))
// clang-format on

struct Library {
#define BENCH_HIP_MEMBER(name) std::add_pointer_t<decltype(::name)> name = nullptr;
#define BENCH_HIP_TYPED_MEMBER(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
  BENCH_HIP_REQUIRED(BENCH_HIP_MEMBER)
  BENCH_HIP_OVERLOADED(BENCH_HIP_TYPED_MEMBER)
  BENCH_HIP_OPTIONAL(BENCH_HIP_TYPED_MEMBER)
#undef BENCH_HIP_MEMBER
#undef BENCH_HIP_TYPED_MEMBER
  /// By whichever name this runtime has it: see architecture_text() for the two layouts.
  hipError_t (*get_properties)(void *properties, int device) = nullptr;
  void *handle = nullptr;
  std::string path;     // of the file
  std::string printed;  // to stdout, while it started
  int version = 0;      // major * 10'000'000 + minor * 100'000 + patch

  bool can_capture() const {
    return hipStreamIsCapturing && hipStreamBeginCapture && hipStreamEndCapture;
  }
  bool can_graph() const {
    return can_capture() && hipGraphGetNodes && hipGraphInstantiate && hipGraphLaunch &&
           hipGraphDestroy && hipGraphExecDestroy;
  }
};

/// Opened and started: libamdhip64.so.7, 6, 5, whichever is loaded, else found first. Throws Error,
/// NO_DRIVER, with the system's or the runtime's reason; asked again it tries again. Any thread.
const Library &library();

/// The file alone, opened and not started: for the compiler that some of them hold. Throws as
/// above.
void *runtime_file();

/// Opened before, or NULL: for destruction, which must not start anything.
const Library *opened_library();

/// "6.2.41133"
std::string version_text(int version);

/// Throws Error for a result that is no success: the status by what the caller does next, with the
/// runtime's name and number. `what` is what was tried: "create a stream".
void check(hipError_t result, const std::string &what);
/// The status of a failed call.
int status_of(hipError_t result);
/// For what gives things back: nobody is left to be told.
inline void ignore(hipError_t) {}

}  // namespace bench_hip
