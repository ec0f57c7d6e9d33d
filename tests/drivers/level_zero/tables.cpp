// SPDX-License-Identifier: Apache-2.0
// What the loader asks a driver for. It wants every table of the core, the tools and Sysman, or
// takes the driver for a broken one; entries that are NULL are features that are absent.
#include <level_zero/zet_ddi.h>

#include <cstdio>

#include "driver.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

#define FILLED_TABLE(name, type)                             \
  EXPORTED ze_result_t name(ze_api_version_t, type *table) { \
    if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER; \
    *table = {};                                             \
    level_zero_driver::fill_table(*table);                   \
    return ZE_RESULT_SUCCESS;                                \
  }
#define EMPTY_TABLE(name, type)                              \
  EXPORTED ze_result_t name(ze_api_version_t, type *table) { \
    if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER; \
    *table = {};                                             \
    return ZE_RESULT_SUCCESS;                                \
  }

namespace level_zero_driver {
namespace {

ze_result_t initialise(ze_init_flags_t) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  register_builtin_kernels();
  // A vendor's library that talks: through stdio, unflushed.
  if (all.control.printed) std::printf("%s\n", all.control.printed);
  return static_cast<ze_result_t>(all.control.init_result);
}

}  // namespace
}  // namespace level_zero_driver

EXPORTED ze_result_t zeGetGlobalProcAddrTable(ze_api_version_t, ze_global_dditable_t *table) {
  if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  table->pfnInit = level_zero_driver::initialise;
  return ZE_RESULT_SUCCESS;
}

FILLED_TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t)
FILLED_TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t)
FILLED_TABLE(zeGetContextProcAddrTable, ze_context_dditable_t)
FILLED_TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
FILLED_TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t)
FILLED_TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t)
FILLED_TABLE(zeGetEventProcAddrTable, ze_event_dditable_t)
FILLED_TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t)
FILLED_TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t)
FILLED_TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t)
FILLED_TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t)
FILLED_TABLE(zesGetDeviceProcAddrTable, zes_device_dditable_t)
FILLED_TABLE(zesGetPowerProcAddrTable, zes_power_dditable_t)
FILLED_TABLE(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
FILLED_TABLE(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)

EMPTY_TABLE(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
EMPTY_TABLE(zeGetImageProcAddrTable, ze_image_dditable_t)
EMPTY_TABLE(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
EMPTY_TABLE(zeGetFenceProcAddrTable, ze_fence_dditable_t)
EMPTY_TABLE(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
EMPTY_TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
EMPTY_TABLE(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
EMPTY_TABLE(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
EMPTY_TABLE(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
EMPTY_TABLE(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
EMPTY_TABLE(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
EMPTY_TABLE(zesGetDriverProcAddrTable, zes_driver_dditable_t)
EMPTY_TABLE(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
EMPTY_TABLE(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
EMPTY_TABLE(zesGetEngineProcAddrTable, zes_engine_dditable_t)
EMPTY_TABLE(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
EMPTY_TABLE(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
EMPTY_TABLE(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
EMPTY_TABLE(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
EMPTY_TABLE(zesGetPsuProcAddrTable, zes_psu_dditable_t)
EMPTY_TABLE(zesGetFanProcAddrTable, zes_fan_dditable_t)
EMPTY_TABLE(zesGetLedProcAddrTable, zes_led_dditable_t)
EMPTY_TABLE(zesGetRasProcAddrTable, zes_ras_dditable_t)
EMPTY_TABLE(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
EMPTY_TABLE(zetGetDeviceProcAddrTable, zet_device_dditable_t)
EMPTY_TABLE(zetGetContextProcAddrTable, zet_context_dditable_t)
EMPTY_TABLE(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
EMPTY_TABLE(zetGetModuleProcAddrTable, zet_module_dditable_t)
EMPTY_TABLE(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
EMPTY_TABLE(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
EMPTY_TABLE(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
EMPTY_TABLE(zetGetMetricProcAddrTable, zet_metric_dditable_t)
EMPTY_TABLE(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
EMPTY_TABLE(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
EMPTY_TABLE(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
EMPTY_TABLE(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
EMPTY_TABLE(zetGetDebugProcAddrTable, zet_debug_dditable_t)
