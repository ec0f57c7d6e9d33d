// SPDX-License-Identifier: Apache-2.0
// The CUDA driver's functions that the shim forwards to, opened at run time.
#pragma once
#include <cuda.h>
#include <dlfcn.h>

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>

namespace hip_on_cuda {

inline void *driver() {
  static void *const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

#define SHIM_TEXT2(name) #name
#define SHIM_TEXT(name) SHIM_TEXT2(name)
/// A function of the driver, named as the headers' macros name it; looked up once.
#define CUDA(name)                                                                            \
  ([]() -> decltype(&::name) {                                                                \
    static const auto found =                                                                 \
        reinterpret_cast<decltype(&::name)>(::dlsym(hip_on_cuda::driver(), SHIM_TEXT(name))); \
    return found;                                                                             \
  }())

/// HIP's errors have CUDA's numbers, but for those that it lacks.
hipError_t hip_error(CUresult result);

/// A number of BENCH_FAKE_HIP, "name=value,...", else `otherwise`: what is HIP's own, while faults
/// of devices are the driver's (tests/drivers/cuda). version=40300000   init=CODE (of hipInit)
/// print=1: prints to stdout while it starts   gate=0: no hipStreamWaitValue32
int setting(const char *name, int otherwise);

/// The thread's current device, made current in CUDA's sense too.
CUresult enter();

}  // namespace hip_on_cuda

#define SHIM_API extern "C" __attribute__((visibility("default"))) hipError_t
