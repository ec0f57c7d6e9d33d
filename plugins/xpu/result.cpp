// SPDX-License-Identifier: Apache-2.0
// One table from Level Zero's codes to what the caller does next.
#include <cstdio>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

// Of versions later than the headers of Debian 12.
constexpr std::uint32_t survivability_mode_detected = 0x70020002;
constexpr std::uint32_t address_not_found = 0x70020003;

struct Row {
  std::uint32_t code;
  ResultText text;
};

constexpr const char *smaller = "use a smaller problem, or end what else uses the device";
constexpr const char *restart =
    "the device's state is gone: start a new process (the kernel log says why it was reset)";
constexpr const char *mend = "mend the kernel; the whole build log is in the debug log (BENCH_LOG)";
constexpr const char *ours = "report this to the plugin's vendor";
constexpr const char *rights = "join the group that owns /dev/dri/renderD* (usually render)";

#define BENCH_XPU_ROW(name, status, hint) \
  {                                       \
    name, {                               \
#name, status, hint                 \
    }                                     \
  }
const Row rows[] = {
    BENCH_XPU_ROW(ZE_RESULT_NOT_READY, BENCH_ERROR_BUSY, "ask again later"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_DEVICE_LOST, BENCH_ERROR_DEVICE_LOST, restart),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET, BENCH_ERROR_DEVICE_LOST, restart),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, BENCH_ERROR_OUT_OF_RESOURCES,
                  "free memory of the host"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, BENCH_ERROR_OUT_OF_RESOURCES, smaller),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, BENCH_ERROR_COMPILE_FAILED, mend),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, BENCH_ERROR_COMPILE_FAILED, mend),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE, BENCH_ERROR_BUSY,
                  "wake the device and try again"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, BENCH_ERROR_NO_PERMISSION, rights),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_NOT_AVAILABLE, BENCH_ERROR_BUSY,
                  "end what else uses it, and try again"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, BENCH_ERROR_UNSUPPORTED,
                  "install the whole driver: a library that it needs is missing"),
    BENCH_XPU_ROW(ZE_RESULT_WARNING_DROPPED_DATA, BENCH_ERROR_INTERNAL, ours),
    {survivability_mode_detected,
     {"ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED", BENCH_ERROR_NO_DEVICE,
      "the card's firmware asks to be updated"}},
    {address_not_found, {"ZE_RESULT_ERROR_ADDRESS_NOT_FOUND", BENCH_ERROR_INVALID_ARGUMENT, ours}},
    BENCH_XPU_ROW(
        ZE_RESULT_ERROR_UNINITIALIZED, BENCH_ERROR_NO_DRIVER,
        "install the driver of the GPU (Debian: intel-opencl-icd); ZE_ENABLE_ALT_DRIVERS, "
        "where it is set, must name drivers that load"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_VERSION, BENCH_ERROR_INCOMPATIBLE,
                  "update the loader and the driver"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, BENCH_ERROR_UNSUPPORTED,
                  "a newer driver may have it"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_ARGUMENT, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, BENCH_ERROR_BUSY,
                  "wait until its work is done"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_NULL_POINTER, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_SIZE, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, BENCH_ERROR_OUT_OF_RESOURCES, smaller),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, BENCH_ERROR_INVALID_ARGUMENT,
                  ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_ENUMERATION, BENCH_ERROR_INVALID_ARGUMENT, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, BENCH_ERROR_UNSUPPORTED,
                  "a newer driver may have it"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, BENCH_ERROR_UNSUPPORTED, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, BENCH_ERROR_INCOMPATIBLE,
                  "compile it for this device"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, BENCH_ERROR_INVALID_ARGUMENT,
                  "name a global of the module"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, BENCH_ERROR_INVALID_ARGUMENT,
                  "name a kernel of the module"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, BENCH_ERROR_INVALID_ARGUMENT,
                  "name a function of the module"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, BENCH_ERROR_OUT_OF_RESOURCES,
                  "use smaller blocks"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, BENCH_ERROR_OUT_OF_RESOURCES,
                  "use a smaller grid"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, BENCH_ERROR_INVALID_ARGUMENT,
                  "declare as many parameters as the kernel has"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, BENCH_ERROR_INVALID_ARGUMENT,
                  "declare the parameter with the kernel's type"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, BENCH_ERROR_INVALID_ARGUMENT,
                  ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, BENCH_ERROR_COMPILE_FAILED,
                  "define what the module imports"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, BENCH_ERROR_INVALID_ARGUMENT,
                  "give an immediate command list of a compute queue"),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, BENCH_ERROR_INVALID_ARGUMENT,
                  "copy between memory that does not overlap"),
    BENCH_XPU_ROW(ZE_RESULT_WARNING_ACTION_REQUIRED, BENCH_ERROR_INTERNAL, ours),
    BENCH_XPU_ROW(ZE_RESULT_ERROR_UNKNOWN, BENCH_ERROR_INTERNAL,
                  "the driver does not say more; the kernel log may"),
};
#undef BENCH_XPU_ROW

Error error_of(ze_result_t result, const char *function, const std::string &details) {
  const ResultText text = describe(result);
  char number[32];
  std::snprintf(number, sizeof number, "0x%08x", static_cast<unsigned>(result));
  return Error(text.status,
               std::string(function) + " failed: " + text.name + " (" + number + ")" +
                   (details.empty() ? "" : "; " + details),
               text.hint, static_cast<std::int64_t>(result), text.name);
}

void remember(ze_result_t result, Device *device) {
  if (device && describe(result).status == BENCH_ERROR_DEVICE_LOST)
    device->lost.store(true, std::memory_order_relaxed);
}

}  // namespace

ResultText describe(ze_result_t result) {
  for (const Row &row : rows) {
    if (row.code == static_cast<std::uint32_t>(result)) return row.text;
  }
  return {"an unknown Level Zero code", BENCH_ERROR_INTERNAL, "look it up in ze_api.h"};
}

void check(ze_result_t result, const char *function, Device *device, const std::string &details) {
  if (result == ZE_RESULT_SUCCESS) return;
  remember(result, device);
  throw error_of(result, function, details);
}

bench_status report(ze_result_t result, const char *function, Device *device, const char *where,
                    bench_error_v1 *error) {
  if (result == ZE_RESULT_SUCCESS) return BENCH_OK;
  remember(result, device);
  return guarded(error, where, [&] { throw error_of(result, function, ""); });
}

}  // namespace bench_xpu
