// SPDX-License-Identifier: Apache-2.0
// bench-plugin-check: one named check for each rule, each run in a process of its own. Needs the
// SDK's headers only.
#pragma once
#include <bench/plugin_v1_layout.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

/// Ends a check: the rule is broken.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Ends a check: it has nothing to look at here, or cannot look.
struct NotHere : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Ends a check: no rule is broken, but the vendor should know.
struct Doubtful : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool good, const std::string &otherwise) {
  if (!good) throw Broken(otherwise);
}

struct Options {
  std::string plugin;  // absolute path
  std::uint64_t seed = 1;
  int time_limit_s = 10;  // of one check
};

struct Check {
  const char *name;      // group.rule, as in docs/vendors.md
  const char *sentence;  // what it proves
  void (*run)(const Options &options);
};

const std::vector<Check> &static_checks();
const std::vector<Check> &load_checks();
const std::vector<Check> &table_checks();
const std::vector<Check> &device_checks();
const std::vector<Check> &measure_checks();
const std::vector<Check> &stream_checks();
const std::vector<Check> &lifecycle_checks();

/// All of them, in the order in which they run.
std::vector<Check> all_checks();

}  // namespace check
