// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

#include <dlfcn.h>
#include <link.h>

#include <mutex>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

// The name is the loader's ABI: every 1.x has it, from Debian 12's 1.8 on.
constexpr const char *loader_name = "libze_loader.so.1";

template <typename Function>
bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Functions load() {
  // Never closed: drivers start threads that run in it until the process ends.
  void *library = ::dlopen(loader_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    throw Error(
        BENCH_ERROR_NO_DRIVER,
        std::string("the Level Zero loader cannot be opened: ") + (reason ? reason : loader_name),
        "install the Level Zero loader (Debian: libze1) and the GPU's driver");
  }
  Functions all;
  link_map *map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) all.path = map->l_name;
  std::string missing;
#define BENCH_XPU_FIND(name)           \
  if (!find(library, #name, all.name)) \
    missing += (missing.empty() ? "" : ", ") + std::string(#name);
  BENCH_XPU_REQUIRED(BENCH_XPU_FIND)
#undef BENCH_XPU_FIND
  if (!missing.empty())
    throw Error(BENCH_ERROR_NO_DRIVER,
                all.path + " is no Level Zero 1.0 loader: it lacks " + missing,
                "install the Level Zero loader 1.8 or newer (Debian: libze1)");
#define BENCH_XPU_FIND(name) find(library, #name, all.name);
  BENCH_XPU_OPTIONAL(BENCH_XPU_FIND)
#undef BENCH_XPU_FIND
  find(library, "zesInit", all.sysman_init);
  find(library, "zesDriverGet", all.sysman_driver_get);
  find(library, "zesDeviceGet", all.sysman_device_get);
  return all;
}

}  // namespace

const Functions &functions() {
  static std::mutex mutex;
  static Functions *loaded = nullptr;  // not destroyed: threads may outlive static destructors
  const std::lock_guard lock(mutex);
  if (!loaded) loaded = new Functions(load());
  return *loaded;
}

}  // namespace bench_xpu
