// SPDX-License-Identifier: Apache-2.0
// Errors that end a device. Each takes a process: BENCH_HIP_FAULT names the kernel that makes it,
// BENCH_HIP_CODE and BENCH_HIP_NAME what the runtime calls it.
#include <bench/ext/gate.h>
#include <bench/ext/kernel.h>

#include <bench/plugin/kernel_image.hpp>

#include "hip_device.hpp"

namespace {
constexpr bench_device_v1 first_device{BENCH_DEVICE_ROCM, 0};
}  // namespace

TEST_CASE("after a fault all calls say so, and what ends things neither blocks nor fails") {
  Hip hip;
  const bench_plugin_api_v1 &api = *hip.api;
  const auto *kernels = &hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1);
  const auto *gates = &hip.extension<bench_ext_gate_v1>(BENCH_EXT_GATE_V1);
  bench_error_v1 &error = hip.error;
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  REQUIRE(api.stream_create(hip.instance, first_device, &stream, &error) == BENCH_OK);
  const std::string name = setting("BENCH_HIP_FAULT");
  REQUIRE_FALSE(name.empty());
  constexpr char magic[] = "BENCHHI1";
  const std::string text =
      ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry " + name + "() { ret; }\n";
  const auto image = bench::plugin::pack_image({"", "", text}, magic);
  bench_kernel_v1 *kernel = nullptr;
  REQUIRE(kernels->load(hip.instance, first_device, &stream, image.data(), image.size(),
                        name.c_str(), nullptr, 0, &kernel, nullptr, &error) == BENCH_OK);
  bench_event_v1 *event = nullptr;
  bench_gate_v1 *gate = nullptr;
  void *memory = nullptr;
  REQUIRE(api.event_create(hip.instance, first_device, &stream, &event, &error) == BENCH_OK);
  REQUIRE(api.memory_allocate(hip.instance, first_device, &stream, 64, &memory, &error) ==
          BENCH_OK);
  REQUIRE(gates->create(hip.instance, first_device, &stream, &gate, &error) == BENCH_OK);

  bench_kernel_launch_v1 launch{};
  launch.struct_size = sizeof launch;
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  bench_status status = BENCH_OK;
  int launches = 0;
  // A fault is told by the launch itself or by the wait after it; the stand-in's `lost` counts.
  for (; launches < 8 && status == BENCH_OK; ++launches) {
    status = kernels->launch(hip.instance, first_device, kernel, &launch, &stream, &error);
    if (status == BENCH_OK)
      status = api.stream_synchronize(hip.instance, first_device, &stream, &error);
  }
  CHECK(launches == std::atoi(setting("BENCH_HIP_LAUNCHES").c_str()));
  CHECK(status == BENCH_ERROR_DEVICE_LOST);
  CHECK(std::string(error.vendor_name) == setting("BENCH_HIP_NAME"));
  CHECK(error.vendor_code == std::atoi(setting("BENCH_HIP_CODE").c_str()));
  CHECK(std::string(error.hint).find("new process") != std::string::npos);

  CHECK(api.stream_synchronize(hip.instance, first_device, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(api.event_record(hip.instance, first_device, event, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(api.memory_set(hip.instance, first_device, memory, 0, 1, 64, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(gates->enqueue(hip.instance, first_device, gate, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(hip.says("lost by an earlier error"));
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(api.device_info(hip.instance, first_device, &info, &error) == BENCH_OK);
  CHECK(info.state == BENCH_ERROR_DEVICE_LOST);

  gates->destroy(hip.instance, first_device, gate);
  kernels->unload(hip.instance, first_device, kernel);
  api.memory_free(hip.instance, first_device, memory);
  api.event_destroy(hip.instance, first_device, event);
  api.stream_destroy(hip.instance, first_device, &stream);
}
