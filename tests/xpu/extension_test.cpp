// SPDX-License-Identifier: Apache-2.0
// bench.profiler/1 by kernel time stamps, bench.telemetry/1 by Sysman.
#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::Xpu;

namespace {

constexpr std::int64_t kernel_ns = 1000, tick_ns = 80;

std::vector<bench_activity_v1> stop(Xpu &xpu, std::uint64_t &dropped) {
  std::vector<bench_activity_v1> all(5000);
  std::uint64_t count = 0;
  REQUIRE_OK(xpu.profiler->stop(xpu.instance, xpu.device, all.data(), all.size(), &count, &dropped,
                                &xpu.error),
             xpu.error);
  all.resize(count);
  return all;
}

}  // namespace

TEST_CASE("the profiler shows each launch of the plugin's, across a wrap of each width") {
  for (const std::uint32_t bits : {32u, 36u, 63u, 64u}) {
    CAPTURE(bits);
    Xpu xpu;
    xpu.control.kernel_timestamp_bits = bits;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    // The counter wraps within the second of four kernels of 12.5 ticks each.
    xpu.control.first_tick = mask - 18 - xpu.control.now_ns() / 80;
    LoadedKernel kernel(xpu, "empty");
    REQUIRE_OK(xpu.profiler->start(xpu.instance, xpu.device, &xpu.error), xpu.error);
    for (int i = 0; i < 4; ++i) REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    std::uint64_t dropped = 9;
    const auto all = stop(xpu, dropped);
    CHECK(dropped == 0);
    REQUIRE(all.size() == 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(std::string(all[i].name) == "empty");
      CHECK(all[i].kind == BENCH_ACTIVITY_KERNEL);
      CHECK(all[i].end_ns - all[i].start_ns >= kernel_ns - tick_ns);
      CHECK(all[i].end_ns - all[i].start_ns <= kernel_ns + tick_ns);
      if (i > 0) CHECK(all[i].start_ns - all[i - 1].start_ns >= kernel_ns - tick_ns);
    }
    CHECK(all[3].end_ns - all[0].start_ns <= 4 * kernel_ns + tick_ns);
  }
}

TEST_CASE("the profiler starts again, counts what it drops, and is busy while it records") {
  Xpu xpu;
  LoadedKernel kernel(xpu, "empty");
  Error error;
  std::uint64_t count = 0, dropped = 0;
  CHECK(xpu.profiler->stop(xpu.instance, xpu.device, nullptr, 0, &count, &dropped, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  for (const std::uint64_t launches : {std::uint64_t{3}, std::uint64_t{4100}, std::uint64_t{1}}) {
    REQUIRE_OK(xpu.profiler->start(xpu.instance, xpu.device, &xpu.error), xpu.error);
    CHECK(xpu.profiler->start(xpu.instance, xpu.device, &error) == BENCH_ERROR_BUSY);
    CHECK(error.complete());
    for (std::uint64_t i = 0; i < launches; ++i) REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    CHECK(stop(xpu, dropped).size() == std::min<std::uint64_t>(launches, 4096));
    CHECK(dropped == (launches > 4096 ? launches - 4096 : 0));
  }
  // What cannot be seen is counted: a graph's launches share one event.
  REQUIRE_OK(xpu.profiler->start(xpu.instance, xpu.device, &xpu.error), xpu.error);
  bench_stream_v1 recording{};
  recording.struct_size = sizeof recording;
  REQUIRE_OK(xpu.graph->begin(xpu.instance, xpu.device, &xpu.stream(), &recording, &xpu.error),
             xpu.error);
  REQUIRE_OK(kernel.launch(recording), xpu.error);
  REQUIRE_OK(xpu.graph->end(xpu.instance, xpu.device, &recording, nullptr, nullptr, &xpu.error),
             xpu.error);
  CHECK(stop(xpu, dropped).empty());
  CHECK(dropped == 1);
  // Not recording: a launch takes no event.
  REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
}

TEST_CASE("telemetry needs Sysman, and says how to get it") {
  Xpu xpu;
  bench_telemetry_v1 state{};
  state.struct_size = sizeof state;
  ::unsetenv("ZES_ENABLE_SYSMAN");
  CHECK(xpu.telemetry->read(xpu.instance, xpu.device, &state, &xpu.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(xpu.error.has("ZES_ENABLE_SYSMAN"));
  CHECK(xpu.error.complete());
  ::setenv("ZES_ENABLE_SYSMAN", "1", 1);
  REQUIRE_OK(xpu.telemetry->read(xpu.instance, xpu.device, &state, &xpu.error), xpu.error);
  CHECK(state.known ==
        (BENCH_TELEMETRY_CLOCK | BENCH_TELEMETRY_MAX_CLOCK | BENCH_TELEMETRY_MEMORY_CLOCK |
         BENCH_TELEMETRY_TEMPERATURE | BENCH_TELEMETRY_POWER_LIMIT | BENCH_TELEMETRY_ENERGY |
         BENCH_TELEMETRY_THROTTLE | BENCH_TELEMETRY_PROCESSES));
  CHECK(state.clock_hz == 2100e6);
  CHECK(state.max_clock_hz == 2400e6);
  CHECK(state.memory_clock_hz == 1100e6);
  CHECK(state.temperature_celsius == 61);
  CHECK(state.energy_joules == doctest::Approx(5));
  CHECK(state.power_limit_watts == doctest::Approx(190));
  CHECK(state.throttle == (BENCH_THROTTLE_POWER | BENCH_THROTTLE_THERMAL));
  CHECK(state.other_processes == 1);  // this process is not among the others
  double clock_hz = 1e9;
  CHECK(xpu.telemetry->lock_clock(xpu.instance, xpu.device, &clock_hz, &xpu.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(xpu.telemetry->unlock_clock(xpu.instance, xpu.device, &xpu.error) == BENCH_OK);
}
