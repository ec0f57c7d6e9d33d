// SPDX-License-Identifier: Apache-2.0
#include "loader/search_path.hpp"

#include <algorithm>
#include <filesystem>

#include "loader/diagnostics.hpp"
#include "loader/environment.hpp"

namespace bench::loader {
namespace {

namespace fs = std::filesystem;

#ifndef BENCH_DEFAULT_LIBDIR
#define BENCH_DEFAULT_LIBDIR "/usr/local/lib"
#endif
constexpr const char *plugin_folder = "bench/plugins-1";  // 1: the ABI's major

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::string::size_type at = 0;
  while (at <= text.size()) {
    const auto end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> elements(const Options &options, std::vector<Line> &story) {
  std::vector<std::string> result = options.paths;
  const bool elevated = process_is_elevated();
  const auto from_environment = [&](const char *name) -> std::optional<std::string> {
    if (!options.use_environment) return std::nullopt;
    if (elevated) {
      story.push_back({code::environment_ignored, BENCH_LOG_INFO, name,
                       "ignored: this process runs elevated", "name plugins through the API"});
      return std::nullopt;
    }
    return environment(name);
  };
  if (const auto path = from_environment("BENCH_PLUGIN_PATH")) {
    for (auto &element : split(*path, ':')) result.push_back(element);
  }
  if (const auto system = from_environment("BENCH_PLUGIN_SYSTEM_PATH")) {
    for (auto &element : split(*system, ':')) result.push_back(element);
    return result;  // replaces the defaults; empty = none
  }
  const std::string beside = options.core_dir ? *options.core_dir : own_folder();
  if (!beside.empty()) result.push_back(beside + "/" + plugin_folder);
  const std::string libdir = options.libdir ? *options.libdir : BENCH_DEFAULT_LIBDIR;
  if (!libdir.empty() && libdir != beside) result.push_back(libdir + "/" + plugin_folder);
  return result;
}

}  // namespace

std::string device_of_file_name(const std::string &path) {
  const std::string name = fs::path(path).filename().string();
  constexpr const char *prefix = "libbench_";
  constexpr const char *suffix = ".so";
  if (name.size() <= 12 || name.rfind(prefix, 0) != 0 ||
      name.compare(name.size() - 3, 3, suffix) != 0)
    return "";
  const std::string device = name.substr(9, name.size() - 12);
  const bool good = std::all_of(device.begin(), device.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return good ? device : "";
}

std::vector<Candidate> find_candidates(const Options &options, std::vector<Line> &story) {
  std::vector<Candidate> candidates;
  const std::vector<std::string> order = elements(options, story);
  for (std::size_t folder = 0; folder < order.size(); ++folder) {
    const std::string &element = order[folder];
    if (element.front() != '/') {
      story.push_back({code::element_relative, BENCH_LOG_WARNING, element,
                       "refused: search path elements must be absolute",
                       "write the whole path, beginning with /"});
      continue;
    }
    std::error_code error;
    const auto status = fs::status(element, error);
    if (!fs::exists(status)) {
      story.push_back({code::folder_absent, BENCH_LOG_DEBUG, element, "is not there", ""});
      continue;
    }
    if (!fs::is_directory(status)) {
      candidates.push_back({element, folder});
      story.push_back({code::searched, BENCH_LOG_DEBUG, element, "named as a file", ""});
      continue;
    }
    if (const auto reason = untrusted(element); reason && !options.allow_world_writable) {
      story.push_back({code::world_writable, BENCH_LOG_WARNING, element,
                       "refused: the folder " + *reason,
                       "run chmod o-w on it, or pass --allow-world-writable "
                       "(BENCH_CONTEXT_ALLOW_WORLD_WRITABLE) where a container mounts it so"});
      continue;
    }
    std::vector<std::string> names;
    for (const auto &entry :
         fs::directory_iterator(element, fs::directory_options::skip_permission_denied, error)) {
      if (!device_of_file_name(entry.path().string()).empty())
        names.push_back(entry.path().string());
    }
    // The system's order is random: two runs would choose different plugins.
    std::sort(names.begin(), names.end());
    story.push_back({code::searched, BENCH_LOG_DEBUG, element,
                     "searched: " + std::to_string(names.size()) +
                         (names.size() == 1 ? " plugin file" : " plugin files"),
                     ""});
    for (auto &name : names) candidates.push_back({name, folder});
  }
  return candidates;
}

ClassFilter::ClassFilter(const std::string &text) {
  for (std::string name : split(text, ',')) {
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    if (name.empty()) continue;
    if (name[0] == '-')
      denied_.push_back(name.substr(1));
    else
      allowed_.push_back(name);
  }
}

bool ClassFilter::allows(const std::string &class_name) const {
  const auto has = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), class_name) != names.end();
  };
  if (has(denied_)) return false;
  return allowed_.empty() || has(allowed_) ||
         std::find(allowed_.begin(), allowed_.end(), "*") != allowed_.end();
}

}  // namespace bench::loader
