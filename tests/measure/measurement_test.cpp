// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "mock_device.hpp"

using namespace bench::measure;
using bench::Failure;
using bench::test::MockDevice;
using bench::test::Work;

namespace {

double relative_error(double got, double expected) {
  return std::abs(got - expected) / expected;
}

/// A spread of +-1 %, the same in every run.
double noisy(double time_ns, std::uint64_t i) {
  const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u >> 40;
  return time_ns * (1.0 + 0.02 * (static_cast<double>(mixed) / double(1 << 24) - 0.5));
}

}  // namespace

TEST_CASE("known times come back, hot") {
  for (const double time_ns : {250.0, 1e3, 2e4, 1e6}) {
    CAPTURE(time_ns);
    MockDevice device;
    device.script->resolution_ns = 4.0;
    Work work(device);
    work.duration = [time_ns](std::uint64_t i) { return noisy(time_ns, i); };
    work.with_restore();
    const Measurement found =
        measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
    CHECK(relative_error(found.summary.median_ns, time_ns) <= 0.01);
    CHECK(found.stop_reason == StopReason::precise);
    CHECK(found.summary.interval.has_value());
    CHECK(found.flags == 0);
    CHECK(found.note == "");
    CHECK(found.resolution_ns == doctest::Approx(4.0));
    CHECK(found.floor_ns >= 500.0);
    CHECK(found.flush_bytes == 0);
    if (found.launches_per_window > 1) {
      CHECK(found.method == BENCH_METHOD_BATCH);
      REQUIRE(found.slope_ns.has_value());
      CHECK(relative_error(*found.slope_ns, time_ns) <= 0.005);
    } else {
      CHECK(found.method == BENCH_METHOD_EVENT);
      CHECK_FALSE(found.slope_ns.has_value());
    }
    CHECK(work.restores == 1);
    CHECK(device.clean());
  }
}

TEST_CASE("the slope is free of what a window costs") {
  MockDevice device;
  device.script->event_gap_ns = 3'000.0;
  Work work(device, 1'000.0);
  const Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  REQUIRE(found.slope_ns.has_value());
  CHECK(std::abs(*found.slope_ns - 1'000.0) < 0.1);
  CHECK(found.summary.median_ns > 1'000.0);
  CHECK(found.summary.median_ns < 1'010.0);
}

TEST_CASE("cold and hot are told apart") {
  MockDevice device;
  device.script->cold_extra_ns = 30'000.0;
  Work work(device, 60'000.0);
  Policy policy;
  const double hot = measure(device.target, nullptr, work.callable, nullptr, policy, device.clock)
                         .summary.median_ns;
  policy.cache = CachePolicy::cold;
  const Measurement cold =
      measure(device.target, nullptr, work.callable, nullptr, policy, device.clock);
  CHECK(relative_error(hot, 60'000.0) < 0.01);
  CHECK(relative_error(cold.summary.median_ns, 90'000.0) < 0.01);
  CHECK(cold.launches_per_window == 1);
  CHECK(cold.flush_bytes == 64u << 20);
  CHECK((cold.flags & BENCH_RESULT_CACHE_UNPROVEN) != 0);
  CHECK(device.clean());
}

TEST_CASE("the sample cap holds, launches too") {
  MockDevice device;
  Work work(device);
  work.duration = [](std::uint64_t i) { return i % 2 ? 1e6 : 3e6; };  // never precise
  Policy policy;
  policy.isolated = true;
  policy.max_samples = 25;
  policy.max_time_ns = 3'600'000'000'000;
  const Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, policy, device.clock);
  CHECK(found.stop_reason == StopReason::max_samples);
  CHECK(found.samples.size() == 25);
}

TEST_CASE("the wall-time cap holds, qualification and warm-up included") {
  for (const double time_ns : {3e3, 2e6, 40e6, 500e6}) {
    CAPTURE(time_ns);
    MockDevice device;
    Work work(device);
    work.duration = [time_ns](std::uint64_t i) { return i % 2 ? time_ns : 2 * time_ns; };
    Policy policy;
    policy.max_time_ns = 100'000'000;
    policy.max_samples = 1'000'000;
    const std::int64_t before = device.clock.now_ns();
    const Measurement found =
        measure(device.target, nullptr, work.callable, nullptr, policy, device.clock);
    CHECK(found.summary.samples >= 1);
    const double spent = static_cast<double>(device.clock.now_ns() - before);
    // What runs when the time is over is finished: a qualifying launch and one sample at least.
    CHECK(spent <= 100e6 + 4 * time_ns + 1e6);
    if (time_ns > 1e6) CHECK(found.stop_reason == StopReason::deadline);
    const Cost &cost = found.cost;
    CHECK(static_cast<double>(cost.warmup_ns + cost.flush_ns + cost.timed_ns + cost.idle_ns) ==
          doctest::Approx(spent).epsilon(0.01));
  }
}

TEST_CASE("should_stop ends it with the samples so far") {
  MockDevice device;
  Work work(device);
  work.duration = [](std::uint64_t i) { return i % 2 ? 1e6 : 3e6; };
  work.with_restore();
  int asked = 0;
  const Measurement found = measure(device.target, nullptr, work.callable, nullptr, Policy{},
                                    device.clock, [&] { return ++asked == 7; });
  CHECK(found.stop_reason == StopReason::cancelled);
  CHECK(found.samples.size() == 7);
  CHECK(work.restores == 1);
}

TEST_CASE("what is wrong with a callable is a flag and a sentence") {
  MockDevice device;
  Work work(device, 50'000.0);
  work.stray_ns = 3e6;
  Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK((found.flags & BENCH_RESULT_UNJOINED) != 0);
  CHECK(found.note.find("not joined") != std::string::npos);
  // The next callable is not blamed for what this one left on the device.
  work.stray_ns = 0.0;
  found = measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK((found.flags & BENCH_RESULT_UNJOINED) == 0);
  work.enqueues = false;
  found = measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK((found.flags & BENCH_RESULT_NOTHING_ENQUEUED) != 0);
  CHECK(found.note.find("left nothing") != std::string::npos);
}

TEST_CASE("negative windows are kept raw, left out of the statistics and counted") {
  MockDevice device;
  device.script->negative_every = 5;
  Work work(device, 50'000.0);
  const Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK(found.samples.size() > found.summary.samples);
  CHECK(found.summary.minimum_ns > 0.0);
  CHECK(relative_error(found.summary.median_ns, 50'000.0) < 0.012);
  CHECK(found.note.find("ran backwards") != std::string::npos);
}

TEST_CASE("a timer that only runs backwards is a failure with its reason") {
  MockDevice device;
  device.script->negative_every = 1;
  Work work(device, 50'000.0);
  Policy policy;
  policy.isolated = true;
  policy.max_samples = 20;
  try {
    measure(device.target, nullptr, work.callable, nullptr, policy, device.clock);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_INTERNAL);
    CHECK(failure.text().what.find("ran backwards") != std::string::npos);
  }
  CHECK(device.clean());
}

TEST_CASE("a timer that reads zero ends by itself and never divides by it") {
  MockDevice device;
  device.script->frozen_timer = 1;
  Work work(device, 50'000.0);
  const Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK(found.summary.median_ns == 0.0);
  CHECK(std::isfinite(found.summary.mean_ns));
  CHECK(found.note.find("stood still") != std::string::npos);
  CHECK_FALSE(found.slope_ns.has_value());
  for (const bench_sample_v1 &sample : found.samples)
    CHECK((sample.flags & BENCH_SAMPLE_TIMER_COARSE) != 0);
}

TEST_CASE("windows beyond the timer's wrap change the method, and the note says so") {
  MockDevice device;
  device.script->wrap_ns = device.target.timer_wrap_ns = 1e6;
  Work work(device, 5e6);
  const Measurement found =
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
  CHECK(relative_error(found.summary.median_ns, 5e6) < 0.01);
  CHECK(found.method == BENCH_METHOD_HOST);
  CHECK(found.note.find("timed by the host") != std::string::npos);
}

TEST_CASE("a failure of any launch reaches the caller as it was, restored") {
  for (const std::uint64_t at : {1u, 2u, 4u, 40u, 100u}) {
    CAPTURE(at);
    MockDevice device;
    Work work(device);
    work.with_restore();
    work.fail_at = at;
    work.fail_status = BENCH_ERROR_OUT_OF_RESOURCES;
    try {
      measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
      FAIL("no failure");
    } catch (const Failure &failure) {
      CHECK(failure.status() == BENCH_ERROR_OUT_OF_RESOURCES);
      CHECK(failure.text().what == "argument 3 is odd");
      CHECK(failure.text().vendor_code == 77);
    }
    CHECK(work.launches == at);
    CHECK(work.restores == 1);
    CHECK(device.clean());
  }
}

TEST_CASE("a plugin without any way to measure is refused in words") {
  MockDevice device;
  device.target.has_t1 = false;
  Work work(device);
  try {
    measure(device.target, nullptr, work.callable, nullptr, Policy{}, device.clock);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_UNSUPPORTED);
    CHECK(failure.text().hint.find("T1") != std::string::npos);
  }
  CHECK(work.launches == 0);
}
