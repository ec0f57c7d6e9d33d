// SPDX-License-Identifier: Apache-2.0
// The state of the device around a measurement, where its plugin can tell.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/ext/telemetry.h"
#include "measure/engine.hpp"

namespace bench::measure {

/// Nothing where the plugin has no telemetry or cannot read it now; `reason` then says why.
std::optional<bench_telemetry_v1> read_telemetry(const Target &target, std::string &reason);

/// "power", "thermal", "hardware", "user", "other": why a clock is below what was asked for. Idle
/// is no such reason.
std::vector<std::string> throttle_names(std::uint32_t throttle);

struct Energy {
  std::optional<double> joules_per_launch;
  std::optional<double> busy_watts;
  std::optional<double> idle_watts;  // before, with nothing to do
  std::uint64_t launches = 0;
  std::string reason;  // why there is no figure
};

/// From the device's energy counter over at least half a second of windows of `launches` launches,
/// from one step of the counter to another. Throws what the callable reports; SteppedDown.
/// `is_partition`: the counter is of a larger device.
Energy measure_energy(Session &session, const Target &target, const bench_callable_v1 &callable,
                      std::uint32_t launches, bool is_partition);

}  // namespace bench::measure
