// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <bench/plugin.hpp>
#include <bench/plugin/captured_stdout.hpp>
#include <mutex>

namespace bench_hip {
namespace {

using bench::plugin::Error;

// Newest first. The major version is in the name: what a program was built for is found under it.
constexpr const char *names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                 "libamdhip64.so"};
// The first one whose types are those of the headers that this was made with.
constexpr int version_major = 10'000'000, version_minor = 100'000;
constexpr int oldest_version = 5 * version_major;

std::atomic<const Library *> opened{nullptr};

[[noreturn]] void no_driver(const std::string &what, const std::string &hint, hipError_t code = {},
                            const char *name = nullptr) {
  throw Error(BENCH_ERROR_NO_DRIVER, what, hint, static_cast<std::int64_t>(code),
              name ? name : std::string());
}

void *open_library() {
  // A framework's own copy first: two runtimes in one process do not know each other's streams.
  for (const char *name : names)
    if (void *found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return found;
  std::string first;
  for (const char *name : names) {
    if (void *found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
    const char *reason = ::dlerror();
    // "No such file" of the older names says no more than that of the first. What is there and
    // cannot be loaded is the better reason.
    const std::string text = reason ? reason : name;
    if (first.empty() || (first.find("No such file") != std::string::npos &&
                          text.find("No such file") == std::string::npos))
      first = text;
  }
  no_driver("the HIP runtime cannot be opened: " + first,
            "install ROCm's libamdhip64 (7, 6 or 5), or in a container mount the host's");
}

std::string path_of(void *handle) {
  link_map *map = nullptr;
  return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name ? map->l_name
                                                                            : "libamdhip64";
}

void start(Library &made, void *handle) {
  made.handle = handle;
  made.path = path_of(handle);
#define BENCH_HIP_FIND(name, ...) \
  made.name = reinterpret_cast<decltype(made.name)>(::dlsym(handle, #name));
  BENCH_HIP_REQUIRED(BENCH_HIP_FIND)
  BENCH_HIP_OVERLOADED(BENCH_HIP_FIND)
  BENCH_HIP_OPTIONAL(BENCH_HIP_FIND)
#undef BENCH_HIP_FIND
  for (const char *name : {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"})
    if (!made.get_properties)
      made.get_properties = reinterpret_cast<decltype(made.get_properties)>(::dlsym(handle, name));
  if (!made.hipRuntimeGetVersion || made.hipRuntimeGetVersion(&made.version) != hipSuccess)
    no_driver(made.path + " does not tell its version", "reinstall the HIP runtime");
  if (made.version < oldest_version)
    no_driver("the HIP runtime is " + version_text(made.version) + ", this plugin needs " +
                  version_text(oldest_version),
              "update ROCm");
#define BENCH_HIP_REQUIRE(name, ...) \
  if (!made.name) no_driver(made.path + " has no " #name, "reinstall the HIP runtime");
  BENCH_HIP_REQUIRED(BENCH_HIP_REQUIRE)
  BENCH_HIP_OVERLOADED(BENCH_HIP_REQUIRE)
#undef BENCH_HIP_REQUIRE
  const hipError_t result = made.hipInit(0);
  if (result == hipSuccess) return;
  // What HIP 5 and 6 answer where no device is: the runtime itself is fine.
  if (result == hipErrorNoDevice || result == hipErrorInvalidDevice)
    throw Error(
        BENCH_ERROR_NO_DEVICE,
        "HIP " + version_text(made.version) + " finds no device: " + made.hipGetErrorString(result),
        "with an AMD GPU: see `rocminfo`, whether this user may use /dev/kfd and /dev/dri "
        "(groups render, video), and in a container whether they are mounted",
        static_cast<std::int64_t>(result), made.hipGetErrorName(result));
  no_driver(std::string("the HIP runtime does not start: ") + made.hipGetErrorString(result),
            "see `rocminfo`, whether this user may use /dev/kfd and /dev/dri (groups render, "
            "video), and in a container whether they are mounted",
            result, made.hipGetErrorName(result));
}

}  // namespace

const Library &library() {
  if (const Library *known = opened.load(std::memory_order_acquire)) return *known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Library *known = opened.load(std::memory_order_acquire)) return *known;
  static Library made;  // for the life of the process, as the library that it points into
  made = Library{};
  bench::plugin::CapturedStdout captured;
  try {
    start(made, open_library());
  } catch (Error &error) {
    if (const std::string text = captured.end(); !text.empty())
      error.text += "; it printed: " + text;
    throw;
  }
  made.printed = captured.end();
  opened.store(&made, std::memory_order_release);
  return made;
}

void *runtime_file() {
  return open_library();
}

const Library *opened_library() {
  return opened.load(std::memory_order_acquire);
}

std::string version_text(int version) {
  return std::to_string(version / version_major) + "." +
         std::to_string(version % version_major / version_minor) + "." +
         std::to_string(version % version_minor);
}

}  // namespace bench_hip
