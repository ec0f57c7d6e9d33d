// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for, in order, and the files found there.
#pragma once
#include <string>
#include <vector>

#include "loader/registry.hpp"

namespace bench::loader {

struct Candidate {
  std::string path;
  std::size_t folder = 0;  // position of its element in the search order
};

/// Files named libbench_<device>.so, sorted by bytes in each folder, not recursive. Lines tell what
/// was looked at and what was refused.
std::vector<Candidate> find_candidates(const Options &options, std::vector<Line> &story);

/// "npu" from ".../libbench_npu.so"; empty if the name is of another pattern.
std::string device_of_file_name(const std::string &path);

/// BENCH_PLUGINS: "cuda,-hip". Any positive name makes it an allow-list.
class ClassFilter {
 public:
  explicit ClassFilter(const std::string &text);
  bool allows(const std::string &class_name) const;
  bool empty() const { return allowed_.empty() && denied_.empty(); }

 private:
  std::vector<std::string> allowed_, denied_;
};

}  // namespace bench::loader
