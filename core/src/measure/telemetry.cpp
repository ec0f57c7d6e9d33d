// SPDX-License-Identifier: Apache-2.0
#include "measure/telemetry.hpp"

#include "base/error.hpp"
#include "measure/extensions.hpp"

namespace bench::measure {
namespace {

constexpr double ns_per_s = 1e9;
// Counters are renewed every 20 to 100 ms: over half a second from step to step that is under 1 %.
constexpr std::int64_t busy_ns = 500'000'000;
constexpr std::int64_t idle_ns = 300'000'000;
// A counter that does not move in this time is none.
constexpr std::int64_t patience_ns = 2'000'000'000;

/// The counter, or the reason why it counts something else than our work.
std::optional<double> read_energy(const Target &target, std::string &reason) {
  const auto telemetry = read_telemetry(target, reason);
  if (!telemetry) return std::nullopt;
  if (!(telemetry->known & BENCH_TELEMETRY_ENERGY)) {
    reason = "the device has no energy counter";
    return std::nullopt;
  }
  if ((telemetry->known & BENCH_TELEMETRY_PROCESSES) && telemetry->other_processes > 0) {
    reason = "another process uses the device: its energy is in the counter";
    return std::nullopt;
  }
  return telemetry->energy_joules;
}

}  // namespace

std::optional<bench_telemetry_v1> read_telemetry(const Target &target, std::string &reason) {
  const Extensions extensions(*target.api, target.instance);
  if (!extensions.telemetry || !extensions.telemetry->read) {
    reason = "the device's plugin has no telemetry";
    return std::nullopt;
  }
  bench_telemetry_v1 telemetry{};
  telemetry.struct_size = sizeof telemetry;
  bench_error_v1 error = error_struct();
  const bench_status status =
      extensions.telemetry->read(target.instance, target.device, &telemetry, &error);
  if (status == BENCH_OK) return telemetry;
  reason = error_line(error_text(status, error));
  return std::nullopt;
}

std::vector<std::string> throttle_names(std::uint32_t throttle) {
  const struct {
    std::uint32_t bit;
    const char *name;
  } table[] = {{BENCH_THROTTLE_POWER, "power"},
               {BENCH_THROTTLE_THERMAL, "thermal"},
               {BENCH_THROTTLE_HARDWARE, "hardware"},
               {BENCH_THROTTLE_USER, "user"},
               {BENCH_THROTTLE_OTHER, "other"}};
  std::vector<std::string> names;
  for (const auto &entry : table)
    if (throttle & entry.bit) names.push_back(entry.name);
  return names;
}

Energy measure_energy(Session &session, const Target &target, const bench_callable_v1 &callable,
                      std::uint32_t launches, bool is_partition) {
  Energy energy;
  if (is_partition) {
    energy.reason = "the counter is of the whole device, of which this is a partition";
    return energy;
  }
  Clock &clock = session.clock();
  const auto idle_begin = read_energy(target, energy.reason);
  if (!idle_begin) return energy;
  clock.sleep_ns(idle_ns);
  const auto idle_end = read_energy(target, energy.reason);
  if (!idle_end) return energy;
  energy.idle_watts = (*idle_end - *idle_begin) / (idle_ns / ns_per_s);

  RestoreGuard restore(callable, nullptr, session);
  std::int64_t from_ns = 0;
  double from_joules = 0.0, last = *idle_end;
  std::uint64_t done = 0;
  bool counting = false;
  const std::int64_t begun = clock.now_ns();
  for (;;) {
    session.window(callable, nullptr, launches);
    done += launches;
    const auto now = read_energy(target, energy.reason);
    if (!now) return energy;
    const std::int64_t now_ns = clock.now_ns();
    const bool stepped = *now != last;
    last = *now;
    if (stepped && !counting) {
      counting = true;
      from_ns = now_ns;
      from_joules = *now;
      done = 0;
    } else if (stepped && now_ns - from_ns >= busy_ns) {
      energy.launches = done;
      energy.joules_per_launch = (*now - from_joules) / static_cast<double>(done);
      energy.busy_watts = (*now - from_joules) / (static_cast<double>(now_ns - from_ns) / ns_per_s);
      break;
    }
    if (now_ns - (counting ? from_ns + busy_ns : begun) > patience_ns) {
      energy.reason = "the device's energy counter does not move";
      break;
    }
  }
  restore.run();
  return energy;
}

}  // namespace bench::measure
