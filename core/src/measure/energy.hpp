// SPDX-License-Identifier: Apache-2.0
// What a launch takes of the device's energy, by the counter of its plugin's telemetry.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "measure/engine.hpp"

namespace bench::measure {

struct Energy {
  std::optional<double> joules_per_launch;
  std::optional<double> busy_watts;
  std::optional<double> idle_watts;  ///< before, with nothing to do
  /// Of the time that the counter covers: inside windows. What is missing is idle power.
  std::optional<double> busy_share;
  std::optional<double> launch_ns;  ///< of the same windows, mean
  std::uint64_t launches = 0;
  std::string reason;  ///< why there is no figure
};

struct EnergyOptions {
  std::uint32_t launches = 1;  ///< of a window, at least
  /// A step is seen up to 10 ms late: of a second that is 1 %.
  std::int64_t busy_ns = 1'000'000'000;
  std::int64_t idle_ns = 300'000'000;  ///< 0: idle power is not wanted
  bool is_partition = false;           ///< the counter is of a larger device
};

/// From one step of the counter to another, with windows of the callable back to back between
/// them. Nothing, with a reason, where the counter holds other work as well: of another process, of
/// a device that this is a part of, of flushes. Throws what the callable reports; SteppedDown.
Energy measure_energy(Session &session, const Target &target, const bench_callable_v1 &callable,
                      const EnergyOptions &options);

}  // namespace bench::measure
