// SPDX-License-Identifier: Apache-2.0
// Correct before fast: what the default configuration writes is the reference, and a configuration
// that writes something else cannot win. Also finds tensors that each launch changes although the
// caller did not say so.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/engine.hpp"
#include "tune/tuner_arguments.hpp"

namespace bench::tune {

/// Nothing if the bytes agree: floats within `tolerance` (0 = by type) of the larger of element and
/// root mean square, by a rule that a NaN fails; all else exactly.
std::optional<std::string> compare_outputs(const std::string &name, std::uint8_t dtype_code,
                                           std::uint8_t dtype_bits,
                                           const std::vector<std::byte> &actual,
                                           const std::vector<std::byte> &expected,
                                           double tolerance);

class TunerGate {
 public:
  TunerGate(TunerArguments &arguments, double tolerance)
      : arguments_(arguments), tolerance_(tolerance) {}

  /// Launches the reference and keeps what it wrote. Throws what the launch reports.
  void learn(measure::Session &session, const bench_callable_v1 &callable,
             const bench_config_v1 *config);
  /// Launches `config`; what is wrong with its outputs, or nothing.
  std::optional<std::string> check(measure::Session &session, const bench_callable_v1 &callable,
                                   const bench_config_v1 *config);
  bool learned() const { return learned_; }

 private:
  void launch(measure::Session &session, const bench_callable_v1 &callable,
              const bench_config_v1 *config);
  TunerArguments &arguments_;
  const double tolerance_;
  bool learned_ = false;
  std::vector<std::vector<std::byte>> expected_;
};

/// Names of unmarked tensors that a second launch changes once more: an accumulation in place. What
/// merely is an output reads the same after the second.
std::vector<std::string> changed_by_each_launch(TunerArguments &arguments,
                                                measure::Session &session,
                                                const bench_callable_v1 &callable,
                                                const bench_config_v1 *config);

}  // namespace bench::tune
