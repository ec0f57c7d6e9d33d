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
