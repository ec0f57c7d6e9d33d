// SPDX-License-Identifier: Apache-2.0
// The tuner's candidates on the core's engine, over T1 primitives whose time is scripted.
#include "tune/tuner_bench.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "base/error.hpp"

using namespace bench;
using tune::TunerBench;
using tune::TunerOptions;

namespace {

constexpr double event_cost_ns = 40;  // what an empty window reads
double device_time_ns = 0;            // moved by launches and events, never by the host

struct Event {
  double at_ns = 0;
};
Event *event_of(bench_event_v1 *event) {
  return reinterpret_cast<Event *>(event);
}

bench_plugin_api_v1 scripted_api() {
  bench_plugin_api_v1 api{};
  api.struct_size = sizeof api;
  api.stream_create = [](auto, auto, bench_stream_v1 *stream, auto) {
    stream->kind = BENCH_STREAM_PLUGIN_OWNED;
    return bench_status{BENCH_OK};
  };
  api.stream_destroy = [](auto, auto, auto) {};
  api.stream_synchronize = [](auto, auto, auto, auto) { return bench_status{BENCH_OK}; };
  api.device_synchronize = [](auto, auto, auto) { return bench_status{BENCH_OK}; };
  api.event_create = [](auto, auto, auto, bench_event_v1 **event, auto) {
    *event = reinterpret_cast<bench_event_v1 *>(new Event);
    return bench_status{BENCH_OK};
  };
  api.event_destroy = [](auto, auto, bench_event_v1 *event) { delete event_of(event); };
  api.event_record = [](auto, auto, bench_event_v1 *event, auto, auto) {
    event_of(event)->at_ns = device_time_ns += event_cost_ns;
    return bench_status{BENCH_OK};
  };
  api.event_synchronize = [](auto, auto, auto, auto) { return bench_status{BENCH_OK}; };
  api.event_elapsed = [](auto, auto, bench_event_v1 *start, bench_event_v1 *stop, double *elapsed,
                         std::uint32_t *flags, auto) {
    *elapsed = event_of(stop)->at_ns - event_of(start)->at_ns;
    *flags = 0;
    return bench_status{BENCH_OK};
  };
  return api;
}

/// Two configurations: 0 takes 1 us, 1 fails as `failure` says (or takes 100 us).
struct Setup {
  bench_plugin_api_v1 api = scripted_api();
  measure::Target target{&api, nullptr, {BENCH_DEVICE_EXT, 0}, true, false};
  bench_status failure = BENCH_OK;
  bench_callable_v1 callable{};
  bench_call_v1 call{sizeof call, 0, &callable, nullptr, nullptr};
  bench_config_v1 config{};
  const bench_config_v1 *configs[2] = {&config, &config};
  std::unique_ptr<TunerOptions> options;

  Setup() {
    config.struct_size = sizeof config;
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_REPEATABLE;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *which, auto, auto) -> bench_status {
      if (which->index == 1 && static_cast<Setup *>(user)->failure != BENCH_OK)
        return static_cast<Setup *>(user)->failure;
      device_time_ns += which->index == 0 ? 1'000 : 100'000;
      return BENCH_OK;
    };
    bench_tuner_options_v1 raw{};
    raw.struct_size = sizeof raw;
    raw.name = "scripted/1";
    raw.configs = configs;
    raw.config_count = 2;
    options = std::make_unique<TunerOptions>(raw);
  }
};

}  // namespace

TEST_CASE("all candidates share the depth that the fastest needs") {
  Setup setup;
  TunerBench bench(setup.target, *setup.options, {0, 1}, setup.call);
  // A floor of 40 ns stays below 1 % of a window of 4 us: four launches of the fast one at least.
  CHECK(bench.depth() >= 4);
  const tune::Visit fast = bench.visit(0, 4);
  REQUIRE(fast.samples_ns.size() == 4);
  CHECK(fast.samples_ns[0] == doctest::Approx(1000).epsilon(0.011));
  const tune::Visit slow = bench.visit(1, 4);
  CHECK(slow.samples_ns[0] == doctest::Approx(100'000).epsilon(0.011));
}

TEST_CASE("a callable that is not repeatable is launched once a window") {
  Setup setup;
  setup.callable.flags = 0;
  TunerBench bench(setup.target, *setup.options, {0, 1}, setup.call);
  CHECK(bench.depth() == 1);
  CHECK(bench.visit(0, 1).samples_ns[0] == doctest::Approx(1000 + event_cost_ns));
}

TEST_CASE("a candidate that fails has an end of its own, the others are measured") {
  Setup setup;
  setup.failure = BENCH_ERROR_OUT_OF_RESOURCES;
  TunerBench bench(setup.target, *setup.options, {0, 1}, setup.call);
  CHECK_FALSE(bench.device_lost());
  CHECK(bench.visit(0, 2).samples_ns.size() == 2);
  try {
    bench.visit(1, 2);
    FAIL("no failure");
  } catch (const tune::VisitFailed &failed) {
    CHECK(failed.state() == tune::EndState::out_of_resources);
  }
}

TEST_CASE("a lost device is lost for all candidates") {
  Setup setup;
  setup.failure = BENCH_ERROR_DEVICE_LOST;
  TunerBench bench(setup.target, *setup.options, {0, 1}, setup.call);
  CHECK(bench.device_lost());
  for (const std::size_t candidate : {0, 1}) {
    try {
      bench.visit(candidate, 1);
      FAIL("no failure");
    } catch (const tune::VisitFailed &failed) {
      CHECK(failed.state() == tune::EndState::device_lost);
    }
  }
}

TEST_CASE("restore follows every visit and the probe") {
  Setup setup;
  static int restored;
  restored = 0;
  setup.callable.restore = [](auto, auto, auto, auto) {
    ++restored;
    return bench_status{BENCH_OK};
  };
  TunerBench bench(setup.target, *setup.options, {0, 1}, setup.call);
  const int probed = restored;
  CHECK(probed >= 2);
  bench.visit(0, 3);
  CHECK(restored == probed + 1);
}
