// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

constexpr std::uint32_t most_devices = 4, most_sub_devices = 4;

std::uint32_t from_environment(const char *name, std::uint32_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0)) : otherwise;
}

void register_kernel(const HostKernel &kernel) {
  const std::lock_guard lock(world().mutex);
  world().kernels[kernel.name] = kernel;
}

std::uint64_t now_ns() {
  const std::lock_guard lock(world().mutex);
  return world().host_ns;
}

void advance(std::uint64_t ns) {
  const std::lock_guard lock(world().mutex);
  world().host_ns += ns;
}

World *make_world() {
  auto *all = new World;  // not destroyed: the loader keeps its tables until the process ends
  Control &control = all->control;
  control.devices = from_environment("BENCH_ZE_DEVICES", control.devices);
  control.sub_devices = from_environment("BENCH_ZE_SUB_DEVICES", control.sub_devices);
  control.timestamp_bits = from_environment("BENCH_ZE_TIMESTAMP_BITS", control.timestamp_bits);
  control.init_result = from_environment("BENCH_ZE_INIT_RESULT", control.init_result);
  control.printed = std::getenv("BENCH_ZE_PRINT");
  control.register_kernel = register_kernel;
  control.now_ns = now_ns;
  control.advance = advance;
  all->devices.resize(most_devices);
  for (std::uint32_t i = 0; i < most_devices; ++i) {
    all->devices[i].index = i;
    all->devices[i].parts.resize(most_sub_devices);
    for (std::uint32_t part = 0; part < most_sub_devices; ++part) {
      all->devices[i].parts[part].index = i;
      all->devices[i].parts[part].sub_device = static_cast<std::int32_t>(part);
    }
  }
  return all;
}

}  // namespace

World &world() {
  static World *const all = make_world();
  return *all;
}

void violate(const char *rule) {
  Control &control = world().control;
  ++control.violations;
  std::strncpy(control.violation, rule, sizeof control.violation - 1);
}

bool is_lost(const Device *device) {
  return device && world().control.lost_device == static_cast<std::int32_t>(device->index);
}

void signal(Event &event, std::uint64_t time_ns) {
  event.signalled = true;
  event.time_ns = time_ns;
}

void pump() {
  World &all = world();
  for (bool progress = true; progress;) {
    progress = false;
    for (Engine *engine : all.engines) {
      while (!engine->commands.empty() && !is_lost(engine->device)) {
        if (engine->in_order) engine->issue_ns = std::max(engine->issue_ns, engine->busy_ns);
        if (!engine->commands.front()(*engine)) break;
        engine->commands.pop_front();
        progress = true;
      }
    }
  }
  all.changed.notify_all();
}

std::uint64_t ticks(Device &device, std::uint64_t time_ns, std::uint32_t valid_bits) {
  constexpr std::uint64_t ns_per_second = 1'000'000'000;
  const Control &control = world().control;
  // In parts: the product of a long time and a fast timer exceeds 64 bits.
  std::uint64_t count = control.first_tick + time_ns / ns_per_second * control.timer_hz +
                        time_ns % ns_per_second * control.timer_hz / ns_per_second;
  count -= control.backwards_ticks * device.ticks_read++;
  if (valid_bits >= 64) return count;
  const std::uint64_t mask = (std::uint64_t{1} << valid_bits) - 1;
  const std::uint64_t rubbish = 0x9e3779b97f4a7c15u * (device.ticks_read + 1);
  return (count & mask) | (rubbish & ~mask);
}

ze_result_t append(ze_command_list_handle_t handle, Engine::Command command) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  List &list = *object_of<List>(handle);
  if (is_lost(list.device)) return ZE_RESULT_ERROR_DEVICE_LOST;
  if (all.control.append_result != 0) return static_cast<ze_result_t>(all.control.append_result);
  all.host_ns += all.control.host_cost_ns;
  if (list.engine) {
    // Nothing starts before the host has appended it.
    const std::uint64_t appended_ns = all.host_ns;
    list.engine->commands.push_back([appended_ns](Engine &engine) {
      engine.issue_ns = std::max(engine.issue_ns, appended_ns);
      return true;
    });
    list.engine->commands.push_back(std::move(command));
    pump();
    return is_lost(list.device) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
  }
  if (list.closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list.recorded.push_back(std::move(command));
  return ZE_RESULT_SUCCESS;
}

}  // namespace level_zero_driver

extern "C" __attribute__((visibility("default"))) level_zero_driver::Control *
bench_level_zero_control() {
  return &level_zero_driver::world().control;
}
