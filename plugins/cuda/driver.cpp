// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <bench/plugin.hpp>
#include <cstring>
#include <mutex>

namespace bench_cuda {
namespace {

using bench::plugin::Error;

constexpr const char *library_name = "libcuda.so.1";
// The first driver with all that BENCH_CUDA_REQUIRED names.
constexpr int oldest_version = 12000;

std::atomic<const Driver *> opened{nullptr};

#define BENCH_CUDA_TEXT2(name) #name
#define BENCH_CUDA_TEXT(name) BENCH_CUDA_TEXT2(name)

/// `versioned` as cuda.h's macros name it. The plain name is another, older interface, often with
/// other arguments (cuMemAlloc has 32 bits), and never stands in; but cuEventElapsedTime_v2, new
/// in 12.8, differs in its errors alone.
void *find(void *library, const char *versioned) {
  void *symbol = ::dlsym(library, versioned);
  if (!symbol && std::strcmp(versioned, "cuEventElapsedTime_v2") == 0)
    symbol = ::dlsym(library, "cuEventElapsedTime");
  return symbol;
}

[[noreturn]] void no_driver(const std::string &what, const std::string &hint, CUresult code = {},
                            const char *name = nullptr) {
  throw Error(BENCH_ERROR_NO_DRIVER, what, hint, static_cast<std::int64_t>(code),
              name ? name : std::string());
}

void *open_library() {
  if (void *library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL)) return library;
  const char *reason = ::dlerror();
  no_driver(std::string("the NVIDIA driver's library cannot be opened: ") +
                (reason ? reason : "no reason given"),
            "install the NVIDIA driver, or in a container mount the host's");
}

void start(Driver &made, void *library) {
  const auto version =
      reinterpret_cast<decltype(&::cuDriverGetVersion)>(::dlsym(library, "cuDriverGetVersion"));
  if (!version || version(&made.version) != CUDA_SUCCESS)
    no_driver(std::string(library_name) + " does not tell its version", "reinstall the driver");
  if (made.version < oldest_version)
    no_driver("the driver supports CUDA " + version_text(made.version) + ", this plugin needs " +
                  version_text(oldest_version),
              "update the NVIDIA driver");
#define BENCH_CUDA_FIND(name, ...) \
  made.name = reinterpret_cast<decltype(made.name)>(find(library, BENCH_CUDA_TEXT(name)));
  BENCH_CUDA_REQUIRED(BENCH_CUDA_FIND)
  BENCH_CUDA_OPTIONAL(BENCH_CUDA_FIND)
#undef BENCH_CUDA_FIND
#define BENCH_CUDA_REQUIRE(name) \
  if (!made.name)                \
    no_driver(std::string(library_name) + " has no " #name, "reinstall the NVIDIA driver");
  BENCH_CUDA_REQUIRED(BENCH_CUDA_REQUIRE)
#undef BENCH_CUDA_REQUIRE
  const CUresult result = made.cuInit(0);
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_NO_DEVICE) return;
  const char *name = nullptr, *text = nullptr;
  made.cuGetErrorName(result, &name);
  made.cuGetErrorString(result, &text);
  no_driver(
      std::string("the NVIDIA driver does not start: ") + (text ? text : "unknown error"),
      "see `nvidia-smi` and the system's log; in a container, whether the devices are mounted",
      result, name);
}

}  // namespace

const Driver &driver() {
  if (const Driver *known = opened.load(std::memory_order_acquire)) return *known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Driver *known = opened.load(std::memory_order_acquire)) return *known;
  static Driver made;  // for the life of the process, as the library that it points into
  made = Driver{};
  start(made, open_library());
  opened.store(&made, std::memory_order_release);
  return made;
}

const Driver *opened_driver() {
  return opened.load(std::memory_order_acquire);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace bench_cuda
