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

}  // namespace bench::measure
