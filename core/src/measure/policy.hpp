// SPDX-License-Identifier: Apache-2.0
// What a caller wants measured, and how hard to try.
#pragma once
#include <cstdint>
#include <string>

#include "bench/bench.h"

namespace bench::measure {

enum class CachePolicy { hot, cold };

/// How windows are timed, where a user wants it named instead of chosen.
enum class Method { automatic, event, gate, graph, profiler };
/// "auto", "event", ...
const char *method_name(Method method);

/// What is to be estimated, and how hard to try. `text` is part of every key.
struct Policy {
  CachePolicy cache = CachePolicy::hot;
  bool isolated = false;    // windows of one launch, for percentiles and latencies
  bool use_engine = false;  // also where the plugin has its own do_bench
  Method method = Method::automatic;
  double relative_half_width = 0.005;
  std::uint32_t min_samples = 10;
  std::uint32_t max_samples = 1000;
  std::int64_t max_time_ns = 200'000'000;    // warm-up, flushes and pauses included
  std::int64_t max_warmup_ns = 100'000'000;  // of it

  /// "back-to-back", "isolated-hot", "isolated-cold"; "+engine" where that overrides the plugin,
  /// "+gate" and so on where the method is named.
  std::string text() const;
};

/// Of the public struct; NULL: the default. Failure that names what it cannot be.
Policy policy_of(const bench_policy_v1 *given);

}  // namespace bench::measure
