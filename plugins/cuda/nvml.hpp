// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library, opened when the first telemetry is read.
#pragma once
#include <nvml.h>

#include <string>

#include "cuda.hpp"

namespace bench_cuda {

#define BENCH_NVML_REQUIRED(X) \
  X(nvmlInit_v2)               \
  X(nvmlErrorString)           \
  X(nvmlDeviceGetHandleByUUID) \
  X(nvmlDeviceGetClockInfo) X(nvmlDeviceGetTemperature) X(nvmlDeviceGetPowerUsage)
// clang-format off
#define BENCH_NVML_OPTIONAL(X)                                                                \
  X(nvmlDeviceGetMaxClockInfo) X(nvmlDeviceGetEnforcedPowerLimit)                             \
  X(nvmlDeviceGetTotalEnergyConsumption) X(nvmlDeviceGetFieldValues)                          \
  X(nvmlDeviceGetCurrentClocksThrottleReasons) X(nvmlDeviceGetComputeRunningProcesses)        \
  X(nvmlDeviceSetGpuLockedClocks) X(nvmlDeviceResetGpuLockedClocks)                           \
  X(nvmlDeviceGetSupportedMemoryClocks) X(nvmlDeviceGetSupportedGraphicsClocks)             \
  X(nvmlDeviceGetUUID)
// clang-format on

struct Nvml {
#define BENCH_NVML_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_NVML_REQUIRED(BENCH_NVML_MEMBER)
  BENCH_NVML_OPTIONAL(BENCH_NVML_MEMBER)
  // The younger name of nvmlDeviceGetCurrentClocksThrottleReasons, which headers up to 12.1 lack.
  decltype(&::nvmlDeviceGetCurrentClocksThrottleReasons) nvmlDeviceGetCurrentClocksEventReasons =
      nullptr;
#undef BENCH_NVML_MEMBER
};

/// Opened and started. Throws Error, UNSUPPORTED, with the reason. Any thread.
const Nvml &nvml();

/// The device as NVML knows it: by UUID, since NVML does not obey CUDA_VISIBLE_DEVICES.
nvmlDevice_t nvml_device(bench_instance_v1 &instance, bench_device_v1 device);

/// Throws Error for a result that is no success.
void check(nvmlReturn_t result, const std::string &what);

}  // namespace bench_cuda
