// SPDX-License-Identifier: Apache-2.0
// Loaders of other versions: what is absent steps down, what is newer is used. BENCH_XPU_LOADER
// says which one LD_LIBRARY_PATH has put in front.
#include "xpu_plugin.hpp"

using bench::test::LoadedKernel;
using bench::test::Xpu;

namespace {

bool is_case(const char *name) {
  const char *given = std::getenv("BENCH_XPU_LOADER");
  return given && std::string(given) == name;
}

bench_device_info_v1 info(Xpu &xpu) {
  bench_device_info_v1 told{};
  told.struct_size = sizeof told;
  REQUIRE_OK(xpu.api.device_info(xpu.instance, xpu.device, &told, &xpu.error), xpu.error);
  return told;
}

}  // namespace

TEST_CASE("the functions of Level Zero 1.0 are enough to measure") {
  if (!is_case("older")) return;
  Xpu xpu;
  const bench_device_info_v1 told = info(xpu);
  CHECK(told.state == BENCH_OK);
  CHECK(std::string(told.bus_id).empty());
  bench_telemetry_v1 state{};
  state.struct_size = sizeof state;
  CHECK(xpu.telemetry->read(xpu.instance, xpu.device, &state, &xpu.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(xpu.error.complete());
  void *memory = xpu.allocate(64);
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  {
    LoadedKernel kernel(xpu, "empty");
    xpu.record(start);
    REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(stop);
    xpu.synchronize();
  }
  CHECK(xpu.elapsed(start, stop) == doctest::Approx(1000).epsilon(0.1));
  xpu.api.memory_free(xpu.instance, xpu.device, memory);
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
}

TEST_CASE(
    "with zesInit telemetry needs no environment variable, and finds the device by its UUID") {
  if (!is_case("newer")) return;
  ::unsetenv("ZES_ENABLE_SYSMAN");
  for (std::int32_t id = 0; id < 2; ++id) {
    CAPTURE(id);
    Xpu xpu(id);
    xpu.control.devices = 2;
    CHECK(std::string(info(xpu).bus_id) == (id == 0 ? "0000:65:00.0" : "0000:66:00.0"));
    bench_telemetry_v1 state{};
    state.struct_size = sizeof state;
    REQUIRE_OK(xpu.telemetry->read(xpu.instance, xpu.device, &state, &xpu.error), xpu.error);
    CHECK(state.clock_hz == 2100e6);
    CHECK(xpu.control.sysman_device == id);
  }
}
