// SPDX-License-Identifier: Apache-2.0
// bench.telemetry/1 through NVML.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "clock_lock.hpp"
#include "nvml.hpp"

namespace bench_cuda {
namespace {

constexpr double hz_per_mhz = 1e6;
constexpr double watts_per_milliwatt = 1e-3;
constexpr double joules_per_millijoule = 1e-3;
// More than that many processes with work on one device are not counted one by one.
constexpr unsigned most_processes = 64;

std::uint32_t throttle_of(unsigned long long reasons) {
  const struct {
    unsigned long long theirs;
    std::uint32_t ours;
  } table[] = {
      {nvmlClocksThrottleReasonGpuIdle, BENCH_THROTTLE_IDLE},
      {nvmlClocksThrottleReasonApplicationsClocksSetting, BENCH_THROTTLE_USER},
      {nvmlClocksThrottleReasonSwPowerCap, BENCH_THROTTLE_POWER},
      {nvmlClocksThrottleReasonHwSlowdown, BENCH_THROTTLE_HARDWARE},
      {nvmlClocksThrottleReasonSyncBoost, BENCH_THROTTLE_OTHER},
      {nvmlClocksThrottleReasonSwThermalSlowdown, BENCH_THROTTLE_THERMAL},
      {nvmlClocksThrottleReasonHwThermalSlowdown, BENCH_THROTTLE_THERMAL},
      {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, BENCH_THROTTLE_HARDWARE},
      {nvmlClocksThrottleReasonDisplayClockSetting, BENCH_THROTTLE_OTHER},
  };
  std::uint32_t found = 0;
  for (const auto &entry : table)
    if (reasons & entry.theirs) found |= entry.ours;
  return found;
}

/// Instantaneous where the device has it: the older call gives a mean over a second.
bool read_power(const Nvml &library, nvmlDevice_t device, double &watts) {
  if (library.nvmlDeviceGetFieldValues) {
    constexpr unsigned power_instant =
        186;  // NVML_FI_DEV_POWER_INSTANT; headers up to 12.1 lack it
    nvmlFieldValue_t field{};
    field.fieldId = power_instant;
    if (library.nvmlDeviceGetFieldValues(device, 1, &field) == NVML_SUCCESS &&
        field.nvmlReturn == NVML_SUCCESS) {
      watts = field.value.uiVal * watts_per_milliwatt;
      return true;
    }
  }
  unsigned milliwatts = 0;
  if (library.nvmlDeviceGetPowerUsage(device, &milliwatts) != NVML_SUCCESS) return false;
  watts = milliwatts * watts_per_milliwatt;
  return true;
}

bool read_throttle(const Nvml &library, nvmlDevice_t device, std::uint32_t &throttle) {
  unsigned long long reasons = 0;
  const auto read = library.nvmlDeviceGetCurrentClocksEventReasons
                        ? library.nvmlDeviceGetCurrentClocksEventReasons
                        : library.nvmlDeviceGetCurrentClocksThrottleReasons;
  if (!read || read(device, &reasons) != NVML_SUCCESS) return false;
  throttle = throttle_of(reasons);
  return true;
}

/// In a container with its own process numbers NVML lists those of the host: then this process,
/// which has a context, is not among them, and nothing can be told.
bool read_processes(const Nvml &library, nvmlDevice_t device, bool has_context,
                    std::uint32_t &others) {
  if (!library.nvmlDeviceGetComputeRunningProcesses) return false;
  std::vector<nvmlProcessInfo_t> processes(most_processes);
  unsigned count = most_processes;
  if (library.nvmlDeviceGetComputeRunningProcesses(device, &count, processes.data()) !=
      NVML_SUCCESS)
    return false;
  const auto self = static_cast<unsigned>(::getpid());
  const auto end = processes.begin() + std::min(count, most_processes);
  const bool listed = std::any_of(processes.begin(), end,
                                  [&](const nvmlProcessInfo_t &one) { return one.pid == self; });
  if (has_context && !listed) return false;
  others = count - (listed ? 1u : 0u);
  return true;
}

bench_status read(bench_instance_v1 *instance, bench_device_v1 device,
                  bench_telemetry_v1 *telemetry, bench_error_v1 *error) {
  return guarded(error, "telemetry read", [&] {
    instance->check_process();
    const Nvml &library = nvml();
    const nvmlDevice_t handle = nvml_device(*instance, device);
    bench_telemetry_v1 full{};
    full.struct_size = telemetry->struct_size;
    unsigned value = 0;
    const auto clock = [&](auto function, nvmlClockType_t type, double &hz, std::uint32_t bit) {
      if (!function || function(handle, type, &value) != NVML_SUCCESS) return;
      hz = value * hz_per_mhz;
      full.known |= bit;
    };
    clock(library.nvmlDeviceGetClockInfo, NVML_CLOCK_SM, full.clock_hz, BENCH_TELEMETRY_CLOCK);
    clock(library.nvmlDeviceGetMaxClockInfo, NVML_CLOCK_SM, full.max_clock_hz,
          BENCH_TELEMETRY_MAX_CLOCK);
    clock(library.nvmlDeviceGetClockInfo, NVML_CLOCK_MEM, full.memory_clock_hz,
          BENCH_TELEMETRY_MEMORY_CLOCK);
    if (library.nvmlDeviceGetTemperature(handle, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS) {
      full.temperature_celsius = value;
      full.known |= BENCH_TELEMETRY_TEMPERATURE;
    }
    if (read_power(library, handle, full.power_watts)) full.known |= BENCH_TELEMETRY_POWER;
    if (library.nvmlDeviceGetEnforcedPowerLimit &&
        library.nvmlDeviceGetEnforcedPowerLimit(handle, &value) == NVML_SUCCESS) {
      full.power_limit_watts = value * watts_per_milliwatt;
      full.known |= BENCH_TELEMETRY_POWER_LIMIT;
    }
    unsigned long long millijoules = 0;
    if (library.nvmlDeviceGetTotalEnergyConsumption &&
        library.nvmlDeviceGetTotalEnergyConsumption(handle, &millijoules) == NVML_SUCCESS) {
      full.energy_joules = static_cast<double>(millijoules) * joules_per_millijoule;
      full.known |= BENCH_TELEMETRY_ENERGY;
    }
    if (read_throttle(library, handle, full.throttle)) full.known |= BENCH_TELEMETRY_THROTTLE;
    const bool has_context = instance->primary[device.id].load() != nullptr;
    if (read_processes(library, handle, has_context, full.other_processes))
      full.known |= BENCH_TELEMETRY_PROCESSES;
    std::memcpy(telemetry, &full, std::min<std::size_t>(sizeof full, full.struct_size));
  });
}

}  // namespace

const bench_ext_telemetry_v1 telemetry_extension = {sizeof(bench_ext_telemetry_v1), 0, read,
                                                    lock_clock, unlock_clock};

}  // namespace bench_cuda
