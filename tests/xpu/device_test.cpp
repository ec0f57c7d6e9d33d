// SPDX-License-Identifier: Apache-2.0
// Who is there, and what it is.
#include <set>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::Xpu;

namespace {

std::vector<bench_device_v1> list(Xpu &xpu) {
  std::uint32_t count = 0;
  REQUIRE_OK(xpu.api.device_list(xpu.instance, nullptr, 0, &count, &xpu.error), xpu.error);
  std::vector<bench_device_v1> devices(count);
  REQUIRE_OK(xpu.api.device_list(xpu.instance, devices.data(), count, &count, &xpu.error),
             xpu.error);
  return devices;
}

bench_device_info_v1 info(Xpu &xpu, std::int32_t id) {
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  REQUIRE_OK(xpu.api.device_info(xpu.instance, {BENCH_DEVICE_ONEAPI, id}, &info, &xpu.error),
             xpu.error);
  return info;
}

}  // namespace

TEST_CASE("a device is told as Level Zero tells it, without a context") {
  Xpu xpu;
  REQUIRE(list(xpu).size() == 1);
  const bench_device_info_v1 gpu = info(xpu, 0);
  CHECK(gpu.state == BENCH_OK);
  CHECK(std::string(gpu.class_name) == "xpu");
  CHECK(std::string(gpu.name) == "Software GPU 0");
  CHECK(std::string(gpu.vendor) == "Intel");
  CHECK(std::string(gpu.architecture) == "0x56a0");
  CHECK(std::string(gpu.driver_version) == "1.3.24595");
  CHECK(std::string(gpu.runtime_version) == "Level Zero 1.3");
  CHECK(std::string(gpu.bus_id) == "0000:65:00.0");
  CHECK(std::string(gpu.partition).empty());
  CHECK(gpu.uuid[0] == 0xbe);
  CHECK(gpu.memory_bytes == xpu.control.memory_bytes);
  CHECK(gpu.last_level_cache_bytes == (17u << 20));  // both caches: the flush has to cover both
  CHECK(gpu.compute_units == 32);                    // Xe cores, not the 512 vector engines
  CHECK(gpu.flags == 0);
  CHECK(gpu.peak_bytes_per_second == 560e9);
  CHECK(gpu.peak_flops_per_second == 0);  // never a guess
  CHECK(xpu.control.objects == 0);        // listing made nothing on the device
}

TEST_CASE(
    "the unit of the timer is the structure's: ns before version 1.2, cycles per second since") {
  for (const std::uint32_t version : {0x10000u, 0x10001u, 0x10002u, 0x10003u}) {
    CAPTURE(version);
    Xpu xpu;
    xpu.control.api_version = version;
    xpu.control.timer_hz = 12'500'000;
    CHECK(info(xpu, 0).timer_resolution_ns == 80);
  }
  Xpu xpu;
  xpu.control.timer_hz = 19'200'000;  // no whole number of ns
  CHECK(info(xpu, 0).timer_resolution_ns == doctest::Approx(52.0833333));
  CHECK(info(xpu, 0).timer_wrap_ns == doctest::Approx(68719476736.0 * 52.0833333).epsilon(0.002));
}

TEST_CASE("sub-devices follow the roots, whose ids are those that frameworks count") {
  Xpu xpu;
  xpu.control.devices = 2;
  xpu.control.sub_devices = 2;
  REQUIRE(list(xpu).size() == 6);
  CHECK(std::string(info(xpu, 0).name) == "Software GPU 0");
  CHECK(std::string(info(xpu, 1).name) == "Software GPU 1");
  CHECK((info(xpu, 1).flags & BENCH_DEVICE_FLAG_INTEGRATED) != 0);
  CHECK((info(xpu, 0).flags & BENCH_DEVICE_FLAG_INTEGRATED) == 0);
  CHECK(std::string(info(xpu, 3).partition) == "sub-device 2 of 2 of xpu:0");
  CHECK(std::string(info(xpu, 4).partition) == "sub-device 1 of 2 of xpu:1");
  CHECK(info(xpu, 3).compute_units == 16);
  std::set<std::string> uuids;
  for (std::int32_t id = 0; id < 6; ++id)
    uuids.insert(std::string(reinterpret_cast<const char *>(info(xpu, id).uuid), 16));
  CHECK(uuids.size() == 6);
}

TEST_CASE("a short answer, no device and a stranger are answered") {
  Xpu xpu;
  xpu.control.devices = 2;
  bench_device_v1 one{};
  std::uint32_t count = 0;
  REQUIRE_OK(xpu.api.device_list(xpu.instance, &one, 1, &count, &xpu.error), xpu.error);
  CHECK(count == 2);
  CHECK(one.type == BENCH_DEVICE_ONEAPI);
  bench_device_info_v1 told{};
  told.struct_size = sizeof told;
  for (const bench_device_v1 stranger :
       {bench_device_v1{BENCH_DEVICE_ONEAPI, 2}, bench_device_v1{BENCH_DEVICE_CUDA, 0},
        bench_device_v1{BENCH_DEVICE_ONEAPI, -1}}) {
    CHECK(xpu.api.device_info(xpu.instance, stranger, &told, &xpu.error) == BENCH_ERROR_NO_DEVICE);
    CHECK(xpu.error.complete());
  }
  Xpu none;
  none.control.devices = 0;
  CHECK(list(none).empty());
  CHECK(none.api.device_info(none.instance, none.device, &told, &none.error) ==
        BENCH_ERROR_NO_DEVICE);
}

TEST_CASE("an info struct below its 1.0 size is refused and left alone") {
  Xpu xpu;
  bench_device_info_v1 short_one{};
  short_one.struct_size = offsetof(bench_device_info_v1, memory_bytes);
  short_one.memory_bytes = 7;
  CHECK(xpu.api.device_info(xpu.instance, xpu.device, &short_one, &xpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(xpu.error.has("1.0 size"));
  CHECK(short_one.class_name[0] == '\0');
  CHECK(short_one.memory_bytes == 7);
}

TEST_CASE("a driver older than the oldest supported is named with both versions") {
  Xpu xpu;
  xpu.control.api_version = 0x0005b;  // 0.91
  std::uint32_t count = 0;
  CHECK(xpu.api.device_list(xpu.instance, nullptr, 0, &count, &xpu.error) == BENCH_ERROR_NO_DRIVER);
  CHECK(xpu.error.has("0.91"));
  CHECK(xpu.error.has("1.0"));
  CHECK(xpu.error.complete());
}

TEST_CASE("what the bandwidth is not known from is not guessed") {
  Xpu xpu;
  xpu.control.bandwidth_known = false;
  CHECK(info(xpu, 0).peak_bytes_per_second == 0);
}

TEST_CASE("the class and its names") {
  const bench_class_v1 &names = *bench::test::xpu_api().classes[0];
  CHECK(names.device_type == BENCH_DEVICE_ONEAPI);
  CHECK(std::string(names.name) == "xpu");
  REQUIRE(names.alias_count == 3);
  CHECK(std::string(names.aliases[0]) == "level_zero");
  CHECK(std::string(names.aliases[1]) == "oneapi");
  CHECK(std::string(names.aliases[2]) == "sycl");
}
