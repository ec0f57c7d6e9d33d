// SPDX-License-Identifier: Apache-2.0
#include "measure/telemetry.hpp"

#include <doctest/doctest.h>

#include "mock_device.hpp"

using namespace bench;
using namespace bench::measure;
using bench::test::MockDevice;
using bench::test::Work;

namespace {

constexpr double launch_ns = 2e6;

struct Bed {
  explicit Bed(std::uint32_t offers) : work(device, launch_ns) {
    device.script->offers = offers;
    device.script->power_watts = 300.0;
    work.records_order = false;
  }
  MockDevice device;
  Work work;
};

}  // namespace

TEST_CASE("without telemetry there is a reason") {
  Bed bed(0);
  std::string reason;
  CHECK_FALSE(read_telemetry(bed.device.target, reason));
  CHECK(reason == "the device's plugin has no telemetry");
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  const Energy energy = measure_energy(session, bed.device.target, bed.work.callable, 1, false);
  CHECK_FALSE(energy.joules_per_launch);
  CHECK(energy.reason == reason);
}

TEST_CASE("what fails to be read is told with the plugin's own words") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  std::snprintf(bed.device.script->fail_function, sizeof bed.device.script->fail_function,
                "telemetry_read");
  bed.device.script->fail_countdown = 1;
  bed.device.script->fail_status = BENCH_ERROR_NO_PERMISSION;
  std::string reason;
  CHECK_FALSE(read_telemetry(bed.device.target, reason));
  CHECK(reason.find("telemetry_read fails as scripted") != std::string::npos);
  CHECK(read_telemetry(bed.device.target, reason));
}

TEST_CASE("throttling is named, idling is not throttling") {
  CHECK(throttle_names(BENCH_THROTTLE_IDLE).empty());
  CHECK(throttle_names(BENCH_THROTTLE_POWER | BENCH_THROTTLE_THERMAL) ==
        std::vector<std::string>{"power", "thermal"});
}

TEST_CASE("energy is power times the time of a launch, over half a second at least") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  const std::int64_t begun = bed.device.clock.now_ns();
  const Energy energy = measure_energy(session, bed.device.target, bed.work.callable, 10, false);
  REQUIRE(energy.joules_per_launch);
  CHECK(*energy.joules_per_launch == doctest::Approx(300.0 * launch_ns * 1e-9).epsilon(0.01));
  CHECK(*energy.busy_watts == doctest::Approx(300.0).epsilon(0.001));
  CHECK(*energy.idle_watts == doctest::Approx(300.0).epsilon(0.001));
  CHECK(energy.launches * launch_ns >= 0.5e9);
  CHECK(bed.device.clock.now_ns() - begun >= 800'000'000);
}

TEST_CASE("a counter that counts something else, or not at all, gives no figure") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  CHECK(measure_energy(session, bed.device.target, bed.work.callable, 1, true)
            .reason.find("partition") != std::string::npos);
  CHECK(bed.work.launches == 0);
  bed.device.script->power_watts = 0.0;
  const Energy still = measure_energy(session, bed.device.target, bed.work.callable, 10, false);
  CHECK_FALSE(still.joules_per_launch);
  CHECK(still.reason.find("does not move") != std::string::npos);
}
