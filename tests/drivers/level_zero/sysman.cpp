// SPDX-License-Identifier: Apache-2.0
// Sysman: fixed readings, each of another size, so that a mix-up shows.
#include <unistd.h>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

int gpu_clock, memory_clock, gpu_sensor, memory_sensor, card_power;  // their addresses are handles

template <typename Handle>
ze_result_t answer(std::uint32_t *count, Handle *handles, std::initializer_list<int *> all) {
  if (*count == 0 || *count > all.size()) *count = static_cast<std::uint32_t>(all.size());
  for (std::uint32_t i = 0; handles && i < *count; ++i)
    handles[i] = reinterpret_cast<Handle>(all.begin()[i]);
  return ZE_RESULT_SUCCESS;
}

bool is(const void *handle, const int &object) {
  return handle == &object;
}

/// The handle is the core's: so it is with the variable, and nothing says it must not be without.
ze_result_t device_properties(zes_device_handle_t handle, zes_device_properties_t *properties) {
  return core_properties(reinterpret_cast<ze_device_handle_t>(handle), &properties->core);
}

ze_result_t clocks(zes_device_handle_t handle, std::uint32_t *count, zes_freq_handle_t *handles) {
  world().control.sysman_device = static_cast<std::int32_t>(object_of<Device>(handle)->index);
  return answer(count, handles, {&gpu_clock, &memory_clock});
}
ze_result_t sensors(zes_device_handle_t, std::uint32_t *count, zes_temp_handle_t *handles) {
  return answer(count, handles, {&memory_sensor, &gpu_sensor});
}
ze_result_t powers(zes_device_handle_t, std::uint32_t *count, zes_pwr_handle_t *handles) {
  return answer(count, handles, {&card_power});
}

ze_result_t processes(zes_device_handle_t, std::uint32_t *count, zes_process_state_t *states) {
  if (*count == 0 || *count > 2) *count = 2;
  for (std::uint32_t i = 0; states && i < *count; ++i)
    states[i].processId = static_cast<std::uint32_t>(i == 0 ? ::getpid() : 1);
  return ZE_RESULT_SUCCESS;
}

ze_result_t clock_properties(zes_freq_handle_t handle, zes_freq_properties_t *properties) {
  const bool gpu = is(handle, gpu_clock);
  properties->type = gpu ? ZES_FREQ_DOMAIN_GPU : ZES_FREQ_DOMAIN_MEMORY;
  properties->min = 300;
  properties->max = gpu ? 2400 : 1200;
  return ZE_RESULT_SUCCESS;
}

ze_result_t clock_state(zes_freq_handle_t handle, zes_freq_state_t *state) {
  state->actual = is(handle, gpu_clock) ? 2100 : 1100;
  state->throttleReasons =
      ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP | ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT;
  return ZE_RESULT_SUCCESS;
}

ze_result_t sensor_properties(zes_temp_handle_t handle, zes_temp_properties_t *properties) {
  properties->type = is(handle, gpu_sensor) ? ZES_TEMP_SENSORS_GPU : ZES_TEMP_SENSORS_MEMORY;
  return ZE_RESULT_SUCCESS;
}

ze_result_t sensor_state(zes_temp_handle_t handle, double *celsius) {
  *celsius = is(handle, gpu_sensor) ? 61 : 77;
  return ZE_RESULT_SUCCESS;
}

ze_result_t power_properties(zes_pwr_handle_t, zes_power_properties_t *) {
  return ZE_RESULT_SUCCESS;
}

ze_result_t energy(zes_pwr_handle_t, zes_power_energy_counter_t *counter) {
  counter->energy = 5'000'000;
  counter->timestamp = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t limits(zes_pwr_handle_t, zes_power_sustained_limit_t *sustained,
                   zes_power_burst_limit_t *, zes_power_peak_limit_t *) {
  if (sustained) *sustained = {1, 190'000, 1};
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void fill_table(zes_device_dditable_t &table) {
  table.pfnGetProperties = device_properties;
  table.pfnProcessesGetState = processes;
  table.pfnEnumFrequencyDomains = clocks;
  table.pfnEnumTemperatureSensors = sensors;
  table.pfnEnumPowerDomains = powers;
}

void fill_table(zes_frequency_dditable_t &table) {
  table.pfnGetProperties = clock_properties;
  table.pfnGetState = clock_state;
}

void fill_table(zes_temperature_dditable_t &table) {
  table.pfnGetProperties = sensor_properties;
  table.pfnGetState = sensor_state;
}

void fill_table(zes_power_dditable_t &table) {
  table.pfnGetProperties = power_properties;
  table.pfnGetEnergyCounter = energy;
  table.pfnGetLimits = limits;
}

}  // namespace level_zero_driver
