// SPDX-License-Identifier: Apache-2.0
// The one clock that the engine, its deadlines and its sleeps read. A simulated device replaces it,
// so that no cap reads real time there.
#pragma once
#include <cstdint>

namespace bench {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic ns; on the real clock CLOCK_MONOTONIC, the clock of the ABI's deadlines.
  virtual std::int64_t now_ns() = 0;
  virtual void sleep_ns(std::int64_t duration_ns) = 0;
};

/// CLOCK_MONOTONIC. Lives for ever.
Clock &system_clock();

}  // namespace bench
