// SPDX-License-Identifier: Apache-2.0
// Start, devices, contexts, errors.
#include <cstdlib>
#include <cstring>

#include "fake_cuda.hpp"

namespace fake_cuda {
namespace {

Context primaries[8];
thread_local std::vector<Context *> stack;
thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

}  // namespace

long setting(const char *name, long otherwise) {
  const char *all = std::getenv("BENCH_FAKE_CUDA");
  if (!all) return otherwise;
  const std::string text = std::string(",") + all;
  const std::string key = std::string(",") + name + "=";
  const auto at = text.find(key);
  return at == std::string::npos ? otherwise : std::atol(text.c_str() + at + key.size());
}

Driver &driver() {
  static Driver self;
  return self;
}

Context *current() {
  return stack.empty() ? nullptr : stack.back();
}

CUresult enter() {
  if (!driver().started) return CUDA_ERROR_NOT_INITIALIZED;
  if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
  return driver().sticky;
}

CUresult break_captures() {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  bool broken = false;
  for (Stream *stream : driver().streams) {
    if (stream->capture != CU_STREAM_CAPTURE_STATUS_ACTIVE) continue;
    const bool mine = stream->capturing == std::this_thread::get_id();
    const bool hit = mine ? stream->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                          : thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                stream->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!hit) continue;
    stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    broken = true;
  }
  return broken ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

}  // namespace fake_cuda

using namespace fake_cuda;

FAKE_CUDA_API cuInit(unsigned int) {
  const auto code = static_cast<CUresult>(setting("init", CUDA_SUCCESS));
  if (code != CUDA_SUCCESS) return code;
  driver().started = true;
  return setting("devices", 1) == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
FAKE_CUDA_API cuDriverGetVersion(int *version) {
  *version = static_cast<int>(setting("version", 13000));
  return CUDA_SUCCESS;
}

namespace {
const struct {
  CUresult code;
  const char *name, *text;
} errors[] = {
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"}};
}  // namespace

FAKE_CUDA_API cuGetErrorName(CUresult code, const char **name) {
  *name = "CUDA_ERROR_OF_THE_STAND_IN";
  for (const auto &error : errors)
    if (error.code == code) *name = error.name;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuGetErrorString(CUresult code, const char **text) {
  *text = "an error of the stand-in";
  for (const auto &error : errors)
    if (error.code == code) *text = error.text;
  return CUDA_SUCCESS;
}

FAKE_CUDA_API cuDeviceGetCount(int *count) {
  *count = static_cast<int>(setting("devices", 1));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal < setting("devices", 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
FAKE_CUDA_API cuDeviceGetName(char *name, int size, CUdevice device) {
  std::strncpy(name, device == 0 ? "Stand-in 0" : "Stand-in 1", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  std::memset(uuid->bytes, 0x70 + device, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 1 << 20;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 2147483647;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
      *value = static_cast<int>(setting("gate", 1));
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  std::strncpy(id, device == 0 ? "0000:01:00.0" : "0000:02:00.0", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDeviceTotalMem(std::size_t *bytes, CUdevice) {
  *bytes = static_cast<std::size_t>(setting("memory", 1L << 30));
  return CUDA_SUCCESS;
}

FAKE_CUDA_API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  const std::lock_guard lock(driver().mutex);
  Context &primary = primaries[device];
  primary.device = device;
  if (primary.references == 0)
    if (const CUresult result = break_captures(); result != CUDA_SUCCESS) return result;
  ++primary.references;
  *context = reinterpret_cast<CUcontext>(&primary);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuDevicePrimaryCtxRelease(CUdevice device) {
  const std::lock_guard lock(driver().mutex);
  return primaries[device].references-- > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
FAKE_CUDA_API cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active) {
  const std::lock_guard lock(driver().mutex);
  *flags = 0;
  *active = primaries[device].references > 0;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxPushCurrent(CUcontext context) {
  stack.push_back(reinterpret_cast<Context *>(context));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxPopCurrent(CUcontext *context) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = reinterpret_cast<CUcontext>(stack.back());
  stack.pop_back();
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxSetCurrent(CUcontext context) {
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(reinterpret_cast<Context *>(context));
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxGetCurrent(CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(current());
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxGetDevice(CUdevice *device) {
  if (const CUresult result = enter(); result != CUDA_SUCCESS) return result;
  *device = current()->device;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuCtxResetPersistingL2Cache() {
  return enter();
}
FAKE_CUDA_API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  std::swap(*mode, thread_mode);
  return CUDA_SUCCESS;
}

/// NVRTC asks for one, and crashed where the function was not there.
FAKE_CUDA_API cuGetExportTable(const void **table, const CUuuid *) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
