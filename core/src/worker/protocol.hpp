// SPDX-License-Identifier: Apache-2.0
// What tuner and worker say to each other. A request is an object with "op"; a reply is an object,
// with "error" {status, what, where, hint, vendor_code, vendor_name} and perhaps "state" if it
// failed. Operations, what they take, what they give:
// - init: plugin, problem (text), origin, device ("cpu:0"), cold, isolated, engine, max_samples,
//   max_time_ns, relative_half_width, world_writable, pin_core (0 = none, n = core n - 1),
//   lock_clock_hz (0 = not)
// - compile: index, deadline_ns; binary, log, elapsed_ns
// - compile-reference: deadline_ns; binary, log, elapsed_ns
// - load: index, binary
// - unload: index
// - reference: binary (empty: contents come from files)
// - adopt: index
// - verify: index, pass; elapsed_ns
// - calibrate: index; launches
// - visit: index, samples, launches; samples, cost {warmup, flush, timed}, or stepped_down: true
// - load: index, binary; resources
// - measure: index, energy; the members of a measurement, telemetry {before, after}, energy
// - telemetry: the device's state now
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/error.hpp"
#include "bench/bench.h"
#include "bench/ext/kernel.h"
#include "measure/energy.hpp"
#include "measure/engine.hpp"
#include "measure/telemetry.hpp"

namespace bench::worker {

nlohmann::json error_json(const ErrorText &text);
ErrorText error_of(const nlohmann::json &error);
nlohmann::json policy_json(const measure::Policy &policy);
measure::Policy policy_of(const nlohmann::json &policy);
nlohmann::json measurement_json(const measure::Measurement &measurement);
/// What is known of a kernel's registers and memory; an empty object if nothing is.
nlohmann::json resources_json(const bench_kernel_resources_v1 &resources);
/// The device's state now, or null members with the reason.
nlohmann::json telemetry_json(const measure::Target &target);
nlohmann::json energy_json(const measure::Energy &energy);

/// The worker's main loop over an inherited descriptor, until the other end closes. Returns an exit
/// code.
int worker_main(int descriptor);

}  // namespace bench::worker
