// SPDX-License-Identifier: Apache-2.0
// The real loader under the guise of another version: each function jumps into it.
// BENCH_OLDER_LOADER leaves out all that Level Zero 1.0 did not have; without it zesInit and its
// like, of 1.5, are there.
#include <dlfcn.h>

#include <cstdint>

#include "../../plugins/xpu/functions.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default"), used))

// Whatever the arguments are: they stay in their registers and on the stack.
#define FORWARD(name)                                                            \
  extern "C" __attribute__((visibility("hidden"))) void *other_loader_##name;    \
  void *other_loader_##name = nullptr;                                           \
  asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name \
      ":\n\tjmp *other_loader_" #name "(%rip)\n.popsection\n");

BENCH_XPU_REQUIRED(FORWARD)
#ifndef BENCH_OLDER_LOADER
BENCH_XPU_OPTIONAL(FORWARD)
#endif

namespace {

__attribute__((constructor)) void resolve() {
  void *real = ::dlopen(BENCH_REAL_LOADER, RTLD_NOW | RTLD_LOCAL);
  if (!real) return;
#define RESOLVE(name) other_loader_##name = ::dlsym(real, #name);
  BENCH_XPU_REQUIRED(RESOLVE)
#ifndef BENCH_OLDER_LOADER
  BENCH_XPU_OPTIONAL(RESOLVE)
#endif
}

}  // namespace

#ifndef BENCH_OLDER_LOADER
namespace {
bool sysman_started = false;
int sysman_driver;
}  // namespace

EXPORTED ze_result_t zesInit(std::uint32_t) {
  sysman_started = true;
  return ZE_RESULT_SUCCESS;
}

EXPORTED ze_result_t zesDriverGet(std::uint32_t *count, zes_driver_handle_t *drivers) {
  if (!sysman_started) return ZE_RESULT_ERROR_UNINITIALIZED;
  *count = 1;
  if (drivers) drivers[0] = reinterpret_cast<zes_driver_handle_t>(&sysman_driver);
  return ZE_RESULT_SUCCESS;
}

/// In the other order than zeDeviceGet: only the UUID says which is which.
EXPORTED ze_result_t zesDeviceGet(zes_driver_handle_t, std::uint32_t *count,
                                  zes_device_handle_t *devices) {
  const auto driver_get = reinterpret_cast<decltype(&zeDriverGet)>(other_loader_zeDriverGet);
  const auto device_get = reinterpret_cast<decltype(&zeDeviceGet)>(other_loader_zeDeviceGet);
  std::uint32_t one = 1, found = 0;
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t all[8] = {};
  if (driver_get(&one, &driver) != ZE_RESULT_SUCCESS ||
      device_get(driver, &found, nullptr) != ZE_RESULT_SUCCESS || found > 8 ||
      device_get(driver, &found, all) != ZE_RESULT_SUCCESS)
    return ZE_RESULT_ERROR_UNKNOWN;
  *count = found;
  for (std::uint32_t i = 0; devices && i < found; ++i)
    devices[i] = reinterpret_cast<zes_device_handle_t>(all[found - 1 - i]);
  return ZE_RESULT_SUCCESS;
}
#endif
