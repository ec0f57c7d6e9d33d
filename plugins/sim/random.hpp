// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same with every standard library: the library's distributions are
// not.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace bench_sim {

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : engine_(seed) {}

  /// In (0, 1).
  double uniform() {
    constexpr double steps = 9007199254740992.0;  // 2^53
    return (static_cast<double>(engine_() >> 11) + 0.5) / steps;
  }

  /// Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  std::uint64_t below(std::uint64_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bench_sim
