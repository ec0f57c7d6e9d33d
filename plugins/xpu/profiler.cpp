// SPDX-License-Identifier: Apache-2.0
// bench.profiler/1: kernel time stamps of what bench.kernel/1 launches. Level Zero gives them to
// whoever appends a kernel; what frameworks append themselves stays unseen.
#include <algorithm>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

// Launches of one recording; those beyond are counted as dropped.
constexpr std::uint32_t most_launches = 4096;

bench_status start_profile(bench_instance_v1 *instance, bench_device_v1 pair,
                           bench_error_v1 *error) {
  return guarded(error, "profiler start", [&] {
    const Functions &ze = functions();
    Device &device = device_of(instance, pair);
    Profile &profile = device.profile;
    if (profile.active)
      throw Error(BENCH_ERROR_BUSY, "this instance records already", "stop it first");
    if (device.kernel.ns_per_tick <= 0)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the driver tells no resolution of the device's timer",
                  "measure with events");
    if (!profile.pool) {
      profile.context = context_of(device);
      ze_event_pool_desc_t pool{};
      pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
      pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
      pool.count = most_launches;
      check(ze.zeEventPoolCreate(profile.context, &pool, 1, &device.handle, &profile.pool),
            "zeEventPoolCreate", &device);
      for (std::uint32_t i = 0; i < most_launches; ++i) {
        ze_event_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
        description.index = i;
        description.signal = ZE_EVENT_SCOPE_FLAG_HOST;
        description.wait = ZE_EVENT_SCOPE_FLAG_HOST;
        ze_event_handle_t event = nullptr;
        check(ze.zeEventCreate(profile.pool, &description, &event), "zeEventCreate", &device);
        profile.events.push_back(event);
      }
      profile.names.resize(most_launches);
    }
    for (std::uint32_t i = 0; i < profile.used; ++i)
      check(ze.zeEventHostReset(profile.events[i]), "zeEventHostReset", &device);
    profile.used = 0;
    profile.dropped = 0;
    profile.active = true;
  });
}

bench_status stop_profile(bench_instance_v1 *instance, bench_device_v1 pair,
                          bench_activity_v1 *activities, std::uint64_t capacity,
                          std::uint64_t *count, std::uint64_t *dropped, bench_error_v1 *error) {
  return guarded(error, "profiler stop", [&] {
    Device &device = device_of(instance, pair);
    Profile &profile = device.profile;
    if (!profile.active)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "nothing is recorded", "start first");
    profile.active = false;
    synchronize_own_streams(device);
    *count = profile.used;
    if (dropped) *dropped = profile.dropped;
    std::vector<bench_activity_v1> all;
    // Each start is placed by its distance from the one before, so that a counter may wrap on the
    // way. Launches of one list come in order; of several, within a part of the range.
    double now_ns = 0;
    std::uint64_t before = 0;
    for (std::uint32_t i = 0; i < profile.used; ++i) {
      ze_kernel_timestamp_result_t stamp{};
      check(functions().zeEventQueryKernelTimestamp(profile.events[i], &stamp),
            "zeEventQueryKernelTimestamp", &device);
      std::uint32_t flags = 0;
      // Of the global clock: context stamps stop while another process has the device.
      const std::uint64_t from = stamp.global.kernelStart;
      if (i > 0) now_ns += elapsed_ns(device.kernel, before, from, flags);
      before = from;
      bench_activity_v1 one{};
      one.start_ns = static_cast<std::int64_t>(now_ns);
      one.end_ns = static_cast<std::int64_t>(
          now_ns + elapsed_ns(device.kernel, from, stamp.global.kernelEnd, flags));
      one.kind = BENCH_ACTIVITY_KERNEL;
      std::memcpy(one.name, profile.names[i].text, sizeof one.name);
      all.push_back(one);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto &a, const auto &b) { return a.start_ns < b.start_ns; });
    std::copy_n(all.begin(), std::min<std::uint64_t>(capacity, all.size()), activities);
  });
}

}  // namespace

ze_event_handle_t profiled(Device &device, const Target &target, const std::string &name) {
  Profile &profile = device.profile;
  if (!profile.active) return nullptr;
  // A graph would signal one event many times, another context cannot use ours, and there is an
  // end.
  if (target.recording || target.context != profile.context || profile.used == most_launches) {
    ++profile.dropped;
    return nullptr;
  }
  bench::plugin::copy_text(profile.names[profile.used].text, name);
  return profile.events[profile.used++];
}

void end_profile(Device &device) {
  for (const ze_event_handle_t event : device.profile.events) functions().zeEventDestroy(event);
  if (device.profile.pool) functions().zeEventPoolDestroy(device.profile.pool);
  device.profile = {};
}

const bench_ext_profiler_v1 profiler_extension = {sizeof(bench_ext_profiler_v1), 0, start_profile,
                                                  stop_profile};

}  // namespace bench_xpu
