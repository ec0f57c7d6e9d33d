// SPDX-License-Identifier: Apache-2.0
// Asks a plugin what it is, in a child process.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace bench::loader {

struct ProbeResult {
  bool started = false;      // false: no helper here; `failure` says why
  std::string report;        // JSON of probe_report(), if the child gave one
  std::string failure_code;  // how the child ended instead
  std::string failure;
  std::string failure_hint;
  std::string printed;  // what the plugin wrote to stdout or stderr, cut
};

ProbeResult probe_in_child(const std::string &helper, const std::string &plugin,
                           std::int64_t timeout_ns);

}  // namespace bench::loader
