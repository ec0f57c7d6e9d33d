// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_device.hpp"

#include <algorithm>
#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "loader/registry.hpp"

namespace bench::tune {

namespace {

// Another process's tune takes seconds; one that takes longer is measured beside, and said so.
constexpr std::int64_t patience_ns = 60'000'000'000;

// No device has this number: its mutex serialises the plugin's [list] functions among tuners.
constexpr bench_device_v1 listing{-1, -1};

/// Of the process, not of a context: what is dead is the driver's state, which all contexts share.
struct LostDevices {
  std::mutex mutex;
  std::set<std::string> identities;
};
LostDevices &lost_devices() {
  static LostDevices devices;
  return devices;
}

std::string identity_of(const bench_device_info_v1 &info, const std::string &tag) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string uuid;
  bool any = false;
  for (const std::uint8_t byte : info.uuid) {
    uuid += digits[byte >> 4];
    uuid += digits[byte & 15];
    any = any || byte != 0;
  }
  return any ? uuid : tag + (info.bus_id[0] ? "-" + std::string(info.bus_id) : "");
}

}  // namespace

DeviceUse::DeviceUse(loader::Registry &registry, bench_device_v1 device) {
  plugin_ = &registry.plugin_for_device(device);
  target_ = {plugin_->api, plugin_->instance, plugin_->native(device), plugin_->has_t1,
             plugin_->has_do_bench};
  const std::string tag = registry.class_name(device.type) + ":" + std::to_string(device.id);
  // Asked of the plugin, not of what the loader remembers: the driver may have changed since.
  info_.struct_size = sizeof info_;
  bench_error_v1 error = error_struct();
  {
    const std::lock_guard lock(plugin_->device_mutex(listing));
    const bench_status status =
        target_.api->device_info(target_.instance, target_.device, &info_, &error);
    if (status != BENCH_OK) throw Failure(status, error, "device_info of " + tag);
  }
  target_.timer_resolution_ns = info_.timer_resolution_ns;
  target_.timer_wrap_ns = info_.timer_wrap_ns;
  target_.synchronous = (info_.flags & BENCH_DEVICE_FLAG_SYNCHRONOUS) != 0;
  if (info_.state != BENCH_OK)
    throw Failure(info_.state, tag + " cannot be used: " + info_.reason, "device",
                  "see `bench devices`, and `bench plugins --why`");
  identity_ = identity_of(info_, tag);
  {
    const std::lock_guard lock(lost_devices().mutex);
    if (lost_devices().identities.count(identity_))
      throw Failure(BENCH_ERROR_DEVICE_LOST, tag + " was lost earlier in this process", "device",
                    "start the process anew: the driver's context cannot be revived");
  }
}

void DeviceUse::mark_lost() {
  const std::lock_guard lock(lost_devices().mutex);
  lost_devices().identities.insert(identity_);
}

namespace {

/// Asks at most every 20 ms: whoever is asked may have to wait for a lock of its own.
std::function<bool()> rarely(const std::function<bool()> &gives_up) {
  if (!gives_up) return {};
  return [gives_up, next_ns = std::int64_t{0}]() mutable {
    constexpr std::int64_t pause_ns = 20'000'000;
    const std::int64_t now_ns = system_clock().now_ns();
    if (now_ns < next_ns) return false;
    next_ns = now_ns + pause_ns;
    return gives_up();
  };
}

[[noreturn]] void stopped() {
  throw Failure(BENCH_ERROR_CANCELLED, "stopped while waiting for the device", "bench_tuner_lookup",
                "call again: the key stays cold");
}

std::unique_lock<std::mutex> lock_or_give_up(std::mutex &mutex,
                                             const std::function<bool()> &gives_up) {
  if (!gives_up) return std::unique_lock(mutex);
  constexpr std::int64_t retry_ns = 1'000'000;  // short beside any tune
  std::unique_lock lock(mutex, std::try_to_lock);
  const std::function<bool()> asks = rarely(gives_up);
  while (!lock.owns_lock()) {
    if (asks()) stopped();
    system_clock().sleep_ns(retry_ns);
    (void)lock.try_lock();
  }
  return lock;
}

}  // namespace

namespace {
thread_local bool timing = false;
}

TimingLock::Count::Count() {
  if (timing)
    throw Failure(BENCH_ERROR_BUSY,
                  "a callback measures, while it is itself being measured on this thread", "device",
                  "measure or tune what it calls before");
  timing = true;
}

TimingLock::Count::~Count() {
  timing = false;
}

bool TimingLock::is_held() {
  return timing;
}

TimingLock::TimingLock(DeviceUse &device, const std::filesystem::path &folder,
                       const std::function<bool()> &gives_up)
    : ours_(lock_or_give_up(device.plugin().device_mutex(device.target().device), gives_up)),
      others_(folder, device.identity(), patience_ns, rarely(gives_up)) {
  if (!others_.reason().empty() && gives_up && gives_up()) stopped();
}

dispatch::ClassTable class_table(loader::Registry &registry) {
  std::vector<dispatch::DeviceClass> classes;
  for (const loader::PluginRecord &record : registry.discover()) {
    if (record.state == loader::State::refused || record.state == loader::State::failed ||
        record.state == loader::State::filtered)
      continue;
    for (const std::string &name : record.classes) {
      const auto known = std::find_if(classes.begin(), classes.end(),
                                      [&](const auto &each) { return each.name == name; });
      if (known != classes.end()) continue;
      dispatch::DeviceClass served{name, registry.class_number(name), {}, {}, true};
      for (const std::string &alias : record.aliases) {
        const auto equals = alias.find('=');
        if (equals != std::string::npos && alias.substr(equals + 1) == name)
          served.aliases.push_back(alias.substr(0, equals));
      }
      for (const auto &[type, owner] : record.memory_types)
        if (owner == name) served.memory_types.push_back(type);
      classes.push_back(std::move(served));
    }
  }
  return dispatch::ClassTable(std::move(classes));
}

bench_device_v1 named_device(loader::Registry &registry, const std::string &name) {
  return registry.parse_device(name);
}

std::string silicon_text(const bench_device_info_v1 &info) {
  return std::string(info.class_name) + "|" + info.architecture + "|" + info.name + "|" +
         std::to_string(info.compute_units) + " units|" + std::to_string(info.memory_bytes) +
         " bytes|" + info.partition;
}

}  // namespace bench::tune
