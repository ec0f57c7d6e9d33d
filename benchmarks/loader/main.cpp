// SPDX-License-Identifier: Apache-2.0
// What the loader costs: the probe of one trivial plugin in a child, the guard of the process's
// state around a load, and the search where 200 plugins lie in a folder: the first time, when each
// is probed in a child, and later, when all are known. The file judged 200 times is one plugin with
// the number in its names and its build-id written over, so that none is a copy of another.
#include <elf.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support.hpp"
#include "loader/diagnostics.hpp"
#include "loader/probe.hpp"
#include "loader/process_guard.hpp"
#include "loader/registry.hpp"

namespace {

namespace fs = std::filesystem;
using bench::loader::Registry;
using nlohmann::json;

constexpr int plugins = 200;
constexpr int repeats = 30;
constexpr double microseconds_per_ms = 1e3;
const std::string place_holder = "device_000";

/// Where the build-id's bytes lie, from the file's note segments.
std::pair<std::size_t, std::size_t> find_build_id(const std::string &bytes) {
  const auto read = [&](auto &value, std::size_t at) {
    if (at + sizeof value > bytes.size()) throw std::runtime_error("the plugin is cut short");
    std::memcpy(&value, bytes.data() + at, sizeof value);
  };
  Elf64_Ehdr header;
  read(header, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    read(segment, header.e_phoff + i * sizeof segment);
    if (segment.p_type != PT_NOTE) continue;
    for (std::size_t at = segment.p_offset; at < segment.p_offset + segment.p_filesz;) {
      Elf64_Nhdr note;
      read(note, at);
      const std::size_t text = at + sizeof note + ((note.n_namesz + 3u) & ~3u);
      if (note.n_type == NT_GNU_BUILD_ID && bytes.compare(at + sizeof note, sizeof ELF_NOTE_GNU,
                                                          ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
        return {text, note.n_descsz};
      at = text + ((note.n_descsz + 3u) & ~3u);
    }
  }
  throw std::runtime_error("the plugin has no build-id");
}

void write_copies(const fs::path &folder) {
  std::ifstream file(BENCH_LOADER_PLUGIN, std::ios::binary);
  const std::string original{std::istreambuf_iterator<char>(file), {}};
  const auto [id_at, id_size] = find_build_id(original);
  for (int number = 0; number < plugins; ++number) {
    char name[16];
    std::snprintf(name, sizeof name, "device_%03d", number);
    std::string copy = original;
    for (auto at = copy.find(place_holder); at != std::string::npos;
         at = copy.find(place_holder, at + 1))
      copy.replace(at, place_holder.size(), name);
    std::memcpy(copy.data() + id_at, &number, std::min(id_size, sizeof number));
    std::ofstream(folder / ("libbench_" + std::string(name) + ".so"), std::ios::binary) << copy;
  }
}

struct Search {
  double milliseconds = 0;
  std::ptrdiff_t probed = 0, from_cache = 0, usable = 0;
};

Search search(const bench::loader::Options &options) {
  Search result;
  Registry registry(options);
  const auto start = std::chrono::steady_clock::now();
  registry.discover();
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const auto story = registry.story();
  const auto count = [&](const char *code) {
    return std::count_if(story.begin(), story.end(),
                         [&](const auto &line) { return line.code == code; });
  };
  result.probed = count(bench::loader::code::probed);
  result.from_cache = count(bench::loader::code::from_cache);
  const auto devices = registry.devices();
  result.usable = std::count_if(devices.begin(), devices.end(),
                                [](const auto &device) { return device.usable; });
  return result;
}

/// A figure for another thing than it says is worse than none.
void demand(bool good, const char *what) {
  if (!good) throw std::runtime_error(what);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Median, least and most of `repeats` times.
template <typename Body>
json timed(Body &&body, double scale, const std::string &unit) {
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    body();
    times.push_back(milliseconds_since(start) * scale);
  }
  std::sort(times.begin(), times.end());
  return {{"median_" + unit, times[times.size() / 2]},
          {"minimum_" + unit, times.front()},
          {"maximum_" + unit, times.back()}};
}

/// A child started, the plugin loaded, listed and told of, the answer read.
void probe_one() {
  constexpr std::int64_t limit_ns = 5'000'000'000;
  const auto result = bench::loader::probe_in_child(
      std::string(BENCH_LOADER_HELPERS) + "/bench-probe", BENCH_LOADER_PLUGIN, limit_ns);
  demand(result.started && result.failure_code.empty() && !result.report.empty(),
         "the probe gave no answer");
}

void guard_once() {
  demand(bench::loader::ProcessGuard().restore().empty(), "the guard saw a change");
}

int run(const fs::path &folder) {
  bench::loader::Options options;
  fs::create_directory(folder / "plugins");
  write_copies(folder / "plugins");
  options.paths = {(folder / "plugins").string()};
  options.use_environment = false;
  options.core_dir = options.libdir = "";
  options.cache_dir = (folder / "cache").string();
  options.helper_dir = BENCH_LOADER_HELPERS;
  const Search cold = search(options);
  demand(cold.probed == plugins && cold.usable == plugins, "the first search did not probe each");
  std::vector<double> warm;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Search known = search(options);
    demand(known.probed == 0 && known.from_cache == plugins && known.usable == plugins,
           "a later search did not know each");
    warm.push_back(known.milliseconds);
  }
  std::sort(warm.begin(), warm.end());
  std::cout << json{{"benchmark", "loader"},
                    {"machine", benchmarks::machine()},
                    {"commit", benchmarks::commit()},
                    {"plugins", plugins},
                    {"repeats", repeats},
                    {"cold",
                     {{"milliseconds", cold.milliseconds}, {"child_processes", cold.probed}}},
                    {"one_probe_in_a_child", timed(probe_one, 1.0, "ms")},
                    {"process_state_guard", timed(guard_once, microseconds_per_ms, "us")},
                    {"warm",
                     {{"median_ms", warm[warm.size() / 2]},
                      {"minimum_ms", warm.front()},
                      {"maximum_ms", warm.back()},
                      {"child_processes", 0}}}}
                   .dump(1)
            << "\n";
  return 0;
}

}  // namespace

int main() {
  std::string pattern = (fs::temp_directory_path() / "bench-loader-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return 1;
  int status = 1;
  try {
    status = run(pattern);
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
  }
  fs::remove_all(pattern);
  return status;
}
