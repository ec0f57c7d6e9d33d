// SPDX-License-Identifier: Apache-2.0
// Who races: the caller's early pruning, then the cheapest by the caller's model.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "bench/bench.h"
#include "tune/tuner_options.hpp"

namespace bench::tune {

struct Candidates {
  std::vector<std::size_t> kept;    ///< positions in the options' configurations, ascending
  std::vector<std::size_t> pruned;  ///< the others
  /// The one that is left only for a proven gain: the options' default, or the first kept.
  std::size_t default_config = 0;
};

/// Throws NO_VALID_CONFIG where nothing is kept, and a callback's own failure.
Candidates choose_candidates(const TunerOptions &options, const bench_tune_callbacks_v1 *callbacks);

}  // namespace bench::tune
