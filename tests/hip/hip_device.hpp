// SPDX-License-Identifier: Apache-2.0
// The plugin's binary, opened, with one instance.
#pragma once
#include <bench/plugin_v1.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

struct Hip {
  Hip() {
    error.struct_size = sizeof error;
    void *library = ::dlopen(BENCH_HIP_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    REQUIRE(!!entry);
    api = entry(nullptr, nullptr);
    REQUIRE(api->open(nullptr, nullptr, &instance, &error) == BENCH_OK);
  }
  ~Hip() { api->close(instance); }
  Hip(const Hip &) = delete;  // closed once
  Hip &operator=(const Hip &) = delete;
  bench_status list() { return api->device_list(instance, devices, 4, &count, &error); }
  bench_device_info_v1 info(int id) {
    bench_device_info_v1 filled{};
    filled.struct_size = sizeof filled;
    REQUIRE(api->device_info(instance, {BENCH_DEVICE_ROCM, id}, &filled, &error) == BENCH_OK);
    return filled;
  }
  template <typename Table>
  const Table &extension(const char *id) {
    const void *table = api->get_extension(instance, id);
    REQUIRE(table != nullptr);
    return *static_cast<const Table *>(table);
  }
  bool says(const char *text) const {
    return std::string(error.what).find(text) != std::string::npos;
  }
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_error_v1 error{};
  bench_device_v1 devices[4]{};
  std::uint32_t count = 9;
};

inline std::string setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}
