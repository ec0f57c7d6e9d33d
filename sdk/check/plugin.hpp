// SPDX-License-Identifier: Apache-2.0
// The plugin as a host sees it: loaded, its table completed, an instance opened.
#pragma once
#include <functional>
#include <memory>

#include "check.hpp"

namespace check {

/// Loaded in this process, for ever: the process is the check's own.
class Plugin {
 public:
  explicit Plugin(const Options &options);
  const bench_plugin_api_v1 &api() const { return *api_; }
  bench_plugin_entry_v1 entry() const { return entry_; }
  /// Is there this function, by pointer and by struct_size?
  bool has_streams() const;

 private:
  bench_plugin_entry_v1 entry_ = nullptr;
  const bench_plugin_api_v1 *api_ = nullptr;
};

/// A host that notes what is logged.
const bench_host_v1 *quiet_host();

/// Opened, and closed at the end of the check.
class Instance {
 public:
  explicit Instance(const Plugin &plugin);
  ~Instance();
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  bench_instance_v1 *get() const { return instance_; }

 private:
  const Plugin &plugin_;
  bench_instance_v1 *instance_ = nullptr;
};

bench_error_v1 new_error();
/// A status and its error, as a failure's text.
std::string told(const char *function, bench_status status, const bench_error_v1 &error);
/// Throws Broken unless `status` is BENCH_OK.
void require_good(const char *function, bench_status status, const bench_error_v1 &error);
/// After a failure the error struct must say what happened, where, and be terminated.
void require_error_filled(const char *function, bench_status status, const bench_error_v1 &error);

/// Plugin, instance and the first usable device; NotHere where there is none.
struct Bed {
  explicit Bed(const Options &options);
  Plugin plugin;
  Instance instance;
  bench_device_v1 device;
};
std::vector<bench_device_v1> list_devices(const Plugin &plugin, bench_instance_v1 *instance);

}  // namespace check
