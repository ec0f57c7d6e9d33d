// SPDX-License-Identifier: Apache-2.0
// Judges and probes the files on the search path, and decides which plugin serves which class.
#pragma once
#include <vector>

#include "loader/registry.hpp"

namespace bench::loader {

/// One record a file, in search order, and the lines that tell why.
std::vector<PluginRecord> discover_plugins(const Options &options, std::vector<Line> &story);

/// The number of a class in this process: `dlpack_type`, or for BENCH_DEVICE_EXT one from 65536 up,
/// the same for a name in all contexts.
std::int32_t intern_class(const std::string &name, std::int32_t dlpack_type);

/// Where bench-probe and bench-worker lie. Empty if nowhere.
std::string find_helper(const std::string &folder, const char *program);

}  // namespace bench::loader
