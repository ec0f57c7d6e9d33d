// SPDX-License-Identifier: Apache-2.0
// What the plugin says of its devices, or why it has none. BENCH_CUDA_CASE names the case, which
// the stand-in driver's environment makes.
#include <bench/plugin_v1.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace {

bool is_case(const char *name) {
  const char *given = std::getenv("BENCH_CUDA_CASE");
  return given && std::string(given) == name;
}

struct Cuda {
  Cuda() {
    error.struct_size = sizeof error;
    void *library = ::dlopen(BENCH_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    REQUIRE(!!entry);
    api = entry(nullptr, nullptr);
    REQUIRE(api->open(nullptr, nullptr, &instance, &error) == BENCH_OK);
  }
  ~Cuda() { api->close(instance); }
  Cuda(const Cuda &) = delete;  // closed once
  Cuda &operator=(const Cuda &) = delete;
  bench_status list() { return api->device_list(instance, devices, 4, &count, &error); }
  bool says(const char *text) const {
    return std::string(error.what).find(text) != std::string::npos;
  }
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_error_v1 error{};
  bench_device_v1 devices[4]{};
  std::uint32_t count = 9;
};

}  // namespace

TEST_CASE("two devices: each by its own facts, without a context; a third is not there") {
  if (!is_case("two")) return;
  Cuda cuda;
  REQUIRE(cuda.list() == BENCH_OK);
  REQUIRE(cuda.count == 2);
  for (int id = 0; id < 2; ++id) {
    bench_device_info_v1 info{};
    info.struct_size = sizeof info;
    REQUIRE(cuda.api->device_info(cuda.instance, cuda.devices[id], &info, &cuda.error) == BENCH_OK);
    CHECK(std::string(info.name) == "Stand-in GPU " + std::to_string(id));
    CHECK(std::string(info.architecture) == "sm_90");
    CHECK(std::string(info.bus_id) == (id ? "0000:3C:00.0" : "0000:3B:00.0"));
    CHECK(info.uuid[0] == 0x10 + id);
    CHECK(info.last_level_cache_bytes == 50u << 20);
    CHECK(info.compute_units == 100);
  }
  void *driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(driver != nullptr);
  const int *refused = static_cast<int *>(::dlsym(driver, "bench_cuda_refused_calls"));
  REQUIRE(refused != nullptr);
  CHECK(*refused == 0);
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(cuda.api->device_info(cuda.instance, {BENCH_DEVICE_CUDA, 2}, &info, &cuda.error) ==
        BENCH_ERROR_NO_DEVICE);
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  CHECK(cuda.api->stream_create(cuda.instance, cuda.devices[0], &stream, &cuda.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(cuda.error.vendor_code == 801);
  CHECK(std::string(cuda.error.vendor_name) == "CUDA_ERROR_NOT_SUPPORTED");
}

TEST_CASE("no device: an empty list, which is no error") {
  if (!is_case("none")) return;
  Cuda cuda;
  CHECK(cuda.list() == BENCH_OK);
  CHECK(cuda.count == 0);
}

TEST_CASE("an old driver: its version and the one needed") {
  if (!is_case("old")) return;
  Cuda cuda;
  CHECK(cuda.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(cuda.says("supports CUDA 11.4, this plugin needs 12.0"));
}

TEST_CASE("a driver that does not start: its name, code and text; asked again, again") {
  const bool unknown = is_case("unknown");
  if (!unknown && !is_case("mismatch")) return;
  Cuda cuda;
  for (int i = 0; i < 2; ++i) {
    CHECK(cuda.list() == BENCH_ERROR_NO_DRIVER);
    CHECK(cuda.error.vendor_code == (unknown ? 999 : 803));
    CHECK(std::string(cuda.error.vendor_name) ==
          (unknown ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"));
    CHECK(cuda.says("does not start"));
    CHECK(cuda.error.hint[0] != '\0');
  }
}

TEST_CASE("a library without a function that is needed: which") {
  if (!is_case("partial")) return;
  Cuda cuda;
  CHECK(cuda.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(cuda.says("libcuda.so.1 has no cuDevicePrimaryCtxRetain"));
}

TEST_CASE("a file that is no library: the system's reason") {
  if (!is_case("damaged")) return;
  Cuda cuda;
  CHECK(cuda.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(cuda.says("cannot be opened"));
  CHECK(cuda.says("libcuda.so.1"));
  CHECK(cuda.error.hint[0] != '\0');
}
