// SPDX-License-Identifier: Apache-2.0
// Starting, and facts about devices. The environment scripts it: BENCH_FAKE_CUDA_DEVICES,
// _VERSION and _INIT (cuInit's result).
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
int setting(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}
int devices() {
  return setting("BENCH_FAKE_CUDA_DEVICES", 1);
}
bool absent(CUdevice device) {
  return device < 0 || device >= devices();
}
struct Name {
  CUresult result;
  const char *name, *text;
};
constexpr Name names[] = {
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"}};
}  // namespace

extern "C" {
#pragma GCC visibility push(default)
CUresult cuInit(unsigned) {
  const int result = setting("BENCH_FAKE_CUDA_INIT", 0);
  if (result) return static_cast<CUresult>(result);
  return devices() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDriverGetVersion(int *version) {
  *version = setting("BENCH_FAKE_CUDA_VERSION", 12080);
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char **name) {
  for (const Name &one : names)
    if (one.result == result) return *name = one.name, CUDA_SUCCESS;
  return *name = nullptr, CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult result, const char **text) {
  for (const Name &one : names)
    if (one.result == result) return *text = one.text, CUDA_SUCCESS;
  return *text = nullptr, CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDeviceGetCount(int *count) {
  *count = devices();
  return *count ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (absent(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  if (absent(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<std::size_t>(size), "Stand-in GPU %d", device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  if (absent(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::memset(uuid->bytes, 0x10 + device, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  if (absent(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02X:00.0", 0x3b + device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t *bytes, CUdevice device) {
  if (absent(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = std::size_t{16} << 30;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
  if (absent(device)) return CUDA_ERROR_INVALID_DEVICE;
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return *value = 9, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return *value = 50 << 20, CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return *value = 100, CUDA_SUCCESS;
    default:
      return *value = 0, CUDA_SUCCESS;
  }
}
#pragma GCC visibility pop
}
