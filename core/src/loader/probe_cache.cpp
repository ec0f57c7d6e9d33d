// SPDX-License-Identifier: Apache-2.0
#include "loader/probe_cache.hpp"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "loader/environment.hpp"

#ifndef BENCH_VERSION
#define BENCH_VERSION "0"
#endif

extern char **environ;

namespace bench::loader {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int64_t negative_seconds = 600;
constexpr int format = 1;

std::int64_t wall_seconds() {
  return static_cast<std::int64_t>(::time(nullptr));
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

/// Variables by which users hide devices from drivers or show where a driver is, and those that the
/// plugin names in its note.
std::string environment_stamp(const std::string &note) {
  std::map<std::string, std::string> relevant;
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (name.find("VISIBLE_DEVICES") != std::string::npos ||
        name.find("AFFINITY_MASK") != std::string::npos || name == "LD_LIBRARY_PATH")
      relevant[name] = text;
  }
  const json parsed = json::parse(note, nullptr, false);
  if (parsed.is_object() && parsed.contains("env") && parsed["env"].is_array()) {
    for (const auto &name : parsed["env"]) {
      if (!name.is_string()) continue;
      const char *value = ::secure_getenv(name.get<std::string>().c_str());
      relevant[name.get<std::string>()] = value ? value : "";
    }
  }
  std::string stamp;
  for (const auto &[name, text] : relevant) stamp += name + "=" + text + ";";
  return stamp;
}

/// json::value() throws where the type is another one: a damaged file would end the program.
std::int64_t integer_or_zero(const json &object, const char *name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool is_text(const json &object, const char *name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string();
}

}  // namespace

std::optional<ProbeKey> probe_key(const std::string &path, const std::string &note) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  static const std::string boot = boot_id();
  std::ostringstream stamp;
  stamp.imbue(std::locale::classic());
  stamp << status.st_dev << ' ' << status.st_ino << ' ' << status.st_size << ' '
        << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec << ' ' << BENCH_VERSION << ' '
        << boot << ' ' << environment_stamp(note);
  return ProbeKey{path, stamp.str()};
}

struct ProbeCache::Implementation {
  std::string file;
  json entries = json::object();
  bool changed = false;
};

ProbeCache::ProbeCache(const std::string &folder)
    : implementation_(std::make_unique<Implementation>()) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  // Somebody else's folder, or one that others may write, must not tell us about plugins.
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & 022))
    return;
  implementation_->file = folder + "/probes.json";
  std::ifstream stream(implementation_->file, std::ios::binary);
  if (!stream) return;
  const json document = json::parse(stream, nullptr, false);
  if (document.is_object() && integer_or_zero(document, "format") == format &&
      document.contains("entries") && document["entries"].is_object()) {
    implementation_->entries = document["entries"];
  }
}

ProbeCache::~ProbeCache() = default;

std::optional<std::string> ProbeCache::find(const ProbeKey &key) const {
  const auto found = implementation_->entries.find(key.path);
  if (found == implementation_->entries.end() || !found->is_object()) return std::nullopt;
  if (!is_text(*found, "stamp") || !is_text(*found, "report") || (*found)["stamp"] != key.stamp ||
      !found->contains("expires") || !(*found)["expires"].is_number_integer())
    return std::nullopt;
  const std::int64_t expires = integer_or_zero(*found, "expires");
  const std::int64_t now = wall_seconds();
  // A clock set back must not keep a negative answer alive for years.
  if (expires != 0 && (now >= expires || expires > now + negative_seconds)) return std::nullopt;
  return (*found)["report"].get<std::string>();
}

void ProbeCache::put(const ProbeKey &key, const std::string &report, bool negative) {
  implementation_->entries[key.path] = {
      {"stamp", key.stamp},
      {"report", report},
      {"expires", negative ? wall_seconds() + negative_seconds : 0}};
  implementation_->changed = true;
}

void ProbeCache::save() {
  if (!implementation_->changed || implementation_->file.empty()) return;
  implementation_->changed = false;
  for (auto entry = implementation_->entries.begin(); entry != implementation_->entries.end();) {
    std::error_code error;
    entry =
        fs::exists(entry.key(), error) ? std::next(entry) : implementation_->entries.erase(entry);
  }
  const std::string temporary = implementation_->file + "." + std::to_string(::getpid());
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << json{{"format", format}, {"entries", implementation_->entries}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
    stream.flush();
    if (!stream) {
      ::unlink(temporary.c_str());  // a full disk costs the next start a probe, nothing else
      return;
    }
  }
  if (::rename(temporary.c_str(), implementation_->file.c_str()) != 0) ::unlink(temporary.c_str());
}

}  // namespace bench::loader
