// SPDX-License-Identifier: Apache-2.0
// A cold key: asks the store, races the configurations on the device, keeps what came out.
#pragma once
#include <string>

#include "bench/bench.h"
#include "tune/tuner.hpp"

namespace bench::tune {

struct TuneRequest {
  const Surroundings &surroundings;
  const TunerOptions &options;
  bench_device_v1 device;
  std::string device_tag;
  std::string key_text;
  std::string dtypes_text;
  const bench_call_v1 &call;
};

/// The choice and its report; hash and key stay to be filled. Throws NO_VALID_CONFIG with a count
/// per reason, or the device's own failure.
Choice tune_key(const TuneRequest &request);

}  // namespace bench::tune
