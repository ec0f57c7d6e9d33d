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
constexpr int version = 6 * 10'000'000;
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
  return driver() ? hip_error(CUDA(cuInit)(0)) : hipErrorNoDevice;
}
SHIM_API hipRuntimeGetVersion(int *value) {
  *value = version;
  return hipSuccess;
}
SHIM_API hipDriverGetVersion(int *value) {
  *value = version;
  return hipSuccess;
}
extern "C" __attribute__((visibility("default"))) const char *hipGetErrorName(hipError_t error) {
  const char *name = nullptr;
  CUDA(cuGetErrorName)(static_cast<CUresult>(error), &name);
  return name ? name : "hipErrorUnknown";
}
extern "C" __attribute__((visibility("default"))) const char *hipGetErrorString(hipError_t error) {
  const char *text = nullptr;
  CUDA(cuGetErrorString)(static_cast<CUresult>(error), &text);
  return text ? text : "an unknown error";
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
    *value = attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, device) ||
             attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, device);
    return hipSuccess;
  }
  for (const auto &entry : table)
    if (entry.hip == which) return hip_error(CUDA(cuDeviceGetAttribute)(value, entry.cuda, device));
  return hipErrorInvalidValue;
}
/// The architecture is CUDA's behind HIP's prefix: the shim's compiler takes it apart again.
SHIM_API hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  *properties = {};
  const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "gfx-sm_%d%d", major,
                minor);
  return hipSuccess;
}

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
