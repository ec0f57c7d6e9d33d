// SPDX-License-Identifier: Apache-2.0
// Devices of the simulation, and how long their launches take.
#include <bench/plugin/fork_count.hpp>
#include <cmath>
#include <cstdlib>

#include "sim.hpp"

namespace bench_sim {
namespace {

// A noisy time is never less than this part of the noiseless one.
constexpr double least_part = 0.1;

double state_factor(Device &device, double begin_ns) {
  const Settings &s = device.settings;
  Random &random = device.random;
  double factor = 1.0;
  if (begin_ns - device.last_work_ns > s.warmup.idle_ns) device.warm_launches = 0.0;
  factor *= 1.0 + (s.warmup.factor - 1.0) * std::exp(-device.warm_launches / s.warmup.launches);
  device.warm_launches += 1.0;
  const double risen = std::min(1.0, device.busy_ns / s.ramp.over_ns);
  factor *= s.ramp.factor + (1.0 - s.ramp.factor) * risen;
  if (s.throttle.after_ns > 0.0 && device.busy_ns >= s.throttle.after_ns)
    factor *= s.throttle.factor;
  if (s.drift.sd > 0.0) {
    const double fresh = s.drift.sd * std::sqrt(1.0 - s.drift.phi * s.drift.phi);
    device.drift = s.drift.phi * device.drift + fresh * random.normal();
    factor *= std::exp(device.drift);
  }
  if (s.bimodal.fraction > 0.0) {
    if (random.uniform() >= s.bimodal.sticky)
      device.slow_mode = random.uniform() < s.bimodal.fraction;
    if (device.slow_mode) factor *= s.bimodal.factor;
  }
  if (s.noise.cv > 0.0) {
    const double z = s.noise.cv * random.normal();
    factor *= s.noise.lognormal ? std::exp(z) : std::max(least_part, 1.0 + z);
  }
  if (s.tail.probability > 0.0 && random.uniform() < s.tail.probability)
    factor *= 1.0 + s.tail.scale * std::pow(random.uniform(), -1.0 / s.tail.alpha);
  return factor;
}

}  // namespace

double launch_duration(Device &device, bench_kernel_v1 &kernel, double begin_ns) {
  const Settings &s = device.settings;
  const bool switched = device.last_kernel != &kernel;
  const std::vector<double> &samples = kernel.program.samples_ns;
  double duration = kernel.program.time_ns;
  if (switched) {
    kernel.visit_factor = s.visit.sd > 0.0 ? std::exp(s.visit.sd * device.random.normal()) : 1.0;
    // A visit replays a contiguous run, from anywhere: what was correlated then is correlated now.
    if (!samples.empty()) kernel.position = device.random.below(samples.size());
  }
  if (!samples.empty()) duration = samples[kernel.position++ % samples.size()];
  if (device.flushed) duration += kernel.program.cold_ns;
  duration *= kernel.visit_factor * state_factor(device, begin_ns);
  if (switched) duration *= s.first.factor;
  duration = std::max(duration, 1.0);
  device.last_kernel = &kernel;
  device.flushed = false;
  device.busy_ns += duration;
  device.last_work_ns = begin_ns + duration;
  return duration;
}

std::vector<std::unique_ptr<Device>> &devices_of(bench_instance_v1 *instance) {
  // What is simulated is a driver, with the rules of one.
  static bench::plugin::DriverProcess process;
  process.refuse_forked_child("a simulation");
  const std::lock_guard lock(instance->mutex);
  if (!instance->devices.empty()) return instance->devices;
  std::string where = instance->where;
  if (const char *set = std::getenv("BENCH_SIM_DEVICES"); where.empty() && set) where = set;
  if (where.empty()) {
    throw Error(BENCH_ERROR_NO_DRIVER, "no simulation was asked for",
                "set BENCH_SIM_DEVICES to a device file, or to 'default'");
  }
  for (const Settings &settings : read_settings(where)) {
    auto device = std::make_unique<Device>();
    device->settings = settings;
    // Equal devices with equal seeds would have equal noise.
    device->random = Random(settings.seed + instance->devices.size() * 0x9e3779b97f4a7c15ull);
    instance->devices.push_back(std::move(device));
  }
  process.started();
  return instance->devices;
}

Device &device_of(bench_instance_v1 *instance, bench_device_v1 number) {
  auto &devices = devices_of(instance);
  if (number.type != BENCH_DEVICE_EXT || number.id < 0 ||
      static_cast<std::size_t>(number.id) >= devices.size()) {
    throw Error(BENCH_ERROR_NO_DEVICE,
                "class sim has " + std::to_string(devices.size()) + " devices, not " +
                    std::to_string(number.id),
                "take one of device_list");
  }
  return *devices[static_cast<std::size_t>(number.id)];
}

Device &enter(bench_instance_v1 *instance, bench_device_v1 number) {
  Device &device = device_of(instance, number);
  if (device.lost)
    throw Error(BENCH_ERROR_DEVICE_LOST, "the simulated device is lost", "start a new process");
  return device;
}

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error) {
  return guarded(error, "device_list", [&] {
    *count = static_cast<std::uint32_t>(devices_of(instance).size());
    for (std::uint32_t at = 0; at < capacity && at < *count; ++at)
      devices[at] = {BENCH_DEVICE_EXT, static_cast<std::int32_t>(at)};
  });
}

bench_status device_info(bench_instance_v1 *instance, bench_device_v1 number,
                         bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    const Device &device = device_of(instance, number);
    const Settings &s = device.settings;
    bench_device_info_v1 full{};
    full.state = device.lost ? BENCH_ERROR_DEVICE_LOST : BENCH_OK;
    if (device.lost) bench::plugin::copy_text(full.reason, "lost: start a new process");
    full.device = number;
    // FNV-1a of the name and the number: the same device in every process.
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : s.name + "#" + std::to_string(number.id))
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    std::memcpy(full.uuid, &hash, sizeof hash);
    full.uuid[15] = 1;
    bench::plugin::copy_text(full.class_name, "sim");
    bench::plugin::copy_text(full.name, s.name);
    bench::plugin::copy_text(full.vendor, "bench");
    bench::plugin::copy_text(full.architecture, s.architecture);
    bench::plugin::copy_text(full.driver_version, "simulated");
    full.memory_bytes = s.memory_bytes;
    full.last_level_cache_bytes = s.cache_bytes;
    full.compute_units = 1;
    full.timer_resolution_ns = s.timer.resolution_ns;
    full.timer_wrap_ns = s.timer.wrap_ns;
    bench::plugin::store_info(info, full);
  });
}

}  // namespace bench_sim
