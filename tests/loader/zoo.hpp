// SPDX-License-Identifier: Apache-2.0
// The bad plugins, and a loader that sees nothing but a folder of the test's.
#pragma once
#include <filesystem>
#include <string>

#include "loader/registry.hpp"
#include "temp_dir.hpp"

namespace bench::test {

inline std::filesystem::path animal(const std::string &kind) {
  return std::filesystem::path(BENCH_TEST_BINARY_DIR) / "tests/zoo" / kind /
         ("libbench_" + kind + ".so");
}

/// A folder of plugins that only its owner may write.
class Zoo {
 public:
  Zoo() { std::filesystem::create_directories(plugins()); }
  std::filesystem::path plugins() const { return folder.path() / "plugins"; }
  std::filesystem::path admit(const std::string &kind) const {
    return admit(kind, "libbench_" + kind + ".so");
  }
  std::filesystem::path admit(const std::string &kind, const std::string &name) const {
    const auto target = plugins() / name;
    std::filesystem::copy_file(animal(kind), target);
    return target;
  }
  loader::Options options() const {
    loader::Options options;
    options.paths = {plugins().string()};
    options.use_environment = false;
    options.core_dir = options.libdir = "";
    options.cache_dir = (folder.path() / "cache").string();
    options.helper_dir = BENCH_TEST_BINARY_DIR "/lib";
    options.probe_timeout_ns = 1'000'000'000;
    return options;
  }
  TempDir folder;
};

inline const loader::PluginRecord *find(const std::vector<loader::PluginRecord> &records,
                                        const std::string &name) {
  for (const auto &record : records) {
    if (std::filesystem::path(record.path).filename() == name) return &record;
  }
  return nullptr;
}

}  // namespace bench::test
