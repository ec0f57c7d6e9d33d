// SPDX-License-Identifier: Apache-2.0
// A device as the tuner uses it: its plugin's functions, who it is, and the locks of timing.
#pragma once
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

#include "bench/bench.h"
#include "dispatch/classes.hpp"
#include "measure/engine.hpp"
#include "tune/device_lock.hpp"

namespace bench {
namespace loader {
class Registry;
struct Plugin;
}  // namespace loader
}  // namespace bench

namespace bench::tune {

class DeviceUse {
 public:
  /// Opens the plugin. Throws why the device cannot be used; DEVICE_LOST where an earlier candidate
  /// killed it.
  DeviceUse(loader::Registry &registry, bench_device_v1 device);

  const measure::Target &target() const { return target_; }
  const bench_device_info_v1 &info() const { return info_; }
  loader::Plugin &plugin() const { return *plugin_; }
  /// The UUID in hexadecimal, else class, bus and id: one device's own in this machine.
  const std::string &identity() const { return identity_; }
  /// Every later use in this process is refused: the driver's context is dead.
  void mark_lost();

 private:
  loader::Plugin *plugin_ = nullptr;
  measure::Target target_;
  bench_device_info_v1 info_{};
  std::string identity_;
};

/// Held while timing: one thread of this process, and one of our processes, on the device.
class TimingLock {
 public:
  /// Throws CANCELLED where `gives_up` (may be empty) says so while it waits, and BUSY where this
  /// thread holds a lock already: a callback that measures would wait for itself.
  TimingLock(DeviceUse &device, const std::filesystem::path &folder,
             const std::function<bool()> &gives_up = {});
  TimingLock(const TimingLock &) = delete;  // counts what its thread holds
  TimingLock &operator=(const TimingLock &) = delete;
  /// The calling thread is inside a measurement: its caller is a callback.
  static bool is_held();
  /// Why other processes are not kept away; empty if they are.
  const std::string &reason() const { return others_.reason(); }

 private:
  struct Count {
    Count();
    ~Count();
  } count_;  // first: it refuses before anything is waited for
  std::unique_lock<std::mutex> ours_;
  DeviceLock others_;
};

/// What makes two devices one in a store: class, architecture, name, units, memory, partition. Not
/// the card itself: equal cards share results.
std::string silicon_text(const bench_device_info_v1 &info);

/// Names the plugins' classes; discovers the plugins if nobody has yet.
dispatch::ClassTable class_table(loader::Registry &registry);
/// "cuda:1", "cpu", aliases. Throws INVALID_ARGUMENT for what is no device's name, NO_DEVICE for
/// one that is not there.
bench_device_v1 named_device(loader::Registry &registry, const std::string &name);

}  // namespace bench::tune
