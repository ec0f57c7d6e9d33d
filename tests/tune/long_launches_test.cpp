// SPDX-License-Identifier: Apache-2.0
// What tuning long kernels costs, under a virtual clock: a fixed budget makes few launches of each,
// and so must a race.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <random>

#include "../measure/mock_device.hpp"
#include "tune/tuner_bench.hpp"

using namespace bench;
using bench::test::MockDevice;

namespace {

/// Milliseconds of 15 tilings of an 8192 x 8192 product on an H200
/// (benchmarks/results/cuda_h200.json).
const std::vector<double> times_ms = {29.38, 31.26, 32.43, 35.4,  37.15, 39.84, 41.06, 41.41,
                                      41.41, 45.52, 48.72, 50.24, 54.19, 61.29, 111.78};
constexpr double noise = 0.002;  // from launch to launch there

/// What triton.testing.do_bench(warmup=25, rep=100) launches of a kernel: one, five to estimate,
/// then as many as fit, at least one, for warm-up and for measurement.
double fixed_budget_ms(double each_ms) {
  return each_ms *
         (6 + std::max(1.0, std::floor(25 / each_ms)) + std::max(1.0, std::floor(100 / each_ms)));
}

struct Long {
  MockDevice device;
  std::mt19937_64 random{7};
  bench_callable_v1 callable{};
  std::vector<bench_config_v1> configs{times_ms.size()};
  std::vector<const bench_config_v1 *> pointers;
  std::unique_ptr<tune::TunerOptions> options;
  std::size_t launches = 0;

  Long() {
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_REPEATABLE;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
                         bench_error_v1 *error) -> bench_status {
      Long &self = *static_cast<Long *>(user);
      ++self.launches;
      std::normal_distribution<double> spread(1.0, noise);
      const auto &target = self.device.target;
      return self.device.control->work(target.instance, target.device, stream,
                                       times_ms[config->index] * 1e6 * spread(self.random), error);
    };
    for (std::size_t i = 0; i < configs.size(); ++i) {
      configs[i].struct_size = sizeof configs[i];
      configs[i].index = i;
      configs[i].hash = i;
      pointers.push_back(&configs[i]);
    }
    static const char *const names[] = {"n"};
    bench_tuner_options_v1 given{};
    given.struct_size = sizeof given;
    given.name = "gemm/8192";
    given.config_count = configs.size();
    given.configs = pointers.data();
    given.argument_count = given.key_count = 1;
    given.argument_names = given.key_names = names;
    given.default_config = 7;
    options = std::make_unique<tune::TunerOptions>(given);
  }
};

}  // namespace

TEST_CASE("a race of long kernels costs less than a fixed budget for each, and finds the fastest") {
  Long bed;
  bench_call_v1 call{};
  call.struct_size = sizeof call;
  call.callable = &bed.callable;
  std::vector<std::size_t> all(times_ms.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::int64_t begun = bed.device.clock.now_ns();
  tune::TunerBench bench(bed.device.target, *bed.options, all, call, {}, bed.device.clock);
  tune::RaceOptions race_options;
  race_options.default_candidate = 7;
  const tune::RaceResult result = tune::race(
      bench, std::vector<tune::EndState>(all.size(), tune::EndState::not_tested), race_options);
  const double took_ms = static_cast<double>(bed.device.clock.now_ns() - begun) / 1e6;
  double fixed_ms = 0.0;
  for (const double each : times_ms) fixed_ms += fixed_budget_ms(each);
  REQUIRE(result.winner);
  CHECK(*result.winner == 0);
  MESSAGE("launches ", bed.launches, ", ", took_ms, " ms; fixed budget ", fixed_ms,
          " ms: ", took_ms / fixed_ms);
  CHECK(took_ms < 0.45 * fixed_ms);
}
