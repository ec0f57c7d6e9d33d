// SPDX-License-Identifier: Apache-2.0
// A folder that goes away, and records to store in it.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "store/store.hpp"

namespace store_support {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bench-store-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path file() const { return path_ / "store.db"; }
  const std::filesystem::path &path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Collects the log's lines.
struct Lines {
  std::vector<std::string> lines;
  bench::Log log{[](void *user, std::uint32_t, const char *message) {
                   static_cast<Lines *>(user)->lines.emplace_back(message);
                 },
                 this, ""};
  bool mention(const std::string &text) const {
    for (const std::string &line : lines) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

inline bench::store::Identity identity() {
  return {"gemm", "tile in 16,32", "f32", "gpu/sm_90/132", "sim/1", "warm"};
}

inline bench::store::Environment environment(const std::string &driver = "550") {
  return {driver, "nvrtc 12", "12.4", "cpu x"};
}

inline bench::store::Entry entry(std::uint64_t index) {
  bench::store::Entry made;
  made.index = index;
  made.configuration = "{\"tile\":" + std::to_string(index) + "}";
  made.state = "measured";
  made.median_ns = 100.125 + static_cast<double>(index);
  made.interval_ns = bench::store::Interval{99.5, 101.5};
  made.samples = 30;
  made.verified = true;
  return made;
}

inline bench::store::Tuned tuned(const std::string &driver = "550") {
  bench::store::Tuned made;
  made.identity = identity();
  made.environment = environment(driver);
  made.key = "n=1024";
  made.entries = {entry(1), entry(2)};
  made.winner = entry(1).configuration;
  made.default_configuration = entry(2).configuration;
  made.tie_set = {entry(1).configuration};
  made.stop_reason = "separated";
  made.eps_reached = 0.01;
  made.delta = 0.05;
  made.created_utc = "2026-01-02T03:04:05Z";
  made.raw_json = "{}";
  return made;
}

inline std::string contents(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void overwrite(const std::filesystem::path &file, const std::string &bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace store_support
