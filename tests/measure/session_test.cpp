// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mock_device.hpp"

using namespace bench;
using namespace bench::measure;
using bench::test::MockDevice;
using bench::test::Work;

namespace {

double relative_error(double got, double expected) {
  return std::abs(got - expected) / expected;
}

}  // namespace

TEST_CASE("the timer's floor and step are found through empty windows") {
  MockDevice device;
  device.script->event_gap_ns = 640.0;
  device.script->resolution_ns = 32.0;
  const Session session(device.target, nullptr, Policy{}, device.clock);
  CHECK(session.timer().floor_ns == doctest::Approx(640.0));
  CHECK(session.timer().resolution_ns == doctest::Approx(32.0));
  CHECK_FALSE(session.timer().coarse);
  CHECK(session.timer().negatives == 0);
}

TEST_CASE("a step longer than the floor is found by waiting for it") {
  MockDevice device;
  device.script->resolution_ns = 1e6;
  const Session session(device.target, nullptr, Policy{}, device.clock);
  CHECK(session.timer().resolution_ns == doctest::Approx(1e6));
  CHECK(session.timer().floor_ns == 0.0);
  CHECK(session.timer().zeros > 0);
  CHECK_FALSE(session.timer().coarse);
}

TEST_CASE("readings that are all alike leave the step to the device information") {
  MockDevice device;
  device.script->event_gap_step_ns = 0.0;
  const Session unknown(device.target, nullptr, Policy{}, device.clock);
  CHECK(unknown.timer().resolution_ns == doctest::Approx(500.0));  // an upper bound
  device.target.timer_resolution_ns = 2.0;
  const Session told(device.target, nullptr, Policy{}, device.clock);
  CHECK(told.timer().resolution_ns == 2.0);
  // A claim does not win over what is seen.
  device.script->resolution_ns = 320.0;
  const Session seen(device.target, nullptr, Policy{}, device.clock);
  CHECK(seen.timer().resolution_ns == doctest::Approx(320.0));
}

TEST_CASE("a timer that stands still is coarse, and its windows say so") {
  MockDevice device;
  device.script->frozen_timer = 1;
  Session session(device.target, nullptr, Policy{}, device.clock);
  CHECK(session.timer().coarse);
  Work work(device);
  const bench_sample_v1 sample = session.window(work.callable, nullptr, 1);
  CHECK((sample.flags & BENCH_SAMPLE_TIMER_COARSE) != 0);
  CHECK((sample.flags & BENCH_SAMPLE_ZERO) != 0);
}

TEST_CASE("a timer that runs backwards is counted, and its windows are left out of a visit") {
  MockDevice device;
  device.script->negative_every = 3;
  Session session(device.target, nullptr, Policy{}, device.clock);
  CHECK(session.timer().negatives >= session.timer().readings / 3 - 1);
  CHECK(session.timer().negatives > 0);
  Work work(device);
  const auto times = session.visit(work.callable, nullptr, 9, 1);
  CHECK(times.size() >= 5);
  CHECK(times.size() < 9);
  CHECK(*std::min_element(times.begin(), times.end()) > 0.0);
}

TEST_CASE("a visit without one usable window is a failure, not a list of nothing") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  device.script->negative_every = 1;
  Work work(device);
  try {
    session.visit(work.callable, nullptr, 4, 1);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_INTERNAL);
    CHECK(failure.text().what.find("4 windows") != std::string::npos);
    CHECK_FALSE(failure.text().hint.empty());
  }
}

TEST_CASE("a wrapped counter is corrected and flagged") {
  MockDevice device;
  device.script->wrap_ns = 1e5;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 20'000.0);
  int wrapped = 0;
  for (int i = 0; i < 40; ++i) {
    const bench_sample_v1 sample = session.window(work.callable, nullptr, 1);
    CHECK(relative_error(sample.elapsed_ns, 20'500.0) < 0.02);
    CHECK(usable(sample));
    wrapped += (sample.flags & BENCH_SAMPLE_WRAPPED) != 0;
  }
  CHECK(wrapped > 0);
  CHECK(wrapped < 40);
}

TEST_CASE("a window longer than the wrap is timed by the host") {
  MockDevice device;
  device.script->wrap_ns = device.target.timer_wrap_ns = 1e6;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 3.25e6);  // events would read 0.25e6
  const bench_sample_v1 sample = session.window(work.callable, nullptr, 1);
  CHECK(relative_error(sample.elapsed_ns, 3.25e6) < 0.01);
  CHECK((sample.flags & BENCH_SAMPLE_WRAPPED) != 0);
}

TEST_CASE("one launch reads its time plus the floor, whatever its length") {
  for (const double time_ns : {50.0, 800.0, 5e3, 4e5, 1e7}) {
    CAPTURE(time_ns);
    MockDevice device;
    Policy policy;
    policy.isolated = true;
    Session session(device.target, nullptr, policy, device.clock);
    Work work(device, time_ns);
    CHECK(session.choose_launches(work.callable, nullptr) == 1);
    for (const double time : session.visit(work.callable, nullptr, 5, 1)) {
      CHECK(time >= time_ns);
      CHECK(time <= time_ns + 2 * session.timer().floor_ns);
    }
  }
}

TEST_CASE("batches are deep enough that known times come back to 1 %") {
  for (const double time_ns : {300.0, 2e3, 5e3, 4e5, 1e7}) {
    CAPTURE(time_ns);
    MockDevice device;
    device.script->resolution_ns = 10.0;
    Session session(device.target, nullptr, Policy{}, device.clock);
    Work work(device, time_ns);
    const std::uint32_t launches = session.choose_launches(work.callable, nullptr);
    for (const double time : session.visit(work.callable, nullptr, 5, launches))
      CHECK(relative_error(time, time_ns) <= 0.01);
    CHECK(launches * time_ns >= 198.0 * session.timer().floor_ns);
    if (time_ns > 1e6) CHECK(launches == 1);
  }
}

TEST_CASE("an interrupted calibration does not shorten the windows") {
  MockDevice device;
  Session quiet(device.target, nullptr, Policy{}, device.clock);
  Work steady(device, 400.0);
  const std::uint32_t undisturbed = quiet.choose_launches(steady.callable, nullptr);

  MockDevice other;
  Session session(other.target, nullptr, Policy{}, other.clock);
  Work work(other);
  // Every seventh launch is interrupted for 60 us: alone it looks like a full window.
  work.duration = [](std::uint64_t i) { return i % 7 == 1 ? 60'400.0 : 400.0; };
  const std::uint32_t disturbed = session.choose_launches(work.callable, nullptr);
  CHECK(undisturbed >= 100);
  CHECK(disturbed >= 2);
  // With interruptions inside each window, the depth follows the mean: never a single launch.
  CHECK(disturbed * (400.0 + 60'000.0 / 7) >= 0.5 * 100 * session.timer().floor_ns);
}

TEST_CASE("a single interruption changes the depth by less than twice") {
  for (std::uint64_t when = 0; when < 60; ++when) {
    CAPTURE(when);
    MockDevice device;
    Session session(device.target, nullptr, Policy{}, device.clock);
    Work work(device);
    work.duration = [when](std::uint64_t i) { return i == when ? 500'000.0 : 400.0; };
    const std::uint32_t launches = session.choose_launches(work.callable, nullptr);
    CHECK(launches >= 200);  // 250 undisturbed
    CHECK(launches <= 500);
  }
}

TEST_CASE("windows that are too short are flagged") {
  MockDevice device;
  device.script->resolution_ns = 100.0;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 20'000.0);
  CHECK((session.window(work.callable, nullptr, 1).flags & BENCH_SAMPLE_TIMER_COARSE) != 0);
  CHECK((session.window(work.callable, nullptr, 10).flags & BENCH_SAMPLE_TIMER_COARSE) == 0);
  work.enqueues = false;
  CHECK((session.window(work.callable, nullptr, 1).flags & BENCH_SAMPLE_BELOW_FLOOR) != 0);
}

TEST_CASE("cold windows are flushed before each launch, outside the window") {
  MockDevice device;
  device.script->cold_extra_ns = 7'000.0;
  device.script->flush_ns = 100'000.0;
  Work work(device, 10'000.0);
  {
    Policy policy;
    policy.cache = CachePolicy::cold;
    Session session(device.target, nullptr, policy, device.clock);
    CHECK(session.flush_bytes() > 0);
    CHECK(session.choose_launches(work.callable, nullptr) == 1);
    const std::uint32_t before = device.script->flushes;
    for (const double time : session.visit(work.callable, nullptr, 6, 1))
      CHECK(relative_error(time, 17'500.0) < 0.01);
    CHECK(device.script->flushes - before >= 7);
    CHECK(session.cost().flush_ns >= 0);
  }
  CHECK(device.clean());  // the flush buffer was given back
  Session hot(device.target, nullptr, Policy{}, device.clock);
  const std::uint32_t before = device.script->flushes;
  for (const double time : hot.visit(work.callable, nullptr, 6, 1))
    CHECK(relative_error(time, 10'500.0) < 0.01);
  CHECK(device.script->flushes == before);
}

TEST_CASE("prepare stands before every window, restore once after the last") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  work.with_prepare();
  work.with_restore();
  work.with_wait();
  work.prepare_ns = 50'000.0;
  for (const double time : session.visit(work.callable, nullptr, 3, 2))
    CHECK(relative_error(time, 10'250.0) < 0.01);  // prepare's own time is outside
  std::string windows;
  for (std::size_t at = 0; at + 1 < work.order.size(); at += 4) {
    CHECK(work.order.substr(at, 4) == "pllw");
    windows += 'W';
  }
  CHECK(windows.size() >= 4);
  CHECK(work.order.back() == 'r');
  CHECK(work.restores == 1);
}

TEST_CASE("a callable that is not repeatable gets one launch a window") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 100.0);
  work.callable.flags = 0;
  work.with_prepare();
  session.qualify(work.callable, nullptr);
  CHECK(work.prepares == work.launches);
  CHECK(session.choose_launches(work.callable, nullptr) == 1);
}

TEST_CASE("work on another stream is found") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  work.stray_ns = 2e6;
  CHECK(session.qualify(work.callable, nullptr).unjoined);
  Work joined(device);
  CHECK_FALSE(session.qualify(joined.callable, nullptr).unjoined);
}

TEST_CASE("launches that enqueue nothing are found, short ones are not mistaken for them") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work nothing(device);
  nothing.enqueues = false;
  CHECK(session.qualify(nothing.callable, nullptr).nothing_enqueued);
  Work brief(device, 100.0);
  CHECK_FALSE(session.qualify(brief.callable, nullptr).nothing_enqueued);
}

TEST_CASE("a long launch is not repeated to see whether it is nothing") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 1e9);
  session.qualify(work.callable, nullptr);
  CHECK(work.launches <= 4);
}

TEST_CASE("a synchronous launch is told from one that only enqueues") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, 100'000.0);
  CHECK_FALSE(session.qualify(work.callable, nullptr).synchronous);
  device.script->synchronous = 1;
  CHECK(session.qualify(work.callable, nullptr).synchronous);
}

TEST_CASE("warm-up ends when windows are flat") {
  MockDevice device;
  device.script->slow_count = 40;
  device.script->slow_factor = 2.0;
  device.script->idle_limit_ns = 1e9;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  // Slower at first, and ever less so.
  work.duration = [](std::uint64_t i) { return 10'000.0 * (1.0 + 1.0 / (1.0 + double(i))); };
  session.warm_up(work.callable, nullptr, 1);
  CHECK(work.launches >= 5);
  CHECK(work.launches <= 60);
}

TEST_CASE("warm-up ends at its limit where windows never get flat") {
  MockDevice device;
  Policy policy;
  policy.max_warmup_ns = 1'000'000;
  Session session(device.target, nullptr, policy, device.clock);
  Work work(device);
  work.duration = [](std::uint64_t i) { return i % 2 ? 10'000.0 : 20'000.0; };
  const std::int64_t before = device.clock.now_ns();
  session.warm_up(work.callable, nullptr, 1);
  CHECK(device.clock.now_ns() - before >= 1'000'000);
  CHECK(device.clock.now_ns() - before < 1'100'000);
}

TEST_CASE("after a pause of the host two windows are discarded") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  session.visit(work.callable, nullptr, 3, 1);
  const std::uint64_t first = work.launches;
  session.visit(work.callable, nullptr, 3, 1);
  CHECK(work.launches - first == 4);
  device.clock.sleep_ns(20'000'000);
  const std::uint64_t second = work.launches;
  session.visit(work.callable, nullptr, 3, 1);
  CHECK(work.launches - second == 5);
}

TEST_CASE("the caller's stream is used and left alone") {
  MockDevice device;
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  bench_error_v1 error = error_struct();
  REQUIRE(device.target.api->stream_create(device.target.instance, device.target.device, &stream,
                                           &error) == BENCH_OK);
  {
    Session session(device.target, &stream, Policy{}, device.clock);
    CHECK(session.stream().handle == stream.handle);
    CHECK(device.script->streams_alive == 1);
  }
  CHECK(device.script->streams_alive == 1);
  device.target.api->stream_destroy(device.target.instance, device.target.device, &stream);
  CHECK(device.clean());
}

TEST_CASE("a session that cannot start leaves nothing behind and says why") {
  for (const char *function : {"stream_create", "event_create", "event_record", "event_synchronize",
                               "event_elapsed", "flush_prepare"}) {
    for (const std::uint32_t at : {1u, 2u}) {
      CAPTURE(function);
      CAPTURE(at);
      MockDevice device;
      std::snprintf(device.script->fail_function, sizeof device.script->fail_function, "%s",
                    function);
      device.script->fail_countdown = at;
      device.script->fail_status = BENCH_ERROR_OUT_OF_RESOURCES;
      Policy policy;
      policy.cache = CachePolicy::cold;
      try {
        const Session session(device.target, nullptr, policy, device.clock);
        CHECK(at == 2);  // called only once
      } catch (const Failure &failure) {
        CHECK(failure.status() == BENCH_ERROR_OUT_OF_RESOURCES);
        CHECK(failure.text().what == std::string(function) + " fails as scripted");
        CHECK(failure.text().vendor_name == "MOCK_SCRIPTED");
      }
      CHECK(device.clean());
    }
  }
}

TEST_CASE("no memory for the flush is told with what was asked for") {
  MockDevice device;
  device.script->memory_limit_bytes = 1024;
  Policy policy;
  policy.cache = CachePolicy::cold;
  try {
    const Session session(device.target, nullptr, policy, device.clock);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_OUT_OF_RESOURCES);
    CHECK(failure.text().what.find("67108864 bytes") != std::string::npos);
    CHECK(failure.text().what.find("1024 are left") != std::string::npos);
  }
  CHECK(device.clean());
}

TEST_CASE("a failing launch in a visit is restored, and its text is not shown again") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  work.with_restore();
  work.fail_at = 3;
  try {
    session.visit(work.callable, nullptr, 5, 1);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_CALLABLE_FAILED);
    CHECK(failure.text().what == "argument 3 is odd");
    CHECK(failure.text().where == "my launch");
    CHECK(failure.text().hint == "give an even one");
    CHECK(failure.text().vendor_code == 77);
    CHECK(failure.text().vendor_name == "MY_ERROR");
  }
  CHECK(work.restores == 1);
  CHECK(session.failed_in_callback());
  CHECK(session.visit(work.callable, nullptr, 2, 1).size() == 2);  // the session goes on

  // The next callable fails without a word: the first one's must not stand for it.
  Work silent(device);
  silent.callable.launch = [](void *, const bench_config_v1 *, const bench_stream_v1 *,
                              bench_error_v1 *) -> bench_status {
    return BENCH_ERROR_CONFIG_REJECTED;
  };
  try {
    session.visit(silent.callable, nullptr, 2, 1);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_CONFIG_REJECTED);
    CHECK(failure.text().what.find("odd") == std::string::npos);
  }
}

TEST_CASE("a failing restore is told") {
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device);
  work.with_restore();
  work.restore_status = BENCH_ERROR_CALLABLE_FAILED;
  CHECK_THROWS_WITH_AS(session.visit(work.callable, nullptr, 2, 1),
                       "my restore: restore broke (mend it)", Failure);
  CHECK(work.restores == 1);
}

TEST_CASE("after a lost device nothing but destruction is called") {
  MockDevice device;
  Work work(device);
  work.with_restore();
  {
    Policy policy;
    policy.cache = CachePolicy::cold;
    Session session(device.target, nullptr, policy, device.clock);
    std::snprintf(device.script->fail_function, sizeof device.script->fail_function, "work");
    device.script->fail_countdown = 2;
    device.script->fail_status = BENCH_ERROR_DEVICE_LOST;
    try {
      session.visit(work.callable, nullptr, 5, 1);
      FAIL("no failure");
    } catch (const Failure &failure) {
      CHECK(failure.status() == BENCH_ERROR_DEVICE_LOST);
    }
    CHECK(session.lost());
  }
  CHECK(work.restores == 0);
  CHECK(device.script->calls_after_loss == 0);
  CHECK(device.clean());
}

TEST_CASE("policies have one canonical text each") {
  Policy policy;
  CHECK(policy.text() == "back-to-back");
  policy.isolated = true;
  CHECK(policy.text() == "isolated-hot");
  policy.cache = CachePolicy::cold;
  CHECK(policy.text() == "isolated-cold");
  policy.isolated = false;
  CHECK(policy.text() == "isolated-cold");  // cold windows are single anyway
  policy.use_engine = true;
  CHECK(policy.text() == "isolated-cold+engine");
}

TEST_CASE("a long launch is asked for no more often than it tells something") {
  constexpr double long_ns = 8e6;
  MockDevice device;
  Session session(device.target, nullptr, Policy{}, device.clock);
  Work work(device, long_ns);
  const Qualification found = session.qualify(work.callable, nullptr);
  CHECK(work.launches == 2);  // the first, which loads code, and one that is seen
  CHECK(found.launch_ns == doctest::Approx(long_ns).epsilon(0.01));
  work.launches = 0;
  CHECK(session.visit(work.callable, nullptr, 2, 1).size() == 2);
  CHECK(work.launches == 2);
  device.clock.sleep_ns(20'000'000);  // a pause, in which a device lowers its clock
  work.launches = 0;
  CHECK(session.visit(work.callable, nullptr, 2, 1).size() == 2);
  CHECK(work.launches == 3);
  Work brief(device, 1e5);
  CHECK(session.visit(brief.callable, nullptr, 2, 1).size() == 2);
  CHECK(brief.launches == 3);
}
