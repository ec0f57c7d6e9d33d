// SPDX-License-Identifier: Apache-2.0
// bench.telemetry/1 by Sysman, the part of Level Zero that administers devices.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr double hz_per_mhz = 1e6, joules_per_microjoule = 1e-6, watts_per_milliwatt = 1e-3;

/// zesInit once; what it said.
ze_result_t sysman_started() {
  static const ze_result_t result = functions().sysman_init(0);
  return result;
}

Error absent(const std::string &what) {
  return Error(
      BENCH_ERROR_UNSUPPORTED, "no telemetry: " + what,
      "install a loader with zesInit (1.12 or newer), or set ZES_ENABLE_SYSMAN=1 before the "
      "process starts");
}

zes_device_handle_t by_uuid(const Device &device) {
  const Functions &ze = functions();
  if (!ze.sysman_driver_get || !ze.sysman_device_get || !ze.zesDeviceGetProperties) return nullptr;
  ze_device_properties_t wanted{};
  wanted.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  if (ze.zeDeviceGetProperties(device.handle, &wanted) != ZE_RESULT_SUCCESS) return nullptr;
  std::uint32_t driver_count = 0;
  if (ze.sysman_driver_get(&driver_count, nullptr) != ZE_RESULT_SUCCESS) return nullptr;
  std::vector<zes_driver_handle_t> drivers(driver_count);
  if (ze.sysman_driver_get(&driver_count, drivers.data()) != ZE_RESULT_SUCCESS) return nullptr;
  for (const zes_driver_handle_t driver : drivers) {
    std::uint32_t count = 0;
    if (ze.sysman_device_get(driver, &count, nullptr) != ZE_RESULT_SUCCESS) continue;
    std::vector<zes_device_handle_t> devices(count);
    if (ze.sysman_device_get(driver, &count, devices.data()) != ZE_RESULT_SUCCESS) continue;
    for (const zes_device_handle_t candidate : devices) {
      zes_device_properties_t properties{};
      properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
      if (ze.zesDeviceGetProperties(candidate, &properties) == ZE_RESULT_SUCCESS &&
          std::memcmp(properties.core.uuid.id, wanted.uuid.id, sizeof wanted.uuid.id) == 0)
        return candidate;
    }
  }
  return nullptr;
}

/// Sysman administers whole cards: a sub-device is part of its parent there.
zes_device_handle_t sysman_of(const bench_instance_v1 &instance, const Device &device) {
  const Device &root =
      device.parent < 0 ? device : *instance.devices[static_cast<std::size_t>(device.parent)];
  if (functions().sysman_init && sysman_started() == ZE_RESULT_SUCCESS) {
    if (const zes_device_handle_t found = by_uuid(root)) return found;
  }
  // Before zesInit the driver decides at its start, by this variable. Setting it here would change
  // the process, and come too late.
  const char *enabled = ::getenv("ZES_ENABLE_SYSMAN");
  if (!enabled || std::string(enabled) != "1")
    throw absent(functions().sysman_init
                     ? "Sysman does not know the device"
                     : "the loader has no zesInit, and ZES_ENABLE_SYSMAN is not 1");
  // With the variable one handle serves both parts of the API.
  return reinterpret_cast<zes_device_handle_t>(root.handle);
}

template <typename Handle, typename Enumerate>
std::vector<Handle> list(Enumerate enumerate, zes_device_handle_t device) {
  std::uint32_t count = 0;
  if (!enumerate || enumerate(device, &count, nullptr) != ZE_RESULT_SUCCESS) return {};
  std::vector<Handle> all(count);
  if (count == 0 || enumerate(device, &count, all.data()) != ZE_RESULT_SUCCESS) return {};
  all.resize(count);
  return all;
}

std::uint32_t throttle_of(zes_freq_throttle_reason_flags_t reasons) {
  constexpr zes_freq_throttle_reason_flags_t power = ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP |
                                                     ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP |
                                                     ZES_FREQ_THROTTLE_REASON_FLAG_CURRENT_LIMIT,
                                             hardware = ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT |
                                                        ZES_FREQ_THROTTLE_REASON_FLAG_HW_RANGE;
  std::uint32_t throttle = 0;
  if (reasons & power) throttle |= BENCH_THROTTLE_POWER;
  if (reasons & ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT) throttle |= BENCH_THROTTLE_THERMAL;
  if (reasons & hardware) throttle |= BENCH_THROTTLE_HARDWARE;
  if (reasons & ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE) throttle |= BENCH_THROTTLE_USER;
  constexpr zes_freq_throttle_reason_flags_t known = power | hardware |
                                                     ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT |
                                                     ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE;
  if (reasons & ~known) throttle |= BENCH_THROTTLE_OTHER;
  return throttle;
}

/// Is a domain that says on which sub-device it is about this device?
bool concerns(const Device &device, ze_bool_t on_subdevice, std::uint32_t subdevice) {
  return !on_subdevice || device.parent < 0 || subdevice + 1 == device.part;
}

void read_clocks(const Device &device, zes_device_handle_t sysman, bench_telemetry_v1 &all) {
  const Functions &ze = functions();
  if (!ze.zesFrequencyGetProperties || !ze.zesFrequencyGetState) return;
  for (const zes_freq_handle_t domain :
       list<zes_freq_handle_t>(ze.zesDeviceEnumFrequencyDomains, sysman)) {
    zes_freq_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES;
    zes_freq_state_t state{};
    state.stype = ZES_STRUCTURE_TYPE_FREQ_STATE;
    if (ze.zesFrequencyGetProperties(domain, &properties) != ZE_RESULT_SUCCESS ||
        !concerns(device, properties.onSubdevice, properties.subdeviceId) ||
        ze.zesFrequencyGetState(domain, &state) != ZE_RESULT_SUCCESS)
      continue;
    // Negative: the driver does not know.
    if (properties.type == ZES_FREQ_DOMAIN_GPU) {
      if (state.actual >= 0) {
        all.known |= BENCH_TELEMETRY_CLOCK;
        all.clock_hz = state.actual * hz_per_mhz;
      }
      if (properties.max > 0) {
        all.known |= BENCH_TELEMETRY_MAX_CLOCK;
        all.max_clock_hz = properties.max * hz_per_mhz;
      }
      all.known |= BENCH_TELEMETRY_THROTTLE;
      all.throttle |= throttle_of(state.throttleReasons);
    } else if (properties.type == ZES_FREQ_DOMAIN_MEMORY && state.actual >= 0) {
      all.known |= BENCH_TELEMETRY_MEMORY_CLOCK;
      all.memory_clock_hz = state.actual * hz_per_mhz;
    }
  }
}

void read_temperature(const Device &device, zes_device_handle_t sysman, bench_telemetry_v1 &all) {
  const Functions &ze = functions();
  if (!ze.zesTemperatureGetProperties || !ze.zesTemperatureGetState) return;
  for (const zes_temp_handle_t sensor :
       list<zes_temp_handle_t>(ze.zesDeviceEnumTemperatureSensors, sysman)) {
    zes_temp_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_TEMP_PROPERTIES;
    double celsius = 0;
    if (ze.zesTemperatureGetProperties(sensor, &properties) != ZE_RESULT_SUCCESS ||
        !concerns(device, properties.onSubdevice, properties.subdeviceId) ||
        (properties.type != ZES_TEMP_SENSORS_GPU && properties.type != ZES_TEMP_SENSORS_GLOBAL) ||
        ze.zesTemperatureGetState(sensor, &celsius) != ZE_RESULT_SUCCESS)
      continue;
    all.temperature_celsius = all.known & BENCH_TELEMETRY_TEMPERATURE
                                  ? std::max(all.temperature_celsius, celsius)
                                  : celsius;
    all.known |= BENCH_TELEMETRY_TEMPERATURE;
  }
}

void read_power(const Device &device, zes_device_handle_t sysman, bench_telemetry_v1 &all) {
  const Functions &ze = functions();
  if (!ze.zesPowerGetProperties) return;
  for (const zes_pwr_handle_t domain :
       list<zes_pwr_handle_t>(ze.zesDeviceEnumPowerDomains, sysman)) {
    zes_power_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES;
    if (ze.zesPowerGetProperties(domain, &properties) != ZE_RESULT_SUCCESS) continue;
    // A card's domain and those of its tiles overlap: exactly one, the device's own.
    if (properties.onSubdevice != (device.parent >= 0) ||
        !concerns(device, properties.onSubdevice, properties.subdeviceId))
      continue;
    zes_power_energy_counter_t energy{};
    if (ze.zesPowerGetEnergyCounter &&
        ze.zesPowerGetEnergyCounter(domain, &energy) == ZE_RESULT_SUCCESS) {
      all.known |= BENCH_TELEMETRY_ENERGY;
      all.energy_joules = static_cast<double>(energy.energy) * joules_per_microjoule;
    }
    zes_power_sustained_limit_t limit{};
    if (ze.zesPowerGetLimits &&
        ze.zesPowerGetLimits(domain, &limit, nullptr, nullptr) == ZE_RESULT_SUCCESS &&
        limit.enabled) {
      all.known |= BENCH_TELEMETRY_POWER_LIMIT;
      all.power_limit_watts = limit.power * watts_per_milliwatt;
    }
    return;
  }
}

void read_processes(zes_device_handle_t sysman, bench_telemetry_v1 &all) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  if (!ze.zesDeviceProcessesGetState ||
      ze.zesDeviceProcessesGetState(sysman, &count, nullptr) != ZE_RESULT_SUCCESS)
    return;
  std::vector<zes_process_state_t> processes(count);
  for (auto &process : processes) process.stype = ZES_STRUCTURE_TYPE_PROCESS_STATE;
  if (count > 0 &&
      ze.zesDeviceProcessesGetState(sysman, &count, processes.data()) != ZE_RESULT_SUCCESS)
    return;
  all.known |= BENCH_TELEMETRY_PROCESSES;
  const auto own = static_cast<std::uint32_t>(::getpid());
  all.other_processes = static_cast<std::uint32_t>(
      std::count_if(processes.begin(), processes.begin() + count,
                    [own](const auto &process) { return process.processId != own; }));
}

bench_status read(bench_instance_v1 *instance, bench_device_v1 pair, bench_telemetry_v1 *telemetry,
                  bench_error_v1 *error) {
  return guarded(error, "telemetry read", [&] {
    const Device &device = device_of(instance, pair);
    const zes_device_handle_t sysman = sysman_of(*instance, device);
    bench_telemetry_v1 all{};
    read_clocks(device, sysman, all);
    read_temperature(device, sysman, all);
    read_power(device, sysman, all);
    read_processes(sysman, all);
    if (all.known == 0) throw absent("Sysman tells nothing about the device");
    all.struct_size = telemetry->struct_size;
    std::memcpy(telemetry, &all, std::min<std::size_t>(telemetry->struct_size, sizeof all));
  });
}

bench_status lock_clock(bench_instance_v1 *instance, bench_device_v1 pair, double *,
                        bench_error_v1 *error) {
  return guarded(error, "lock_clock", [&] {
    device_of(instance, pair);
    // A range set by Sysman outlives the process: a crash would leave the card slow for everyone.
    throw Error(BENCH_ERROR_UNSUPPORTED, "this plugin sets no clocks",
                "set the range as administrator (xpu-smi config --frequencyrange) and back");
  });
}

bench_status unlock_clock(bench_instance_v1 *instance, bench_device_v1 pair,
                          bench_error_v1 *error) {
  return guarded(error, "unlock_clock", [&] { device_of(instance, pair); });
}

}  // namespace

const bench_ext_telemetry_v1 telemetry_extension = {sizeof(bench_ext_telemetry_v1), 0, read,
                                                    lock_clock, unlock_clock};

}  // namespace bench_xpu
