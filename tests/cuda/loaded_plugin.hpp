// SPDX-License-Identifier: Apache-2.0
// An instance of the plugin under test, on whatever libcuda.so.1 is found.
#pragma once
#include <bench/plugin_v1.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

namespace cuda_test {

constexpr bench_device_v1 device{BENCH_DEVICE_CUDA, 0};

struct LoadedPlugin {
  LoadedPlugin() {
    error.struct_size = sizeof error;
    void *library = ::dlopen(BENCH_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    REQUIRE(!!entry);
    api = entry(nullptr, nullptr);
    REQUIRE(api->open(nullptr, nullptr, &instance, &error) == BENCH_OK);
    std::uint32_t count = 0;
    REQUIRE(api->device_list(instance, nullptr, 0, &count, &error) == BENCH_OK);
    REQUIRE(count > 0);
  }
  ~LoadedPlugin() { close(); }
  LoadedPlugin(const LoadedPlugin &) = delete;  // closed once
  LoadedPlugin &operator=(const LoadedPlugin &) = delete;
  void close() {
    if (instance) api->close(instance);
    instance = nullptr;
  }
  template <typename Table>
  const Table &extension(const char *id) const {
    const void *table = api->get_extension(instance, id);
    REQUIRE(table != nullptr);
    return *static_cast<const Table *>(table);
  }
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_error_v1 error{};
};

}  // namespace cuda_test
