// SPDX-License-Identifier: Apache-2.0
// Differences of a counter of some valid bits. Everything stays in ticks until the very end: a
// counter that was turned into nanoseconds before the subtraction can no longer be unwrapped.
#pragma once
#include <bench/plugin_v1.h>

#include <cmath>
#include <cstdint>

namespace bench_xpu {

struct Counter {
  std::uint32_t valid_bits = 64;
  double ns_per_tick = 0;  // 0 = the driver does not tell

  std::uint64_t mask() const {
    return valid_bits == 0 || valid_bits >= 64 ? ~std::uint64_t{0}
                                               : (std::uint64_t{1} << valid_bits) - 1;
  }
};

/// A counter that reads less than before has wrapped, or has run backwards. Broken counters go back
/// by a few ticks, windows that fill all but this part of the range are not expected: timer_wrap_ns
/// promises them no more than the rest.
constexpr std::uint64_t backwards_part = 1024;

struct Ticks {
  std::uint64_t count;  // absolute
  bool negative, wrapped;
};

inline Ticks ticks_between(const Counter &counter, std::uint64_t start, std::uint64_t stop) {
  const std::uint64_t mask = counter.mask();
  // Bits above the valid ones are undefined, and different in every read.
  start &= mask;
  stop &= mask;
  if (stop >= start) return {stop - start, false, false};
  if (start - stop <= mask / backwards_part) return {start - stop, true, false};
  return {(stop - start) & mask, false, true};
}

inline double elapsed_ns(const Counter &counter, std::uint64_t start, std::uint64_t stop,
                         std::uint32_t &flags) {
  const Ticks ticks = ticks_between(counter, start, stop);
  flags = ticks.negative     ? BENCH_SAMPLE_NEGATIVE
          : ticks.count == 0 ? BENCH_SAMPLE_ZERO
          : ticks.wrapped    ? BENCH_SAMPLE_WRAPPED
                             : 0u;
  const double ns = static_cast<double>(ticks.count) * counter.ns_per_tick;
  return ticks.negative ? -ns : ns;
}

/// Events further apart than this read wrong.
inline double wrap_ns(const Counter &counter) {
  const double range = std::ldexp(1.0, static_cast<int>(counter.valid_bits));
  return (range - range / static_cast<double>(backwards_part)) * counter.ns_per_tick;
}

}  // namespace bench_xpu
