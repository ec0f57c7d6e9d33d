// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include "cpu_plugin.hpp"

using bench::test::Cpu;
using bench::test::cpu_api;
using bench::test::descriptor_count;
using bench::test::Error;

namespace {

void sleep_ms(long milliseconds) {
  const timespec time{0, milliseconds * 1'000'000};
  ::nanosleep(&time, nullptr);
}

}  // namespace

TEST_CASE("the table is whole for its tier and says who it is") {
  const bench_plugin_api_v1 &api = cpu_api();
  CHECK(api.struct_size == sizeof(bench_plugin_api_v1));
  CHECK(api.min_host_minor <= BENCH_ABI_MINOR);
  CHECK(std::string(api.id) == "org.bench.cpu");
  REQUIRE(api.class_count == 1);
  CHECK(std::string(api.classes[0]->name) == "cpu");
  CHECK(api.classes[0]->device_type == BENCH_DEVICE_CPU);
  CHECK_FALSE(!!api.do_bench);  // the core's engine measures
  const bool all_of_t1 = api.stream_create && api.stream_destroy && api.stream_synchronize &&
                         api.device_synchronize && api.event_create && api.event_destroy &&
                         api.event_record && api.event_query && api.event_synchronize &&
                         api.event_elapsed && api.memory_allocate && api.memory_free &&
                         api.memory_copy && api.memory_set && api.flush_prepare &&
                         api.flush_release && api.flush && api.get_extension;
  CHECK(all_of_t1);
}

TEST_CASE("there is one device, also where the caller has no room for it") {
  Cpu cpu;
  std::uint32_t count = 99;
  CHECK(cpu.api.device_list(cpu.instance, nullptr, 0, &count, &cpu.error) == BENCH_OK);
  CHECK(count == 1);
  bench_device_v1 devices[2] = {{-7, -7}, {-7, -7}};
  CHECK(cpu.api.device_list(cpu.instance, devices, 2, &count, &cpu.error) == BENCH_OK);
  CHECK(devices[0].type == BENCH_DEVICE_CPU);
  CHECK(devices[0].id == 0);
  CHECK(devices[1].type == -7);  // beyond the count nothing is written
}

TEST_CASE("the device describes itself, and the same each time") {
  Cpu cpu;
  bench_device_info_v1 info{}, again{};
  info.struct_size = again.struct_size = sizeof info;
  REQUIRE(cpu.api.device_info(cpu.instance, cpu.device, &info, &cpu.error) == BENCH_OK);
  REQUIRE(cpu.api.device_info(cpu.instance, cpu.device, &again, &cpu.error) == BENCH_OK);
  CHECK(info.state == BENCH_OK);
  CHECK(std::string(info.class_name) == "cpu");
  CHECK(*info.name);
  CHECK(*info.architecture);
  CHECK(info.compute_units >= 1);
  CHECK(info.memory_bytes > 0);
  CHECK((info.flags & BENCH_DEVICE_FLAG_SYNCHRONOUS) != 0);
  CHECK((info.flags & BENCH_DEVICE_FLAG_OPAQUE_MEMORY) == 0);
  CHECK(std::memcmp(info.uuid, again.uuid, sizeof info.uuid) == 0);
  const std::uint8_t none[16] = {};
  CHECK(std::memcmp(info.uuid, none, sizeof none) != 0);
}

TEST_CASE("an info struct below its 1.0 size is refused and left alone") {
  Cpu cpu;
  bench_device_info_v1 info;
  std::memset(&info, 0x5a, sizeof info);
  info.struct_size = offsetof(bench_device_info_v1, compute_units);
  CHECK(cpu.api.device_info(cpu.instance, cpu.device, &info, &cpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(info.struct_size == offsetof(bench_device_info_v1, compute_units));
  CHECK(info.compute_units == 0x5a5a5a5au);
  CHECK(info.flags == 0x5a5a5a5au);
}

TEST_CASE("a device of another class is refused with all three texts") {
  Cpu cpu;
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(cpu.api.device_info(cpu.instance, cpu.stranger, &info, &cpu.error) ==
        BENCH_ERROR_NO_DEVICE);
  CHECK(cpu.error.complete());
  bench_event_v1 *event = reinterpret_cast<bench_event_v1 *>(&info);
  CHECK(cpu.api.event_create(cpu.instance, cpu.stranger, &cpu.stream, &event, &cpu.error) ==
        BENCH_ERROR_NO_DEVICE);
  CHECK(event == nullptr);
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  CHECK(cpu.api.stream_create(cpu.instance, {BENCH_DEVICE_CPU, 1}, &stream, nullptr) ==
        BENCH_ERROR_NO_DEVICE);  // without an error struct too
}

TEST_CASE("a stream is the plugin's own and can be waited for") {
  Cpu cpu;
  CHECK(cpu.stream.kind == BENCH_STREAM_PLUGIN_OWNED);
  CHECK(cpu.api.stream_synchronize(cpu.instance, cpu.device, &cpu.stream, &cpu.error) == BENCH_OK);
  CHECK(cpu.api.device_synchronize(cpu.instance, cpu.device, &cpu.error) == BENCH_OK);
  cpu.api.stream_destroy(cpu.instance, cpu.device, nullptr);  // as destroy functions must accept
}

TEST_CASE("events tell the time between them") {
  Cpu cpu;
  bench_event_v1 *start = nullptr, *stop = nullptr;
  REQUIRE(cpu.api.event_create(cpu.instance, cpu.device, &cpu.stream, &start, &cpu.error) ==
          BENCH_OK);
  REQUIRE(cpu.api.event_create(cpu.instance, cpu.device, &cpu.stream, &stop, &cpu.error) ==
          BENCH_OK);
  REQUIRE(cpu.api.event_record(cpu.instance, cpu.device, start, &cpu.stream, &cpu.error) ==
          BENCH_OK);
  sleep_ms(2);
  REQUIRE(cpu.api.event_record(cpu.instance, cpu.device, stop, &cpu.stream, &cpu.error) ==
          BENCH_OK);
  CHECK(cpu.api.event_query(cpu.instance, cpu.device, stop, &cpu.error) == BENCH_OK);
  CHECK(cpu.api.event_synchronize(cpu.instance, cpu.device, stop, &cpu.error) == BENCH_OK);
  double elapsed_ns = 0;
  std::uint32_t flags = 0xffffffffu;
  REQUIRE(cpu.api.event_elapsed(cpu.instance, cpu.device, start, stop, &elapsed_ns, &flags,
                                &cpu.error) == BENCH_OK);
  CHECK(elapsed_ns >= 2e6);  // a sleep is never shorter than asked for
  CHECK(flags == 0);
  double reverse_ns = 0;
  REQUIRE(cpu.api.event_elapsed(cpu.instance, cpu.device, stop, start, &reverse_ns, &flags,
                                &cpu.error) == BENCH_OK);
  CHECK(reverse_ns == -elapsed_ns);
  CHECK(flags == BENCH_SAMPLE_NEGATIVE);
  REQUIRE(cpu.api.event_elapsed(cpu.instance, cpu.device, start, start, &reverse_ns, &flags,
                                &cpu.error) == BENCH_OK);
  CHECK(flags == BENCH_SAMPLE_ZERO);
  cpu.api.event_destroy(cpu.instance, cpu.device, start);
  cpu.api.event_destroy(cpu.instance, cpu.device, stop);
  cpu.api.event_destroy(cpu.instance, cpu.device, nullptr);
}

TEST_CASE("an event that was never recorded is the caller's mistake") {
  Cpu cpu;
  bench_event_v1 *never = nullptr, *recorded = nullptr;
  REQUIRE(cpu.api.event_create(cpu.instance, cpu.device, &cpu.stream, &never, &cpu.error) ==
          BENCH_OK);
  REQUIRE(cpu.api.event_create(cpu.instance, cpu.device, &cpu.stream, &recorded, &cpu.error) ==
          BENCH_OK);
  REQUIRE(cpu.api.event_record(cpu.instance, cpu.device, recorded, &cpu.stream, &cpu.error) ==
          BENCH_OK);
  double elapsed_ns;
  std::uint32_t flags;
  CHECK(cpu.api.event_synchronize(cpu.instance, cpu.device, never, &cpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(cpu.error.complete());
  CHECK(cpu.api.event_elapsed(cpu.instance, cpu.device, never, recorded, &elapsed_ns, &flags,
                              nullptr) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(cpu.api.event_elapsed(cpu.instance, cpu.device, recorded, never, &elapsed_ns, &flags,
                              nullptr) == BENCH_ERROR_INVALID_ARGUMENT);
  cpu.api.event_destroy(cpu.instance, cpu.device, never);
  cpu.api.event_destroy(cpu.instance, cpu.device, recorded);
}

TEST_CASE("extensions: the kernel's, before open too, and no other") {
  Cpu cpu;
  CHECK(cpu_api().get_extension(nullptr, BENCH_EXT_KERNEL_V1) == cpu.kernels);
  CHECK(cpu.api.get_extension(cpu.instance, "bench.kernel/2") == nullptr);
  CHECK(cpu.api.get_extension(cpu.instance, "") == nullptr);
}

TEST_CASE("a thousand instances leave no descriptor behind") {
  { const Cpu first; }
  const std::size_t before = descriptor_count();
  for (int i = 0; i < 1000; ++i) {
    Cpu cpu;
    std::uint32_t count = 0;
    REQUIRE(cpu.api.device_list(cpu.instance, nullptr, 0, &count, &cpu.error) == BENCH_OK);
    REQUIRE(count == 1);
  }
  CHECK(descriptor_count() == before);
}
