// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <bench/plugin.hpp>
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

/// `versioned` as cuda.h's macros name it, else the plain name: an older driver has only that.
void *find(void *library, const char *versioned, const char *plain) {
  void *symbol = ::dlsym(library, versioned);
  return symbol ? symbol : ::dlsym(library, plain);
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
#define BENCH_CUDA_FIND(name) \
  made.name = reinterpret_cast<decltype(made.name)>(find(library, BENCH_CUDA_TEXT(name), #name));
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

int status_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return BENCH_ERROR_OUT_OF_RESOURCES;
    // The context is dead after these: each later call returns the same.
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
      return BENCH_ERROR_DEVICE_LOST;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
      return BENCH_ERROR_NO_DEVICE;
    case CUDA_ERROR_NOT_PERMITTED:
      return BENCH_ERROR_NO_PERMISSION;
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return BENCH_ERROR_UNSUPPORTED;
    // Somebody else is capturing, on a stream that the default stream waits for.
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
      return BENCH_ERROR_BUSY;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      return BENCH_ERROR_INCOMPATIBLE;
    case CUDA_ERROR_INVALID_PTX:
      return BENCH_ERROR_COMPILE_FAILED;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_NOT_FOUND:
      return BENCH_ERROR_INVALID_ARGUMENT;
    default:
      return BENCH_ERROR_INTERNAL;
  }
}

void check(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr, *text = nullptr;
  if (const Driver *known = opened_driver()) {
    known->cuGetErrorName(result, &name);
    known->cuGetErrorString(result, &text);
  }
  const int status = status_of(result);
  std::string hint;
  if (status == BENCH_ERROR_DEVICE_LOST)
    hint =
        "a kernel has probably damaged the context: start a new process; compute-sanitizer finds "
        "the access";
  else if (status == BENCH_ERROR_OUT_OF_RESOURCES)
    hint = "use a smaller problem or configuration, or free memory on the device";
  else if (status == BENCH_ERROR_BUSY)
    hint = "wait until the capture into a graph has ended";
  else
    hint = "see the CUDA driver API's description of the error";
  throw Error(status, "cannot " + what + ": " + (text ? text : "unknown error"), hint,
              static_cast<std::int64_t>(result), name ? name : "");
}

}  // namespace bench_cuda
