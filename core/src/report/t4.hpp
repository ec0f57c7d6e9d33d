// SPDX-License-Identifier: Apache-2.0
// Results in the T4 format, version 1.0.0, which other tuners and their tools read. What T4 has no
// field for is in the member "x-bench".
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench::report {

struct T4Candidate {
  std::uint64_t index = 0;
  std::string configuration;  ///< JSON object as text, names to values
  std::string state;          ///< name of the end state
  std::optional<double> median_ns;
  std::optional<std::pair<double, double>> interval_ns;
  std::optional<double> joules;  ///< per launch
  std::vector<double> runtimes_ns;
  std::uint64_t samples = 0;
  std::optional<double> compile_ns, framework_ns, search_ns, validation_ns;
  std::string timestamp;  ///< UTC, ISO 8601; may be empty
  std::string error;
  bool verified = false;
  std::string details;  ///< JSON object: further members of its row in x-bench; empty: none
};

/// Absent: not measured on this path; the document then says `absent_reason`.
struct T4Cost {
  std::optional<double> compile_s, warmup_s, flush_s, timed_s, idle_s, total_s;
};

struct T4Input {
  std::vector<T4Candidate> candidates;
  std::optional<std::uint64_t> space_raw, space_valid;
  std::string winner, default_configuration;  ///< configuration texts; empty: none
  std::vector<std::string> tie_set;
  std::string objective = "time";  ///< or "energy"
  std::string stop_reason;
  std::uint64_t measured = 0;
  bool from_store = false;
  T4Cost cost;
  std::string absent_reason = "not recorded";
  std::string metadata_text = "{}";  ///< JSON object: hardware, environment
  std::string extras_text = "{}";    ///< JSON object: further members of x-bench
};

/// Throws Failure for texts that are no JSON object and for unknown states. Times are in
/// milliseconds in T4's members, as its other writers have them, and in ns in x-bench.
nlohmann::json t4_document(const T4Input &input);

/// T4's word for an end state; nullptr where T4 has none: never run, so not among the results.
const char *t4_invalidity(const std::string &state);

}  // namespace bench::report
