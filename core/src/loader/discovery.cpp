// SPDX-License-Identifier: Apache-2.0
#include "loader/discovery.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "loader/diagnostics.hpp"
#include "loader/elf_file.hpp"
#include "loader/environment.hpp"
#include "loader/probe.hpp"
#include "loader/probe_cache.hpp"
#include "loader/probe_report.hpp"
#include "loader/process_guard.hpp"
#include "loader/search_path.hpp"
#include "loader/shared_library.hpp"

namespace bench::loader {
namespace {

using nlohmann::json;

constexpr std::int32_t first_interned = 65536;
const char *const switch_hint =
    "run chmod o-w on it, or pass --allow-world-writable (BENCH_CONTEXT_ALLOW_WORLD_WRITABLE) "
    "where a container mounts it so";

std::string text_or(const json &object, const char *name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return std::string(text, ::strnlen(text, N));
}

std::vector<std::string> note_classes(const std::string &note) {
  std::vector<std::string> classes;
  const json parsed = json::parse(note, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("classes") || !parsed["classes"].is_array())
    return classes;
  for (const auto &name : parsed["classes"]) {
    if (name.is_string()) classes.push_back(name);
  }
  return classes;
}

/// Missing library behind the dynamic loader's "libfoo.so.1: cannot open shared object file".
bool names_missing_library(const std::string &reason, const std::string &plugin) {
  return reason.find("cannot open shared object file") != std::string::npos &&
         reason.rfind(plugin + ": cannot open", 0) != 0;
}

class Discovery {
 public:
  Discovery(const Options &options, std::vector<Line> &story)
      : options_(options),
        story_(story),
        cache_(options.cache_dir.empty() ? user_cache_folder() : options.cache_dir),
        filter_(options.use_environment ? environment("BENCH_PLUGINS").value_or("") : ""),
        helper_(find_helper(options.helper_dir, "bench-probe")) {}

  std::vector<PluginRecord> run() {
    for (const Candidate &candidate : find_candidates(options_, story_)) {
      PluginRecord record;
      record.path = candidate.path;
      record.folder = candidate.folder;
      examine(record);
      records_.push_back(std::move(record));
    }
    cache_.save();
    settle_classes();
    return std::move(records_);
  }

 private:
  void tell(const char *line_code, std::uint32_t level, const std::string &path,
            const std::string &what, const std::string &hint = "") {
    story_.push_back({line_code, level, path, what, hint});
  }

  void end(PluginRecord &record, State state, const char *line_code, const std::string &reason,
           const std::string &hint) {
    record.state = state;
    record.code = line_code;
    record.reason = reason + (hint.empty() ? "" : " (" + hint + ")");
    const bool quiet = state == State::filtered || state == State::shadowed;
    tell(line_code, quiet ? BENCH_LOG_INFO : BENCH_LOG_WARNING, record.path, reason, hint);
  }

  void examine(PluginRecord &record) {
    const std::string device = device_of_file_name(record.path);
    if (!device.empty()) record.classes = {device};
    char *resolved = ::realpath(record.path.c_str(), nullptr);
    const std::string real = resolved ? resolved : record.path;
    ::free(resolved);
    struct stat status {};
    if (::stat(real.c_str(), &status) != 0) {
      return end(record, State::refused, code::not_elf,
                 std::string("cannot be examined: ") + ::strerror(errno),
                 "it may be a link to a file that is gone");
    }
    if (!inodes_.insert({status.st_dev, status.st_ino}).second)
      return end(record, State::shadowed, code::duplicate, "is the same file as one found before",
                 "");
    const ElfFile elf = inspect_elf(real);
    if (elf.fault)
      return end(record, State::refused, code::not_elf, elf.fault->what, elf.fault->hint);
    if (!options_.allow_world_writable) {
      if (const auto reason = untrusted(real))
        return end(record, State::refused, code::world_writable, "the file " + *reason,
                   switch_hint);
    }
    if (const auto classes = note_classes(elf.note); !classes.empty()) record.classes = classes;
    if (!allowed(record)) return;
    if (!elf.build_id.empty() && !build_ids_.insert(elf.build_id).second) {
      return end(record, State::shadowed, code::duplicate,
                 "is a copy of a plugin found before (same build-id)", "");
    }
    if (elf.note.empty())
      tell(code::no_note, BENCH_LOG_DEBUG, record.path, "carries no description",
           "its vendor can add BENCH_PLUGIN_NOTE, so that it is listed without being run");
    if (elf.static_tls)
      tell(code::static_tls, BENCH_LOG_DEBUG, record.path,
           "uses initial-exec thread-local storage: room for it may run out in a large process",
           "its vendor should build it with -ftls-model=global-dynamic");
    if (options_.notes_only) return take_note(record, elf.note);
    const auto key = probe_key(real, elf.note);
    if (key) {
      if (const auto known = cache_.find(*key)) {
        const json report = json::parse(*known, nullptr, false);
        // A damaged answer costs a probe, not the plugin.
        if (report.contains("code") || (report.contains("classes") && report.contains("devices"))) {
          tell(code::from_cache, BENCH_LOG_DEBUG, record.path, "known from an earlier probe");
          return take_report(record, report);
        }
      }
    }
    json report;
    if (!probe(record, real, report)) return;
    take_report(record, report);
    const bool negative = std::none_of(record.devices.begin(), record.devices.end(),
                                       [](const DeviceRecord &d) { return d.usable; });
    if (key)
      cache_.put(*key, report.dump(-1, ' ', false, json::error_handler_t::replace), negative);
  }

  void take_note(PluginRecord &record, const std::string &note) {
    const json parsed = json::parse(note, nullptr, false);
    if (!parsed.is_object()) {
      record.reason = "carries no description that can be read: only running it would tell more";
      return;
    }
    record.id = text_or(parsed, "id");
    record.version = text_or(parsed, "version");
    record.vendor = text_or(parsed, "vendor");
    record.reason = "described by its note, and not run";
  }

  bool allowed(PluginRecord &record) {
    if (filter_.empty() || record.classes.empty()) return true;
    const bool any = std::any_of(record.classes.begin(), record.classes.end(),
                                 [&](const std::string &name) { return filter_.allows(name); });
    if (!any) end(record, State::filtered, code::filtered, "left out by BENCH_PLUGINS", "");
    return any;
  }

  /// False if the record is at its end.
  bool probe(PluginRecord &record, const std::string &real, json &report) {
    ProbeResult result;
    if (!helper_.empty()) result = probe_in_child(helper_, real, options_.probe_timeout_ns);
    if (!result.started) {
      tell(code::no_helper, BENCH_LOG_INFO, record.path,
           "probed in this process: " +
               (helper_.empty() ? "bench-probe is not beside the core library" : result.failure),
           "install bench-probe beside libbench.so, so that a broken plugin costs only itself");
      return probe_here(record, real, report);
    }
    if (!result.printed.empty()) {
      tell(code::printed, BENCH_LOG_WARNING, record.path,
           "writes to stdout or stderr when it is loaded: \"" +
               result.printed.substr(0, result.printed.find('\n')) + "\"",
           "its vendor must use the host's log; the text would corrupt JSON output");
    }
    if (!result.failure_code.empty()) {
      end(record, State::failed, line_code(result.failure_code), result.failure,
          result.failure_hint);
      return false;
    }
    report = json::parse(result.report, nullptr, false);
    tell(code::probed, BENCH_LOG_DEBUG, record.path, "probed in a child process");
    return true;
  }

  bool probe_here(PluginRecord &record, const std::string &real, json &report) {
    ProcessGuard guard;
    const OpenResult opened = open_plugin_library(real);
    for (const std::string &changed : guard.restore()) {
      tell(code::state_changed, BENCH_LOG_WARNING, record.path,
           "changed this process when it was loaded: " + changed,
           "put back; report it to the plugin's vendor");
    }
    if (!opened.opened) {
      report = {{"code", code::open_failed}, {"reason", opened.reason}, {"hint", ""}};
    } else if (!opened.entry) {
      report = {{"code", code::no_entry},
                {"reason", "it does not export bench_plugin_v1"},
                {"hint", "build it with the SDK's version script, or it is no plugin"}};
    } else {
      report = probe_report(reinterpret_cast<bench_plugin_entry_v1>(opened.entry));
    }
    return true;
  }

  /// Codes from a report are compared by value: a Line keeps a string, end() a constant.
  static const char *line_code(const std::string &text) {
    static constexpr const char *known[] = {
        code::probe_crashed, code::probe_exited,       code::probe_hung,
        code::open_failed,   code::dependency_missing, code::no_entry,
        code::entry_refused, code::incompatible,       code::table_bad};
    for (const char *one : known) {
      if (text == one) return one;
    }
    return code::table_bad;
  }

  void take_report(PluginRecord &record, const json &report) {
    if (!report.is_object())
      return end(record, State::failed, code::probe_exited, "its probe gave no readable answer",
                 "report it to the plugin's vendor");
    if (report.contains("code")) return take_refusal(record, report);
    try {
      read_report(record, report);
    } catch (const std::exception &error) {
      record.devices.clear();
      return end(record, State::failed, code::table_bad,
                 std::string("its probe answered nonsense: ") + error.what(),
                 "report it to the plugin's vendor");
    }
    record.state = State::probed;
    if (!allowed(record)) return;
    if (!record.id.empty() && !ids_.insert(record.id).second) {
      record.devices.clear();
      return end(record, State::shadowed, code::duplicate,
                 "is a plugin found before (same id " + record.id + ")", "");
    }
  }

  void take_refusal(PluginRecord &record, const json &report) {
    std::string reason = text_or(report, "reason"), hint = text_or(report, "hint");
    const char *line = line_code(text_or(report, "code"));
    if (line == code::open_failed) {
      if (names_missing_library(reason, record.path)) {
        line = code::dependency_missing;
        hint =
            "install that library, or load it before; it is tried again in this process when the "
            "device is needed";
      } else if (reason.find("undefined symbol") != std::string::npos) {
        hint =
            "it was linked against other versions of its libraries, or not at all: its vendor must "
            "link with -z defs";
      } else {
        hint = "see the reason; libraries it needs are looked for as for any program";
      }
      reason = "cannot be loaded: " + reason;
    }
    end(record, State::failed, line, reason, hint);
  }

  void read_report(PluginRecord &record, const json &report) {
    record.id = text_or(report, "id");
    record.version = text_or(report, "version");
    record.vendor = text_or(report, "vendor");
    record.score = report.value("score", 0);
    record.classes.clear();
    for (const auto &one : report.at("classes")) {
      const std::string name = one.at("name");
      record.classes.push_back(name);
      record.class_types[name] = intern_class(name, one.at("type"));
      for (const auto &alias : one.at("aliases"))
        record.aliases.push_back(alias.get<std::string>() + "=" + name);
      for (const auto &type : one.at("memory_types"))
        record.memory_types[type.get<std::int32_t>()] = name;
    }
    if (report.contains("no_device")) {
      const std::string hint = text_or(report["no_device"], "hint");
      record.reason =
          text_or(report["no_device"], "reason") + (hint.empty() ? "" : " (" + hint + ")");
    }
    for (const auto &one : report.at("devices")) {
      DeviceRecord device;
      const std::string hex = one.at("info");
      std::vector<unsigned char> bytes(std::min(hex.size() / 2, sizeof device.info));
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
      std::memcpy(&device.info, bytes.data(), bytes.size());
      device.info.struct_size = sizeof device.info;
      device.class_name = text_of(device.info.class_name);
      if (device.class_name.empty() && record.classes.size() == 1)
        device.class_name = record.classes[0];
      device.plugin = record.path;
      device.usable = device.info.state == BENCH_OK;
      device.reason = one.contains("reason") ? text_or(one, "reason") : text_of(device.info.reason);
      const auto type = record.class_types.find(device.class_name);
      device.device = {
          type == record.class_types.end() ? one.at("type").get<std::int32_t>() : type->second,
          one.at("id").get<std::int32_t>()};
      device.info.device = device.device;
      record.devices.push_back(std::move(device));
    }
  }

  static bool usable_for(const PluginRecord &record, const std::string &name) {
    return record.state == State::probed &&
           std::any_of(record.devices.begin(), record.devices.end(),
                       [&](const DeviceRecord &d) { return d.usable && d.class_name == name; });
  }

  /// Search order decides; the score only within one folder. A plugin without a usable device
  /// shadows nobody.
  void settle_classes() {
    std::set<std::string> names;
    for (const PluginRecord &record : records_) {
      if (record.state == State::probed) names.insert(record.classes.begin(), record.classes.end());
    }
    std::map<const PluginRecord *, std::string> losses;
    std::set<const PluginRecord *> winners;
    for (const std::string &name : names) {
      std::vector<const PluginRecord *> claimants;
      for (const PluginRecord &record : records_) {
        if (usable_for(record, name)) claimants.push_back(&record);
      }
      std::stable_sort(
          claimants.begin(), claimants.end(), [](const PluginRecord *a, const PluginRecord *b) {
            return a->folder != b->folder ? a->folder < b->folder : a->score > b->score;
          });
      for (std::size_t i = 0; i < claimants.size(); ++i) {
        if (i == 0)
          winners.insert(claimants[i]);
        else
          losses[claimants[i]] = "class " + name + " is served by " + claimants[0]->path;
      }
      if (!claimants.empty())
        tell(code::chosen, BENCH_LOG_DEBUG, claimants[0]->path, "serves class " + name);
    }
    for (PluginRecord &record : records_) {
      if (record.state != State::probed || winners.count(&record)) continue;
      if (losses.count(&record)) {
        end(record, State::shadowed, code::shadowed, losses[&record],
            "put its folder earlier in BENCH_PLUGIN_PATH to prefer it");
      } else {
        record.code = code::no_device;
        if (record.reason.empty()) {
          for (const DeviceRecord &device : record.devices) {
            if (!device.reason.empty()) record.reason = device.reason;
          }
        }
        if (record.reason.empty()) record.reason = "no device of its class here";
        tell(code::no_device, BENCH_LOG_DEBUG, record.path, record.reason);
      }
    }
  }

  const Options &options_;
  std::vector<Line> &story_;
  ProbeCache cache_;
  ClassFilter filter_;
  std::string helper_;
  std::vector<PluginRecord> records_;
  std::set<std::pair<dev_t, ino_t>> inodes_;
  std::set<std::string> build_ids_, ids_;
};

}  // namespace

std::vector<PluginRecord> discover_plugins(const Options &options, std::vector<Line> &story) {
  return Discovery(options, story).run();
}

std::int32_t intern_class(const std::string &name, std::int32_t dlpack_type) {
  if (dlpack_type != BENCH_DEVICE_EXT) return dlpack_type;
  static auto *const mutex = new std::mutex;
  static auto *const numbers = new std::map<std::string, std::int32_t>;
  const std::lock_guard lock(*mutex);
  return numbers->emplace(name, first_interned + static_cast<std::int32_t>(numbers->size()))
      .first->second;
}

std::string find_helper(const std::string &folder, const char *program) {
  const std::string own = own_folder();
  std::vector<std::string> places;
  if (!folder.empty()) places.push_back(folder);
  // Beside libbench.so; for a program that holds the core itself, in the lib folder beside its own.
  else
    places = {own, own + "/../lib"};
  for (const std::string &place : places) {
    const std::string path = place + "/" + program;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

}  // namespace bench::loader
