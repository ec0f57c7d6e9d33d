// SPDX-License-Identifier: Apache-2.0
// bench.telemetry/1 over NVML in software.
#include <bench/ext/telemetry.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "loaded_plugin.hpp"

namespace {

struct Telemetry : cuda_test::LoadedPlugin {
  const bench_ext_telemetry_v1 &table = extension<bench_ext_telemetry_v1>(BENCH_EXT_TELEMETRY_V1);
  ~Telemetry() { ::unsetenv("BENCH_FAKE_NVML"); }
  static void script(const char *text) { ::setenv("BENCH_FAKE_NVML", text, 1); }
  bench_telemetry_v1 read(bench_status expected = BENCH_OK) {
    bench_telemetry_v1 telemetry{};
    telemetry.struct_size = sizeof telemetry;
    const bench_status status = table.read(instance, cuda_test::device, &telemetry, &error);
    CHECK_MESSAGE(status == expected, error.what);
    return telemetry;
  }
};

}  // namespace

TEST_CASE_FIXTURE(Telemetry, "all that NVML has, in the units of the interface") {
  const bench_telemetry_v1 now = read();
  CHECK(now.clock_hz == 1980e6);
  CHECK(now.max_clock_hz == 1980e6);
  CHECK(now.memory_clock_hz == 3201e6);
  CHECK(now.temperature_celsius == 45);
  CHECK(now.power_watts == 120);
  CHECK(now.power_limit_watts == 700);
  CHECK(now.energy_joules == doctest::Approx(1).epsilon(0.1));
  CHECK(now.throttle == BENCH_THROTTLE_IDLE);
  CHECK(now.other_processes == 0);
  for (const std::uint32_t known :
       {BENCH_TELEMETRY_CLOCK, BENCH_TELEMETRY_ENERGY, BENCH_TELEMETRY_PROCESSES,
        BENCH_TELEMETRY_THROTTLE, BENCH_TELEMETRY_POWER_LIMIT})
    CHECK((now.known & known) != 0);
}

TEST_CASE_FIXTURE(Telemetry, "what holds a clock down, and who else is there, is told") {
  script("throttled,others");
  const bench_telemetry_v1 now = read();
  CHECK((now.throttle & BENCH_THROTTLE_POWER) != 0);
  CHECK(now.other_processes == 1);
}

TEST_CASE_FIXTURE(Telemetry, "what NVML lacks is not known, the rest is") {
  script("old");
  const bench_telemetry_v1 now = read();
  CHECK((now.known & BENCH_TELEMETRY_ENERGY) == 0);
  CHECK((now.known & BENCH_TELEMETRY_TEMPERATURE) != 0);
}

TEST_CASE_FIXTURE(Telemetry, "a caller's smaller struct is not written beyond its end") {
  unsigned char room[sizeof(bench_telemetry_v1)];
  std::memset(room, 0xab, sizeof room);
  const std::uint32_t size = offsetof(bench_telemetry_v1, temperature_celsius);
  std::memcpy(room, &size, sizeof size);
  REQUIRE(table.read(instance, cuda_test::device, reinterpret_cast<bench_telemetry_v1 *>(room),
                     &error) == BENCH_OK);
  for (std::size_t i = size; i < sizeof room; ++i) CHECK(room[i] == 0xab);
}
