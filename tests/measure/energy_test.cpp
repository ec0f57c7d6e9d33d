// SPDX-License-Identifier: Apache-2.0
#include "measure/energy.hpp"

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

TEST_CASE("energy is power times the time of a launch, over a second at least") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  const std::int64_t begun = bed.device.clock.now_ns();
  EnergyOptions options;
  options.launches = 10;
  const Energy energy = measure_energy(session, bed.device.target, bed.work.callable, options);
  REQUIRE(energy.joules_per_launch);
  CHECK(*energy.joules_per_launch == doctest::Approx(300.0 * launch_ns * 1e-9).epsilon(0.01));
  CHECK(*energy.busy_watts == doctest::Approx(300.0).epsilon(0.001));
  CHECK(*energy.idle_watts == doctest::Approx(300.0).epsilon(0.001));
  CHECK(*energy.launch_ns == doctest::Approx(launch_ns).epsilon(0.01));
  CHECK(*energy.busy_share > 0.98);
  CHECK(static_cast<double>(energy.launches) * launch_ns >= 0.98e9);
  CHECK(bed.device.clock.now_ns() - begun >= 1'300'000'000);
}

TEST_CASE("between windows of short launches the device would idle: they are made deep") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  const Energy energy = measure_energy(session, bed.device.target, bed.work.callable, {});
  REQUIRE(energy.busy_share);
  CHECK(*energy.busy_share > 0.98);
  bed.work.callable.flags &= ~std::uint32_t{BENCH_CALLABLE_REPEATABLE};
  const Energy single = measure_energy(session, bed.device.target, bed.work.callable, {});
  REQUIRE(single.joules_per_launch);
  CHECK(*single.busy_share < *energy.busy_share);
}

TEST_CASE("a counter that counts something else, or not at all, gives no figure") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  EnergyOptions options;
  options.is_partition = true;
  CHECK(measure_energy(session, bed.device.target, bed.work.callable, options)
            .reason.find("partition") != std::string::npos);
  CHECK(bed.work.launches == 0);
  Policy cold;
  cold.cache = CachePolicy::cold;
  Session flushed(bed.device.target, nullptr, cold, bed.device.clock);
  CHECK(measure_energy(flushed, bed.device.target, bed.work.callable, {}).reason.find("cold") !=
        std::string::npos);
  CHECK(bed.work.launches == 0);
  bed.device.script->power_watts = 0.0;
  const Energy still = measure_energy(session, bed.device.target, bed.work.callable, {});
  CHECK_FALSE(still.joules_per_launch);
  CHECK(still.reason.find("does not move") != std::string::npos);
}

TEST_CASE("without telemetry there is a reason, and no launch") {
  Bed bed(0);
  Session session(bed.device.target, nullptr, Policy{}, bed.device.clock);
  const Energy energy = measure_energy(session, bed.device.target, bed.work.callable, {});
  CHECK_FALSE(energy.joules_per_launch);
  CHECK(energy.reason == "the device's plugin has no telemetry");
  CHECK(bed.work.launches == 0);
}
