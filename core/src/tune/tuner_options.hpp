// SPDX-License-Identifier: Apache-2.0
// A tuner's options, checked and copied: the caller's structs live only during bench_tuner_create.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "dispatch/key.hpp"
#include "measure/engine.hpp"

namespace bench::tune {

/// A configuration with everything that it points to.
class OwnedConfig {
 public:
  OwnedConfig(const bench_config_v1 &source, std::uint64_t index);
  OwnedConfig(const OwnedConfig &) = delete;  // raw() points into it
  OwnedConfig &operator=(const OwnedConfig &) = delete;

  const bench_config_v1 &raw() const { return raw_; }
  /// "tile=32, mode=\"nt\"": identifies the configuration in the store; "#3" for one without names.
  const std::string &label() const { return label_; }
  void distinguish() { label_ += " #" + std::to_string(raw_.index); }

 private:
  bench_config_v1 raw_{};
  std::vector<std::string> names_, texts_;
  std::vector<const char *> name_pointers_;
  std::vector<bench_value_v1> values_;
  std::vector<const bench_value_v1 *> value_pointers_;
  std::string label_;
};

struct TunerOptions {
  /// Throws INVALID_ARGUMENT with the value given and what was expected.
  explicit TunerOptions(const bench_tuner_options_v1 &options);

  std::string name;
  std::vector<std::unique_ptr<OwnedConfig>> configs;
  dispatch::KeyLayout layout;
  measure::Policy policy;
  std::string device_name;  ///< empty: the arguments decide
  std::uint32_t default_config = 0;
  std::uint32_t flags = 0;
  double eps = 0, delta = 0, switch_margin = 0;
  std::int64_t max_time_ns = 0;
  std::uint64_t space_hash = 0;  ///< of all labels, in order
  std::uint32_t mode = BENCH_TUNER_MODE_FULL;
  std::uint32_t pinned_config = 0;
  /// One per argument: put back, zeroed, before each window.
  std::vector<std::uint8_t> restored, zeroed;
  std::uint32_t top_count = 0;
  double top_fraction = 0;
  std::uint64_t saved_bytes_limit = 0;  ///< 0 = none
  double tolerance = 0;                 ///< 0 = by data type
  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

}  // namespace bench::tune
