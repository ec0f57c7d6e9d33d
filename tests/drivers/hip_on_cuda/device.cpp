// SPDX-License-Identifier: Apache-2.0
// HIP's devices are CUDA's, each with its primary context.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "cuda_calls.hpp"

namespace hip_on_cuda {
namespace {

constexpr int most_devices = 64;
// Two libraries are built of this, with what differs: HIP 6 has another layout of hipDeviceProp_t.
#ifndef HIP_SHIM_MAJOR
#define HIP_SHIM_MAJOR 6
#endif
constexpr int version = HIP_SHIM_MAJOR * 10'000'000 + 2 * 100'000 + 41133;
thread_local int current_device = 0;

CUresult primary(int device, CUcontext *context) {
  static std::mutex mutex;
  static CUcontext contexts[most_devices] = {};  // for the life of the process, as HIP's are
  const std::lock_guard lock(mutex);
  if (device < 0 || device >= most_devices) return CUDA_ERROR_INVALID_DEVICE;
  if (!contexts[device]) {
    CUdevice handle = 0;
    CUresult result = CUDA(cuDeviceGet)(&handle, device);
    if (result == CUDA_SUCCESS) result = CUDA(cuDevicePrimaryCtxRetain)(&contexts[device], handle);
    if (result != CUDA_SUCCESS) return result;
  }
  *context = contexts[device];
  return CUDA_SUCCESS;
}

int attribute(CUdevice_attribute which, int device) {
  int value = 0;
  CUDA(cuDeviceGetAttribute)(&value, which, device);
  return value;
}

/// The architecture is CUDA's behind HIP's prefix: the shim's compiler takes it apart again.
CUresult write_architecture(char *text, std::size_t size, int device) {
  const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  std::snprintf(text, size, "gfx-sm_%d%d", major, minor);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult enter() {
  CUcontext context = nullptr, now = nullptr;
  if (const CUresult result = primary(current_device, &context); result != CUDA_SUCCESS)
    return result;
  CUDA(cuCtxGetCurrent)(&now);
  return now == context ? CUDA_SUCCESS : CUDA(cuCtxSetCurrent)(context);
}

}  // namespace hip_on_cuda

using namespace hip_on_cuda;

SHIM_API hipInit(unsigned) {
  if (setting("print", 0)) std::puts("hello from the runtime");
  if (const int code = setting("init", 0)) return static_cast<hipError_t>(code);
  return driver() ? hip_error(CUDA(cuInit)(0)) : hipErrorNoDevice;
}
SHIM_API hipRuntimeGetVersion(int *value) {
  *value = setting("version", version);
  return hipSuccess;
}
SHIM_API hipDriverGetVersion(int *value) {
  return hipRuntimeGetVersion(value);
}

SHIM_API hipGetDeviceCount(int *count) {
  return hip_error(CUDA(cuDeviceGetCount)(count));
}
SHIM_API hipDeviceGetName(char *name, int size, hipDevice_t device) {
  return hip_error(CUDA(cuDeviceGetName)(name, size, device));
}
SHIM_API hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  return hip_error(CUDA(cuDeviceGetUuid_v2)(reinterpret_cast<CUuuid *>(uuid), device));
}
SHIM_API hipDeviceGetPCIBusId(char *text, int size, int device) {
  return hip_error(CUDA(cuDeviceGetPCIBusId)(text, size, device));
}
SHIM_API hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  return hip_error(CUDA(cuDeviceTotalMem)(bytes, device));
}
SHIM_API hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device) {
  const struct {
    hipDeviceAttribute_t hip;
    CUdevice_attribute cuda;
  } table[] = {
      {hipDeviceAttributeMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {hipDeviceAttributeMaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X},
      {hipDeviceAttributeMaxBlockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y},
      {hipDeviceAttributeMaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
      {hipDeviceAttributeMaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      {hipDeviceAttributeMaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      {hipDeviceAttributeMaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
      {hipDeviceAttributeMaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
      {hipDeviceAttributeWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      {hipDeviceAttributeMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {hipDeviceAttributeIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED},
      {hipDeviceAttributeL2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE}};
  if (which == hipDeviceAttributeCanUseStreamWaitValue) {
    *value = setting("gate", 1) &&
             (attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, device) ||
              attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, device));
    return hipSuccess;
  }
  for (const auto &entry : table)
    if (entry.hip == which) return hip_error(CUDA(cuDeviceGetAttribute)(value, entry.cuda, device));
  return hipErrorInvalidValue;
}
#if HIP_SHIM_MAJOR < 6
SHIM_API hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  *properties = {};
  return hip_error(
      write_architecture(properties->gcnArchName, sizeof properties->gcnArchName, device));
}
#else
/// Of the younger layout, which the headers may not have: its size, and where the name is in it.
SHIM_API hipGetDevicePropertiesR0600(void *properties, int device) {
  constexpr std::size_t size = 1472, architecture_offset = 1160, architecture_size = 256;
  std::memset(properties, 0, size);
  return hip_error(write_architecture(static_cast<char *>(properties) + architecture_offset,
                                      architecture_size, device));
}
#endif

SHIM_API hipGetDevice(int *device) {
  *device = current_device;
  return hipSuccess;
}
SHIM_API hipSetDevice(int device) {
  current_device = device;
  return hip_error(enter());
}
SHIM_API hipDeviceSynchronize() {
  if (const CUresult result = enter(); result != CUDA_SUCCESS) return hip_error(result);
  return hip_error(CUDA(cuCtxSynchronize)());
}
