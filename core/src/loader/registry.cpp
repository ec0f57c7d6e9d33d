// SPDX-License-Identifier: Apache-2.0
#include "loader/registry.hpp"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/log.hpp"
#include "loader/adapt.hpp"
#include "loader/diagnostics.hpp"
#include "loader/discovery.hpp"
#include "loader/process_guard.hpp"
#include "loader/shared_library.hpp"

namespace bench::loader {
namespace {

const void *no_extension(void *, const char *) {
  return nullptr;
}

/// Late lines, after the context is gone, are dropped: plugins' threads outlive it.
struct HostLog {
  std::atomic<Log *> log{nullptr};
};

/// Never freed, but reachable: threads of a plugin may log after their registry is gone.
HostLog *new_host_log() {
  static auto *const mutex = new std::mutex;
  static auto *const all = new std::vector<std::unique_ptr<HostLog>>;
  const std::lock_guard lock(*mutex);
  all->push_back(std::make_unique<HostLog>());
  return all->back().get();
}

void host_log(void *user, std::uint32_t level, const char *message) {
  if (Log *log = static_cast<HostLog *>(user)->log.load()) log->write(level, message);
}

}  // namespace

const char *state_name(State state) {
  static constexpr const char *names[] = {"found",  "refused",  "probed",  "failed",
                                          "loaded", "shadowed", "filtered"};
  return names[static_cast<int>(state)];
}

std::string DeviceRecord::tag() const {
  return device.id < 0 ? class_name : class_name + ":" + std::to_string(device.id);
}

bench_device_v1 Plugin::native(bench_device_v1 device) const {
  constexpr std::int32_t first_interned = 65536;
  return {device.type >= first_interned ? BENCH_DEVICE_EXT : device.type, device.id};
}

std::mutex &Plugin::device_mutex(bench_device_v1 device) {
  const std::lock_guard lock(map_mutex_);
  auto &mutex = mutexes_[{native(device).type, device.id}];
  if (!mutex) mutex = std::make_unique<std::mutex>();
  return *mutex;
}

struct Registry::Implementation {
  explicit Implementation(Options given) : options(std::move(given)) {
    host_log_state->log = options.log;
    host.struct_size = sizeof host;
    host.abi_minor = BENCH_ABI_MINOR;
    host.user = host_log_state;
    host.log = host_log;
    host.get_extension = no_extension;
  }

  void discover() {
    if (discovered) return;
    story.clear();
    records = discover_plugins(options, story);
    for (const Line &line : story) write(line);
    for (PluginRecord &record : records) {
      for (const auto &[path, plugin] : plugins) {
        if (path == record.path && record.state == State::probed) record.state = State::loaded;
      }
    }
    discovered = true;
  }

  void write(const Line &line) const {
    if (options.log)
      options.log->write(line.level, line.code + " " + line.path + ": " + line.what +
                                         (line.hint.empty() ? "" : " (" + line.hint + ")"));
  }

  void tell(const char *code, std::uint32_t level, const std::string &path, const std::string &what,
            const std::string &hint = "") {
    story.push_back({code, level, path, what, hint});
    write(story.back());
  }

  std::string class_of(const std::string &name) {
    for (const PluginRecord &record : records) {
      if (std::find(record.classes.begin(), record.classes.end(), name) != record.classes.end())
        return name;
    }
    for (const PluginRecord &record : records) {
      for (const std::string &alias : record.aliases) {
        if (alias.rfind(name + "=", 0) == 0) return alias.substr(name.size() + 1);
      }
    }
    // Names that users type for classes whose plugin is absent, so that the message names the
    // class.
    static const std::map<std::string, std::string> well_known{
        {"rocm", "hip"}, {"level_zero", "xpu"}, {"oneapi", "xpu"}, {"sycl", "xpu"}};
    const auto known = well_known.find(name);
    return known == well_known.end() ? name : known->second;
  }

  static bool serves(const PluginRecord &record, const std::string &name) {
    return (record.state == State::probed || record.state == State::loaded) &&
           std::any_of(record.devices.begin(), record.devices.end(),
                       [&](const DeviceRecord &d) { return d.usable && d.class_name == name; });
  }

  static bool claims(const PluginRecord &record, const std::string &name) {
    return std::find(record.classes.begin(), record.classes.end(), name) != record.classes.end();
  }

  /// The record that serves a class: as discovery decided, search order first, score within a
  /// folder.
  PluginRecord *server_of(const std::string &name) {
    PluginRecord *best = nullptr;
    for (PluginRecord &record : records) {
      if (!serves(record, name)) continue;
      if (!best || record.folder < best->folder ||
          (record.folder == best->folder && record.score > best->score))
        best = &record;
    }
    return best;
  }

  [[noreturn]] void no_plugin(const std::string &name) {
    std::string what = "no plugin serves class " + name + " with a usable device";
    std::set<std::string> others;
    bool claimed = false;
    for (const PluginRecord &record : records) {
      if (claims(record, name)) {
        claimed = true;
        what += "; " + record.path + ": " +
                (record.reason.empty() ? state_name(record.state) : record.reason);
      } else if (record.state == State::probed || record.state == State::loaded) {
        others.insert(record.classes.begin(), record.classes.end());
      }
    }
    std::string hint =
        claimed ? "mend what is named there" : "put libbench_" + name + ".so on BENCH_PLUGIN_PATH";
    if (!others.empty()) {
      hint += "; classes here:";
      for (const std::string &other : others) hint += " " + other;
    }
    hint += "; `bench plugins --why` tells all";
    throw Failure(claimed ? BENCH_ERROR_NO_DEVICE : BENCH_ERROR_UNSUPPORTED, what,
                  "device class " + name, hint);
  }

  /// Calls into a plugin that may not let an exception out, but does: it is the plugin's fault, and
  /// told so.
  template <typename Call>
  static auto called(const PluginRecord &record, const char *where, Call &&call) {
    try {
      return call();
    } catch (const Failure &) {
      throw;
    } catch (const std::exception &exception) {
      throw Failure(BENCH_ERROR_INTERNAL,
                    std::string("its ") + where + " let an exception out: " + exception.what(),
                    record.path, "report it to the plugin's vendor");
    }
  }

  Plugin &load(PluginRecord &record) {
    for (auto &[path, plugin] : plugins) {
      if (path == record.path) return *plugin;
    }
    ProcessGuard guard;
    const OpenResult opened = open_plugin_library(record.path);
    for (const std::string &changed : guard.restore()) {
      tell(code::state_changed, BENCH_LOG_WARNING, record.path,
           "changed this process when it was loaded: " + changed,
           "put back; report it to the plugin's vendor");
    }
    if (!opened.opened) {
      throw Failure(BENCH_ERROR_INCOMPATIBLE, "cannot be loaded: " + opened.reason, record.path,
                    "install what it names; `bench plugins --why` tells more");
    }
    bench_error_v1 error = error_struct();
    const bench_plugin_api_v1 *table =
        opened.entry
            ? called(record, "entry",
                     [&] {
                       return reinterpret_cast<bench_plugin_entry_v1>(opened.entry)(&host, &error);
                     })
            : nullptr;
    if (!table)
      throw Failure(BENCH_ERROR_INCOMPATIBLE,
                    opened.entry ? std::string("its entry refused: ") + error.what
                                 : "it does not export bench_plugin_v1",
                    record.path, "ask the plugin's vendor");
    if (const auto fault = judge_table(table))
      throw Failure(fault->status, fault->what, record.path, fault->hint);
    auto plugin = std::make_unique<Plugin>();
    auto adapted = std::make_unique<bench_plugin_api_v1>(
        adapt_table(*table, plugin->has_t1, plugin->has_do_bench));
    if (adapted->open) {
      const bench_status status = called(
          record, "open", [&] { return adapted->open(&host, nullptr, &plugin->instance, &error); });
      if (status != BENCH_OK) {
        const Failure failure(status, error, record.path);
        tell(code::open_instance_failed, BENCH_LOG_WARNING, record.path,
             "its open failed: " + failure.text().what, failure.text().hint);
        throw failure;
      }
    }
    plugin->api = adapted.get();
    plugin->path = record.path;
    plugin->id = adapted->id;
    plugin->version = adapted->version;
    tables.push_back(std::move(adapted));
    if (record.state == State::probed) record.state = State::loaded;
    tell(code::loaded, BENCH_LOG_DEBUG, record.path,
         "loaded for class " + (record.classes.empty() ? std::string("?") : record.classes[0]));
    plugins.emplace_back(record.path, std::move(plugin));
    return *plugins.back().second;
  }

  Options options;
  HostLog *host_log_state = new_host_log();
  bench_host_v1 host{};
  std::mutex mutex;
  bool discovered = false;
  std::vector<PluginRecord> records;
  std::vector<Line> story;
  std::vector<std::pair<std::string, std::unique_ptr<Plugin>>> plugins;
  std::vector<std::unique_ptr<bench_plugin_api_v1>> tables;
};

Registry::Registry(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}

Registry::~Registry() {
  for (auto &[path, plugin] : implementation_->plugins) {
    if (plugin->instance) plugin->api->close(plugin->instance);
  }
  implementation_->host_log_state->log = nullptr;
}

const std::vector<PluginRecord> &Registry::discover() {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  return implementation_->records;
}

void Registry::refresh() {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discovered = false;
}

std::vector<Line> Registry::story() {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  return implementation_->story;
}

std::vector<DeviceRecord> Registry::devices() {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  std::vector<DeviceRecord> devices;
  std::set<std::string> seen;
  for (const PluginRecord &record : implementation_->records) {
    if (record.state != State::probed && record.state != State::loaded) continue;
    for (const DeviceRecord &device : record.devices) {
      if (implementation_->server_of(device.class_name) != &record &&
          Implementation::serves(record, device.class_name))
        continue;
      devices.push_back(device);
      if (device.usable) seen.insert(device.class_name);
    }
  }
  std::set<std::string> told;
  for (const DeviceRecord &device : devices) told.insert(device.class_name);
  for (const PluginRecord &record : implementation_->records) {
    if (record.state == State::filtered || record.state == State::shadowed) continue;
    for (const std::string &name : record.classes) {
      if (seen.count(name) || !told.insert(name).second) continue;
      DeviceRecord absent;
      absent.device = {
          record.class_types.count(name) ? record.class_types.at(name) : BENCH_DEVICE_EXT, -1};
      absent.class_name = name;
      absent.plugin = record.path;
      absent.reason = record.reason.empty() ? "no device" : record.reason;
      devices.push_back(std::move(absent));
    }
  }
  return devices;
}

Plugin &Registry::plugin_for_class(const std::string &class_or_alias) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  const std::string name = implementation_->class_of(class_or_alias);
  if (PluginRecord *record = implementation_->server_of(name))
    return implementation_->load(*record);
  // A library that the child did not find may be in this process already, brought by the framework.
  for (PluginRecord &record : implementation_->records) {
    if (record.code != code::dependency_missing || !Implementation::claims(record, name)) continue;
    try {
      return implementation_->load(record);
    } catch (const Failure &failure) {
      record.reason = failure.text().what;
    }
  }
  implementation_->no_plugin(name);
}

Plugin &Registry::plugin_for_device(bench_device_v1 device) {
  const std::string name = class_name(device.type);
  if (name.empty()) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "no plugin claims device type " + std::to_string(device.type), "device",
                  "name the class, or install its plugin; `bench devices` lists what is there");
  }
  return plugin_for_class(name);
}

std::int32_t Registry::class_number(const std::string &class_or_alias) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  const std::string name = implementation_->class_of(class_or_alias);
  for (const PluginRecord &record : implementation_->records) {
    const auto found = record.class_types.find(name);
    if (found != record.class_types.end()) return found->second;
  }
  static const std::map<std::string, std::int32_t> dlpack{{"cpu", BENCH_DEVICE_CPU},
                                                          {"cuda", BENCH_DEVICE_CUDA},
                                                          {"hip", BENCH_DEVICE_ROCM},
                                                          {"xpu", BENCH_DEVICE_ONEAPI}};
  const auto found = dlpack.find(name);
  return found != dlpack.end() ? found->second : intern_class(name, BENCH_DEVICE_EXT);
}

std::string Registry::class_name(std::int32_t number) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  std::set<std::string> unnumbered;
  for (const PluginRecord &record : implementation_->records) {
    if (record.state == State::filtered || record.state == State::shadowed) continue;
    for (const auto &[name, type] : record.class_types) {
      if (type == number) return name;
      if (type >= 65536) unnumbered.insert(name);
    }
  }
  // Type 12 identifies nobody, unless only one class has no number.
  if (number == BENCH_DEVICE_EXT && unnumbered.size() == 1) return *unnumbered.begin();
  static const std::map<std::int32_t, std::string> dlpack{{BENCH_DEVICE_CPU, "cpu"},
                                                          {BENCH_DEVICE_CUDA, "cuda"},
                                                          {BENCH_DEVICE_ROCM, "hip"},
                                                          {BENCH_DEVICE_ONEAPI, "xpu"}};
  const auto found = dlpack.find(number);
  return found == dlpack.end() ? "" : found->second;
}

std::optional<std::string> Registry::class_of_memory_type(std::int32_t type) {
  const std::lock_guard lock(implementation_->mutex);
  implementation_->discover();
  for (const PluginRecord &record : implementation_->records) {
    const auto found = record.memory_types.find(type);
    if (found != record.memory_types.end()) return found->second;
  }
  return std::nullopt;
}

bench_device_v1 Registry::parse_device(const std::string &text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::int32_t id = 0;
  if (colon != std::string::npos) {
    const std::string digits = text.substr(colon + 1);
    const bool number = !digits.empty() && digits.size() <= 9 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || name.empty())
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "'" + text + "' is no device", "device",
                    "write class:number, e.g. cpu:0 or cuda:1");
    id = std::stoi(digits);
  }
  if (name.empty())
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "a device name is empty", "device",
                  "write class:number, e.g. cpu:0");
  class_number(name);  // discovers
  const std::lock_guard lock(implementation_->mutex);
  const std::string known = implementation_->class_of(name);
  bool claimed = false;
  std::int32_t devices = 0;
  for (const PluginRecord &record : implementation_->records) {
    claimed = claimed || Implementation::claims(record, known);
    if (&record != implementation_->server_of(known)) continue;
    for (const DeviceRecord &device : record.devices) {
      devices += device.class_name == known;
      if (device.class_name == known && device.device.id == id) return device.device;
    }
  }
  if (!claimed || devices == 0) implementation_->no_plugin(known);
  throw Failure(BENCH_ERROR_NO_DEVICE,
                text + " is not there: class " + known + " has " + std::to_string(devices) +
                    (devices == 1 ? " device" : " devices"),
                "device", "`bench devices` lists them; numbers start at 0");
}

}  // namespace bench::loader
