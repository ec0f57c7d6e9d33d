// SPDX-License-Identifier: Apache-2.0
// The plugins of this process: where they were looked for, which were found, why others were not
// used. Nothing is loaded before it is needed; what was judged and probed is told in numbered
// lines.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bench/plugin_v1.h"

namespace bench {
class Log;
}

namespace bench::loader {

/// One decision of the loader. Codes are listed in docs/loader_codes.md.
struct Line {
  std::string code;  // "BENCH-L001"
  std::uint32_t level = BENCH_LOG_DEBUG;
  std::string path;
  std::string what;
  std::string hint;
};

enum class State { found, refused, probed, failed, loaded, shadowed, filtered };
const char *state_name(State state);

/// A device, or the reason why a class has none (then `device.id` is -1).
struct DeviceRecord {
  bench_device_v1 device{};  // with the interned number for classes that have none of DLPack's
  std::string class_name;
  std::string plugin;  // path
  bench_device_info_v1 info{};
  bool usable = false;
  std::string reason;
  /// "cpu:0"; the class alone where there is no device.
  std::string tag() const;
};

struct PluginRecord {
  std::string path;
  State state = State::found;
  std::string code;
  std::string reason;
  std::vector<std::string> classes;
  std::vector<std::string> aliases;  // "rocm=hip": alias, then class
  std::map<std::string, std::int32_t> class_types;
  std::map<std::int32_t, std::string> memory_types;  // DLPack host memory type -> class
  std::string id, version, vendor;
  std::int32_t score = 0;
  std::size_t folder = 0;  // position in the search order
  std::vector<DeviceRecord> devices;
};

/// A plugin loaded in this process. Never unloaded.
struct Plugin {
  /// The plugin's table in our own size: no function is NULL, absent ones return UNSUPPORTED.
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  std::string path, id, version;
  bool has_t1 = false;
  bool has_do_bench = false;

  /// The device as the plugin numbers it: interned types become BENCH_DEVICE_EXT.
  bench_device_v1 native(bench_device_v1 device) const;
  /// One thread at a time per device and instance.
  std::mutex &device_mutex(bench_device_v1 device);
  /// What time is on its devices. Lives as long as the plugin.
  Clock &clock();
  /// It is not the system's: no limit on its devices may read real time.
  bool has_own_clock();

 private:
  std::once_flag clock_once_;
  std::unique_ptr<Clock> clock_;
  std::mutex map_mutex_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::unique_ptr<std::mutex>> mutexes_;
};

struct Options {
  std::vector<std::string> paths;  // through the API, before everything
  bool use_environment = true;
  bool allow_world_writable = false;
  bool notes_only = false;  // no code of a plugin runs: it is listed as its ELF note says
  std::string helper_dir;   // of bench-probe; empty: beside the core library
  std::string cache_dir;    // empty: the user's cache folder
  std::optional<std::string> core_dir;  // searched; nothing: beside the core library
  std::optional<std::string> libdir;    // searched; nothing: as configured
  std::int64_t probe_timeout_ns = 5'000'000'000;
  Log *log = nullptr;
};

class Registry {
 public:
  explicit Registry(Options options);
  ~Registry();
  Registry(const Registry &) = delete;  // plugins point into it
  Registry &operator=(const Registry &) = delete;

  /// Searches, judges and probes, once. Loads nothing in this process unless probing is impossible.
  const std::vector<PluginRecord> &discover();
  /// Forgets what discover() found; loaded plugins stay.
  void refresh();
  std::vector<Line> story();

  /// Of all plugins in use, and one record with the reason for each class without a usable device.
  std::vector<DeviceRecord> devices();

  /// Loads it now. Failure with the candidates and their reasons if there is none.
  Plugin &plugin_for_class(const std::string &class_or_alias);
  Plugin &plugin_for_device(bench_device_v1 device);

  /// DLPack's number, or one >= 65536 interned for this process.
  std::int32_t class_number(const std::string &class_or_alias);
  /// The class of a number; "" if nobody claims it.
  std::string class_name(std::int32_t number);
  /// 3 and 13 -> "cuda", if a plugin claims them.
  std::optional<std::string> class_of_memory_type(std::int32_t type);
  /// "cuda:0", "cuda" (id 0), aliases. Failure lists the classes there are.
  bench_device_v1 parse_device(const std::string &text);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bench::loader
