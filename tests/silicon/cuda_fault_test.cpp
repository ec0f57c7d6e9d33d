// SPDX-License-Identifier: Apache-2.0
// A kernel that kills its context: typed, and nothing blocks afterwards. The last thing that this
// process does with the device.
#include <doctest/doctest.h>

#include "cuda_device.hpp"

using namespace silicon;

TEST_CASE("an illegal address is a lost device") {
  Plugin &bench = plugin();
  const Framework framework;
  Failure error;
  bench_stream_v1 stream = stream_of(BENCH_STREAM_NONE);
  REQUIRE(bench.api->stream_create(bench.instance, first_device, &stream, &error) == BENCH_OK);
  bench_event_v1 *event = nullptr;
  REQUIRE(bench.api->event_create(bench.instance, first_device, &stream, &event, &error) ==
          BENCH_OK);
  bench_gate_v1 *gate = nullptr;
  REQUIRE(bench.gates->create(bench.instance, first_device, &stream, &gate, &error) == BENCH_OK);

  CUDA(cuLaunchKernel)
  (framework.crash, 1, 1, 1, 1, 1, 1, 0, handle_of(stream), nullptr, nullptr);
  CHECK(bench.api->stream_synchronize(bench.instance, first_device, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(std::string(error.vendor_name) == "CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(error.vendor_code == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(std::string(error.hint).find("new process") != std::string::npos);
  CHECK(bench.api->event_record(bench.instance, first_device, event, &stream, &error) ==
        BENCH_ERROR_DEVICE_LOST);
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(bench.api->device_info(bench.instance, first_device, &info, &error) == BENCH_OK);
  CHECK(info.state == BENCH_ERROR_DEVICE_LOST);

  bench.gates->destroy(bench.instance, first_device, gate);
  bench.api->event_destroy(bench.instance, first_device, event);
  bench.api->stream_destroy(bench.instance, first_device, &stream);
  bench.api->close(bench.instance);
}
