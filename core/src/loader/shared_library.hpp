// SPDX-License-Identifier: Apache-2.0
// Opens a plugin in this process. The one place that knows Boost.DLL.
#pragma once
#include <string>

namespace bench::loader {

struct OpenResult {
  void *entry = nullptr;  // bench_plugin_v1, NULL if absent
  bool opened = false;
  std::string reason;  // the system's own words if it could not be opened
};

/// Immediate and local; stays loaded for ever. `path` must be absolute.
OpenResult open_plugin_library(const std::string &path);

}  // namespace bench::loader
