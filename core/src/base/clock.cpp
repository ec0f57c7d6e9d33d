// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <time.h>

namespace bench {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() override {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * ns_per_second + now.tv_nsec;
  }
  void sleep_ns(std::int64_t duration_ns) override {
    if (duration_ns <= 0) return;
    timespec left{duration_ns / ns_per_second, duration_ns % ns_per_second};
    while (::clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
    }
  }
};

}  // namespace

Clock &system_clock() {
  // Leaked on purpose: measurements may still run while static objects are destroyed at exit.
  static Clock *const clock = new SystemClock;
  return *clock;
}

}  // namespace bench
