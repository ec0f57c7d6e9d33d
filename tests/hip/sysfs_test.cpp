// SPDX-License-Identifier: Apache-2.0
// What the kernel's driver tells beside the runtime: memory-side caches and sensors, from a copy of
// the folders that it shows.
#include <bench/ext/telemetry.h>

#include "hip_device.hpp"
#include "temp_dir.hpp"

namespace {

/// Two devices, as at 0000:01:00.0 and 0000:02:00.0 of the stand-in: only the second has a
/// memory-side cache and sensors.
struct Sysfs {
  Sysfs() {
    const std::string nodes = "class/kfd/kfd/topology/nodes/";
    write(nodes + "0/properties", "cpu_cores_count 8\nsimd_count 0\nlocation_id 512\ndomain 0\n");
    write(nodes + "0/caches/0/properties", "level 3\nsize 999999\n");
    write(nodes + "1/properties", "simd_count 16\nlocation_id 256\ndomain 0\n");
    write(nodes + "1/caches/0/properties", cache(1, 16));
    write(nodes + "1/caches/1/properties", cache(2, 4096));
    write(nodes + "2/properties", "simd_count 16\nlocation_id 512\ndomain 0\n");
    write(nodes + "2/caches/0/properties", cache(2, 4096));
    write(nodes + "2/caches/1/properties", cache(3, 262144));
    write("bus/pci/devices/0000:02:00.0/pp_dpm_sclk", "0: 132Mhz\n1: 1200Mhz *\n2: 2100Mhz\n");
    const std::string sensors = "bus/pci/devices/0000:02:00.0/hwmon/hwmon3/";
    write(sensors + "freq1_input", "1234000000\n");
    write(sensors + "temp1_input", "45500\n");
    write(sensors + "power1_average", "321000000\n");
    write(sensors + "power1_cap", "750000000\n");
    ::setenv("BENCH_HIP_SYSFS", folder.path().c_str(), 1);
  }
  ~Sysfs() { ::unsetenv("BENCH_HIP_SYSFS"); }
  Sysfs(const Sysfs &) = delete;  // the environment's one
  Sysfs &operator=(const Sysfs &) = delete;
  static std::string cache(int level, int kib) {
    // As the kernel has them: the sizes first, then lists.
    return "processor_id_low 0\nlevel " + std::to_string(level) + "\nsize " + std::to_string(kib) +
           "\nsibling_map 1,0,0\n";
  }
  void write(const std::string &name, const std::string &text) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    folder.write(name, text);
  }
  bench::test::TempDir folder;
};

}  // namespace

TEST_CASE("a memory-side cache is the last one, and a flush is larger than it") {
  const Sysfs sysfs;
  Hip hip;
  REQUIRE(hip.list() == BENCH_OK);
  CHECK(hip.info(0).last_level_cache_bytes == 4u << 20);
  CHECK(hip.info(1).last_level_cache_bytes == 256u << 20);
  const bench_device_v1 second{BENCH_DEVICE_ROCM, 1};
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  REQUIRE(hip.api->stream_create(hip.instance, second, &stream, &hip.error) == BENCH_OK);
  std::uint64_t bytes = 0;
  REQUIRE(hip.api->flush_prepare(hip.instance, second, &stream, &bytes, &hip.error) == BENCH_OK);
  CHECK(bytes == 320u << 20);
  hip.api->flush_release(hip.instance, second, &stream);
  hip.api->stream_destroy(hip.instance, second, &stream);
}

TEST_CASE("sensors: what is there is told, what is not is not") {
  const Sysfs sysfs;
  Hip hip;
  const auto &telemetry = hip.extension<bench_ext_telemetry_v1>(BENCH_EXT_TELEMETRY_V1);
  bench_telemetry_v1 read{};
  read.struct_size = sizeof read;
  REQUIRE(telemetry.read(hip.instance, {BENCH_DEVICE_ROCM, 1}, &read, &hip.error) == BENCH_OK);
  CHECK(read.known ==
        (BENCH_TELEMETRY_CLOCK | BENCH_TELEMETRY_MAX_CLOCK | BENCH_TELEMETRY_TEMPERATURE |
         BENCH_TELEMETRY_POWER | BENCH_TELEMETRY_POWER_LIMIT));
  CHECK(read.clock_hz == 1.234e9);
  CHECK(read.max_clock_hz == 2.1e9);
  CHECK(read.temperature_celsius == doctest::Approx(45.5));
  CHECK(read.power_watts == doctest::Approx(321));
  CHECK(read.power_limit_watts == doctest::Approx(750));
  CHECK(telemetry.read(hip.instance, {BENCH_DEVICE_ROCM, 0}, &read, &hip.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(hip.says("no sensors of 0000:01:00.0"));
}
