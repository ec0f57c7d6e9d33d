// SPDX-License-Identifier: Apache-2.0
// A cold key: asks the store, races the configurations on the device, keeps what came out.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "tune/race.hpp"
#include "tune/tuner.hpp"
#include "tune/tuner_device.hpp"

namespace bench::tune {

struct TuneRequest {
  const Surroundings &surroundings;
  const TunerOptions &options;
  bench_device_v1 device;
  std::string device_tag;
  std::string key_text;
  std::string dtypes_text;
  const bench_call_v1 &call;
  const bench_argument_v1 *const *arguments;
  /// Left only for a proven gain: the options' own, unless that was pruned.
  std::size_t default_config;
};

/// The choice and its report; hash and key stay to be filled. Throws NO_VALID_CONFIG with a count
/// per reason, or the device's own failure.
Choice tune_key(TuneRequest request);
/// What the store says, or the default: nothing is launched.
Choice recall_key(const TuneRequest &request);

struct Outcome {
  RaceResult result;
  nlohmann::json report;
  bool lost = false;
};
/// One race over `candidates`, arguments put back at its end. Throws CANCELLED.
Outcome race_candidates(const TuneRequest &request, DeviceUse &device,
                        const std::vector<std::size_t> &candidates, bool is_short);
/// Keeps the outcome in the store if there is one; the choice and its report.
Choice settle(const TuneRequest &request, const DeviceUse &device,
              const std::vector<std::size_t> &candidates, Outcome &outcome);
/// "tuned 'gemm/1' for n=64 on cuda:0 in 0.12 s: tile=32, 1.2 us", for the log.
void announce(const TuneRequest &request, const Choice &choice, double seconds);

}  // namespace bench::tune
