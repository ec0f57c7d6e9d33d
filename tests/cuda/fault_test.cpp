// SPDX-License-Identifier: Apache-2.0
// Errors that end a context. Each takes a process: BENCH_CUDA_FAULT names the kernel that makes it,
// BENCH_CUDA_CODE and BENCH_CUDA_NAME what the driver calls it.
#include <bench/ext/kernel.h>
#include <doctest/doctest.h>

#include <cstdlib>

#include "cuda_device.hpp"

using namespace silicon;

namespace {
std::string setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}
}  // namespace

TEST_CASE("after a fault all calls say so, and what ends things neither blocks nor fails") {
  Plugin &bench = plugin();
  const bench_plugin_api_v1 &api = *bench.api;
  const auto *kernels = bench.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1);
  Failure error;
  auto stream = stream_of(BENCH_STREAM_NONE);
  REQUIRE(api.stream_create(bench.instance, first_device, &stream, &error) == BENCH_OK);
  const std::string name = setting("BENCH_CUDA_FAULT");
  REQUIRE_FALSE(name.empty());
  const std::string image =
      ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry " + name + "() { ret; }\n";
  bench_kernel_v1 *kernel = nullptr;
  REQUIRE(kernels->load(bench.instance, first_device, &stream, image.data(), image.size(),
                        name.c_str(), nullptr, 0, &kernel, nullptr, &error) == BENCH_OK);
  bench_event_v1 *event = nullptr;
  bench_gate_v1 *gate = nullptr;
  void *memory = nullptr;
  REQUIRE(api.event_create(bench.instance, first_device, &stream, &event, &error) == BENCH_OK);
  REQUIRE(api.memory_allocate(bench.instance, first_device, &stream, 64, &memory, &error) ==
          BENCH_OK);
  REQUIRE(bench.gates->create(bench.instance, first_device, &stream, &gate, &error) == BENCH_OK);

  bench_kernel_launch_v1 launch{};
  launch.struct_size = sizeof launch;
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  bench_status status = BENCH_OK;
  int launches = 0;
  // A fault is told by the launch itself or by the wait after it; the stand-in's `lost` counts.
  for (; launches < 8 && status == BENCH_OK; ++launches) {
    status = kernels->launch(bench.instance, first_device, kernel, &launch, &stream, &error);
    if (status == BENCH_OK)
      status = api.stream_synchronize(bench.instance, first_device, &stream, &error);
  }
  CHECK(launches == std::atoi(setting("BENCH_CUDA_LAUNCHES").c_str()));
  CHECK(status == BENCH_ERROR_DEVICE_LOST);
  CHECK(std::string(error.vendor_name) == setting("BENCH_CUDA_NAME"));
  CHECK(error.vendor_code == std::atoi(setting("BENCH_CUDA_CODE").c_str()));
  CHECK(std::string(error.hint).find("new process") != std::string::npos);

  CHECK(api.stream_synchronize(bench.instance, first_device, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(api.event_record(bench.instance, first_device, event, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(api.memory_set(bench.instance, first_device, memory, 0, 1, 64, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(bench.gates->enqueue(bench.instance, first_device, gate, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(error.text().find("lost by an earlier error") != std::string::npos);
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(api.device_info(bench.instance, first_device, &info, &error) == BENCH_OK);
  CHECK(info.state == BENCH_ERROR_DEVICE_LOST);

  bench.gates->destroy(bench.instance, first_device, gate);
  kernels->unload(bench.instance, first_device, kernel);
  api.memory_free(bench.instance, first_device, memory);
  api.event_destroy(bench.instance, first_device, event);
  api.stream_destroy(bench.instance, first_device, &stream);
  api.close(bench.instance);
}
