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
inline hipError_t hip_error(CUresult result) {
  constexpr auto misaligned = static_cast<CUresult>(716);
  if (result == misaligned) return hipErrorLaunchFailure;
  return static_cast<hipError_t>(result);
}

/// The thread's current device, made current in CUDA's sense too.
CUresult enter();

}  // namespace hip_on_cuda

#define SHIM_API extern "C" __attribute__((visibility("default"))) hipError_t
