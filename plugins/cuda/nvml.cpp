// SPDX-License-Identifier: Apache-2.0
#include "nvml.hpp"

#include <dlfcn.h>

#include <mutex>

namespace bench_cuda {
namespace {

constexpr const char *library_name = "libnvidia-ml.so.1";

#define BENCH_NVML_TEXT2(name) #name
#define BENCH_NVML_TEXT(name) BENCH_NVML_TEXT2(name)

void fill(Nvml &made) {
  void *library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    throw Error(
        BENCH_ERROR_UNSUPPORTED,
        std::string("NVML cannot be opened: ") + (reason ? reason : library_name),
        "it comes with the NVIDIA driver; in a container the \"utility\" capability mounts it");
  }
  // nvml.h's macros give the versioned name, as cuda.h's do.
#define BENCH_NVML_FIND(name)                                                                 \
  made.name = reinterpret_cast<decltype(made.name)>(::dlsym(library, BENCH_NVML_TEXT(name))); \
  if (!made.name) made.name = reinterpret_cast<decltype(made.name)>(::dlsym(library, #name));
  BENCH_NVML_REQUIRED(BENCH_NVML_FIND)
  BENCH_NVML_OPTIONAL(BENCH_NVML_FIND)
  BENCH_NVML_FIND(nvmlDeviceGetCurrentClocksEventReasons)
#undef BENCH_NVML_FIND
#define BENCH_NVML_REQUIRE(name) \
  if (!made.name)                \
    throw Error(BENCH_ERROR_UNSUPPORTED, "NVML has no " #name, "update the NVIDIA driver");
  BENCH_NVML_REQUIRED(BENCH_NVML_REQUIRE)
#undef BENCH_NVML_REQUIRE
  const nvmlReturn_t result = made.nvmlInit_v2();
  if (result != NVML_SUCCESS)
    throw Error(BENCH_ERROR_UNSUPPORTED,
                std::string("NVML does not start: ") + made.nvmlErrorString(result),
                "see `nvidia-smi`", result, "");
}

int status_of(nvmlReturn_t result) {
  switch (result) {
    case NVML_ERROR_NO_PERMISSION:
      return BENCH_ERROR_NO_PERMISSION;
    case NVML_ERROR_NOT_SUPPORTED:
      return BENCH_ERROR_UNSUPPORTED;
    case NVML_ERROR_NOT_FOUND:
      return BENCH_ERROR_NO_DEVICE;
    case NVML_ERROR_GPU_IS_LOST:
      return BENCH_ERROR_DEVICE_LOST;
    case NVML_ERROR_INVALID_ARGUMENT:
      return BENCH_ERROR_INVALID_ARGUMENT;
    default:
      return BENCH_ERROR_INTERNAL;
  }
}

std::string uuid_text(const CUuuid &uuid, bool partition) {
  std::string text = partition ? "MIG-" : "GPU-";
  constexpr const char *digits = "0123456789abcdef";
  for (int i = 0; i < 16; ++i) {
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace

const Nvml &nvml() {
  static std::mutex mutex;
  static Nvml made;  // for the life of the process: other users of NVML count on their own
  static bool opened = false;
  const std::lock_guard lock(mutex);
  if (!opened) {
    made = Nvml{};
    fill(made);
    opened = true;
  }
  return made;
}

nvmlDevice_t nvml_device(bench_instance_v1 &instance, bench_device_v1 device) {
  const Nvml &library = nvml();
  const CUdevice cuda_device = device_handle(device);
  std::atomic<void *> &known = instance.nvml_devices[device.id];
  if (void *handle = known.load(std::memory_order_acquire))
    return static_cast<nvmlDevice_t>(handle);
  CUuuid uuid{};
  check(driver().cuDeviceGetUuid_v2(&uuid, cuda_device), "read a device's UUID");
  nvmlDevice_t handle = nullptr;
  nvmlReturn_t result = library.nvmlDeviceGetHandleByUUID(uuid_text(uuid, false).c_str(), &handle);
  if (result != NVML_SUCCESS)
    result = library.nvmlDeviceGetHandleByUUID(uuid_text(uuid, true).c_str(), &handle);
  check(result, "find the device " + uuid_text(uuid, false) + " in NVML");
  known.store(handle, std::memory_order_release);
  return handle;
}

void check(nvmlReturn_t result, const std::string &what) {
  if (result == NVML_SUCCESS) return;
  throw Error(status_of(result), "cannot " + what + ": " + nvml().nvmlErrorString(result),
              result == NVML_ERROR_NO_PERMISSION
                  ? "NVML lets only root, or who the administrator allows, do that"
                  : "see `nvidia-smi -q`",
              result, "");
}

}  // namespace bench_cuda
