// SPDX-License-Identifier: Apache-2.0
// bench.telemetry/1 by the sensors that the amdgpu driver shows under /sys. Reads only.
#include <algorithm>
#include <cstring>

#include "hip.hpp"
#include "sysfs.hpp"

namespace bench_hip {
namespace {

constexpr double hz_per_mhz = 1e6;
constexpr double watts_per_microwatt = 1e-6;
constexpr double joules_per_microjoule = 1e-6;
constexpr double celsius_per_millidegree = 1e-3;

bench_status read(bench_instance_v1 *instance, bench_device_v1 device,
                  bench_telemetry_v1 *telemetry, bench_error_v1 *error) {
  return guarded(error, "telemetry read", [&] {
    instance->check_process();
    require_device(device);
    const auto sensors = hwmon_of(device);
    if (sensors.empty())
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  "the kernel shows no sensors of " + bus_text(device) + " under " + sysfs_root(),
                  "load the amdgpu driver, or in a container mount /sys");
    bench_telemetry_v1 full{};
    full.struct_size = telemetry->struct_size;
    const auto tell = [&](double &member, std::uint32_t bit, double scale, const char *first,
                          const char *second) {
      for (const char *name : {first, second}) {
        const auto value = name ? number_in(sensors / name) : std::nullopt;
        if (!value) continue;
        member = *value * scale;
        full.known |= bit;
        return;
      }
    };
    tell(full.clock_hz, BENCH_TELEMETRY_CLOCK, 1.0, "freq1_input", nullptr);
    tell(full.memory_clock_hz, BENCH_TELEMETRY_MEMORY_CLOCK, 1.0, "freq2_input", nullptr);
    tell(full.temperature_celsius, BENCH_TELEMETRY_TEMPERATURE, celsius_per_millidegree,
         "temp1_input", nullptr);
    // Younger kernels give the momentary power, older ones a mean.
    tell(full.power_watts, BENCH_TELEMETRY_POWER, watts_per_microwatt, "power1_input",
         "power1_average");
    tell(full.power_limit_watts, BENCH_TELEMETRY_POWER_LIMIT, watts_per_microwatt, "power1_cap",
         nullptr);
    tell(full.energy_joules, BENCH_TELEMETRY_ENERGY, joules_per_microjoule, "energy1_input",
         nullptr);
    const auto folder = sensors.parent_path().parent_path();
    if (const auto clocks = clocks_in(folder / "pp_dpm_sclk")) {
      full.max_clock_hz = clocks->highest_mhz * hz_per_mhz;
      full.known |= BENCH_TELEMETRY_MAX_CLOCK;
      if (!(full.known & BENCH_TELEMETRY_CLOCK) && clocks->now_mhz > 0) {
        full.clock_hz = clocks->now_mhz * hz_per_mhz;
        full.known |= BENCH_TELEMETRY_CLOCK;
      }
    }
    std::memcpy(telemetry, &full, std::min<std::size_t>(sizeof full, full.struct_size));
  });
}

}  // namespace

// Clocks are left alone: the driver has no lock that ends with its holder.
const bench_ext_telemetry_v1 telemetry_extension = {sizeof(bench_ext_telemetry_v1), 0, read,
                                                    nullptr, nullptr};

}  // namespace bench_hip
