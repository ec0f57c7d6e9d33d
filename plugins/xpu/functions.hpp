// SPDX-License-Identifier: Apache-2.0
// The Level Zero loader, opened at run time. Linking it would make this file unloadable on every
// machine without it.
#pragma once
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <string>

namespace bench_xpu {

// Of Level Zero 1.0: a loader without one of these is not a loader.
#define BENCH_XPU_REQUIRED(X)                                                                      \
  X(zeInit)                                                                                        \
  X(zeDriverGet)                                                                                   \
  X(zeDriverGetApiVersion)                                                                         \
  X(zeDriverGetProperties)                                                                         \
  X(zeDriverGetExtensionProperties) X(zeDeviceGet) X(zeDeviceGetSubDevices)                        \
      X(zeDeviceGetProperties) X(zeDeviceGetComputeProperties) X(                                  \
          zeDeviceGetCommandQueueGroupProperties) X(zeDeviceGetMemoryProperties)                   \
          X(zeDeviceGetCacheProperties) X(zeContextCreate) X(zeContextDestroy) X(                  \
              zeCommandQueueCreate) X(zeCommandQueueDestroy) X(zeCommandQueueExecuteCommandLists)  \
              X(zeCommandQueueSynchronize) X(zeCommandListCreate) X(zeCommandListCreateImmediate)  \
                  X(zeCommandListDestroy) X(zeCommandListClose)                                    \
                      X(zeCommandListAppendWriteGlobalTimestamp) X(zeCommandListAppendBarrier) X(  \
                          zeCommandListAppendMemoryCopy) X(zeCommandListAppendMemoryFill)          \
                          X(zeCommandListAppendSignalEvent) X(zeCommandListAppendWaitOnEvents) X(  \
                              zeCommandListAppendEventReset) X(zeCommandListAppendLaunchKernel)    \
                              X(zeEventPoolCreate) X(zeEventPoolDestroy) X(zeEventCreate)          \
                                  X(zeEventDestroy) X(zeEventHostSignal) X(zeEventHostSynchronize) \
                                      X(zeEventQueryStatus) X(zeEventHostReset)                    \
                                          X(zeEventQueryKernelTimestamp) X(zeMemAllocDevice)       \
                                              X(zeMemAllocHost) X(zeMemFree) X(zeModuleCreate)     \
                                                  X(zeModuleDestroy) X(zeModuleBuildLogDestroy)    \
                                                      X(zeModuleBuildLogGetString)                 \
                                                          X(zeModuleGetKernelNames) X(             \
                                                              zeModuleGetGlobalPointer)            \
                                                              X(zeKernelCreate) X(zeKernelDestroy) \
                                                                  X(zeKernelSetGroupSize)          \
                                                                      X(zeKernelSetArgumentValue)  \
                                                                          X(zeKernelGetProperties)

// Later than 1.0, or Sysman: without them their feature is absent, nothing else.
#define BENCH_XPU_OPTIONAL(X)                                                               \
  X(zeDevicePciGetPropertiesExt)                                                            \
  X(zeMemFreeExt)                                                                           \
  X(zesDeviceEnumFrequencyDomains)                                                          \
  X(zesFrequencyGetProperties)                                                              \
  X(zesFrequencyGetState) X(zesDeviceEnumTemperatureSensors) X(zesTemperatureGetProperties) \
      X(zesTemperatureGetState) X(zesDeviceEnumPowerDomains) X(zesPowerGetProperties)       \
          X(zesPowerGetEnergyCounter) X(zesPowerGetLimits) X(zesDeviceProcessesGetState)    \
              X(zesDeviceGetProperties) X(zelLoaderTranslateHandle)

struct Functions {
#define BENCH_XPU_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_XPU_REQUIRED(BENCH_XPU_MEMBER)
  BENCH_XPU_OPTIONAL(BENCH_XPU_MEMBER)
#undef BENCH_XPU_MEMBER
  // Level Zero 1.5: Sysman without the environment variable. Not in the headers of 1.4.
  ze_result_t (*sysman_init)(std::uint32_t flags) = nullptr;
  ze_result_t (*sysman_driver_get)(std::uint32_t *count, zes_driver_handle_t *drivers) = nullptr;
  ze_result_t (*sysman_device_get)(zes_driver_handle_t driver, std::uint32_t *count,
                                   zes_device_handle_t *devices) = nullptr;
  std::string path;  // of the loader as opened
};

/// The loader's functions, opened by the first call of the process. Throws NO_DRIVER with the
/// system's own reason.
const Functions &functions();

}  // namespace bench_xpu
