// SPDX-License-Identifier: Apache-2.0
// What tuner and worker say to each other. A request is an object with "op"; a reply is an object
// that has "error" {status, what, where, hint, vendor_code, vendor_name} and perhaps "state" when
// it failed.
//
//   init       plugin, problem (text), origin, device ("cpu:0"), policy {kind, engine},
//   world_writable compile    index            -> binary, log, elapsed_ns compile-reference ->
//   binary, log, elapsed_ns load       index, binary unload     index reference  binary (may be
//   empty: contents come from files) adopt      index verify     index calibrate  index -> launches
//   visit      index, samples, launches -> samples, cost {warmup, flush, timed}
//   measure    index            -> the members of a measurement
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/error.hpp"
#include "bench/bench.h"
#include "measure/engine.hpp"

namespace bench::worker {

nlohmann::json error_json(const ErrorText &text);
ErrorText error_of(const nlohmann::json &error);
measure::Policy policy_of(const bench_policy_v1 *policy);
nlohmann::json measurement_json(const measure::Measurement &measurement);

/// The worker's main loop over an inherited descriptor, until the other end closes. Returns an exit
/// code.
int worker_main(int descriptor);

}  // namespace bench::worker
