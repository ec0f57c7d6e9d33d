// SPDX-License-Identifier: Apache-2.0
#include "measure/energy.hpp"

#include <algorithm>

#include "measure/telemetry.hpp"

namespace bench::measure {
namespace {

constexpr double ns_per_s = 1e9;
// A reading takes about a millisecond in which the device idles: so long it works before the next
// one. So late a step may be seen as well: of a second 1 %.
constexpr std::int64_t stretch_ns = 10'000'000;
// Between windows the device idles for as long as the host needs for the next one.
constexpr double window_ns = 10e6;
// Without work a step of the counter is waited for in small pauses.
constexpr std::int64_t pause_ns = 5'000'000;
// A counter that does not move in this time is none.
constexpr std::int64_t patience_ns = 2'000'000'000;

/// The counter, or the reason why it counts something else than our work.
std::optional<double> read_counter(const Target &target, std::string &reason) {
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

struct Step {
  double joules;
  std::int64_t at_ns;
};

/// The counter's next step, seen after one of the calls of `act`. Nothing where a reading fails or
/// no step comes.
template <typename Act>
std::optional<Step> next_step(const Target &target, Clock &clock, std::string &reason,
                              const Act &act) {
  const auto before = read_counter(target, reason);
  const std::int64_t since_ns = clock.now_ns();
  for (auto joules = before; joules; joules = read_counter(target, reason)) {
    const std::int64_t now_ns = clock.now_ns();
    if (*joules != *before) return Step{*joules, now_ns};
    if (now_ns - since_ns > patience_ns) {
      reason = "the device's energy counter does not move";
      return std::nullopt;
    }
    act();
  }
  return std::nullopt;
}

struct Span {
  double joules;
  double elapsed_ns;
};

/// From one step to the first one after `least_ns`; `begin` is called at the former.
template <typename Act, typename Begin>
std::optional<Span> between_steps(const Target &target, Clock &clock, std::int64_t least_ns,
                                  std::string &reason, const Act &act, const Begin &begin) {
  const auto first = next_step(target, clock, reason, act);
  if (!first) return std::nullopt;
  begin();
  while (clock.now_ns() - first->at_ns < least_ns) act();
  const auto last = next_step(target, clock, reason, act);
  if (!last) return std::nullopt;
  return Span{last->joules - first->joules, static_cast<double>(last->at_ns - first->at_ns)};
}

/// Deep enough that the host's time between windows does not show.
std::uint32_t deep_window(Session &session, const bench_callable_v1 &callable,
                          std::uint32_t launches) {
  if (!(callable.flags & BENCH_CALLABLE_REPEATABLE)) return 1;
  const double one_ns =
      session.window(callable, nullptr, launches).elapsed_ns / static_cast<double>(launches);
  if (!(one_ns > 0.0)) return launches;
  const double wanted = std::min<double>(window_ns / one_ns, session.deepest(callable));
  return std::max(launches, static_cast<std::uint32_t>(wanted));
}

}  // namespace

Energy measure_energy(Session &session, const Target &target, const bench_callable_v1 &callable,
                      const EnergyOptions &options) {
  Energy energy;
  if (options.is_partition) {
    energy.reason = "the counter is of the whole device, of which this is a partition";
    return energy;
  }
  if (session.policy().cache != CachePolicy::hot) {
    energy.reason = "the flushes of a cold policy are in the counter: name a hot one";
    return energy;
  }
  Clock &clock = session.clock();
  if (options.idle_ns > 0) {
    const auto idle = between_steps(
        target, clock, options.idle_ns, energy.reason, [&] { clock.sleep_ns(pause_ns); }, [] {});
    if (!idle) return energy;
    energy.idle_watts = idle->joules / (idle->elapsed_ns / ns_per_s);
  }
  RestoreGuard restore(callable, nullptr, session);
  const std::uint32_t launches = deep_window(session, callable, options.launches);
  std::uint64_t done = 0;
  double timed_ns = 0.0;
  const auto work = [&] {
    for (const std::int64_t begun = clock.now_ns(); clock.now_ns() - begun < stretch_ns;) {
      timed_ns += session.window(callable, nullptr, launches).elapsed_ns;
      done += launches;
    }
  };
  const auto busy = between_steps(target, clock, options.busy_ns, energy.reason, work,
                                  [&] { done = 0, timed_ns = 0.0; });
  if (busy) {
    energy.launches = done;
    energy.joules_per_launch = busy->joules / static_cast<double>(done);
    energy.launch_ns = timed_ns / static_cast<double>(done);
    energy.busy_watts = busy->joules / (busy->elapsed_ns / ns_per_s);
    energy.busy_share = std::min(1.0, timed_ns / busy->elapsed_ns);
  }
  restore.run();
  return energy;
}

}  // namespace bench::measure
