// SPDX-License-Identifier: Apache-2.0
// The engine on the CPU against Google Benchmark: the same function pointers of one shared object,
// ten repeats each, interleaved so that a slow minute of the machine meets both.
#include <bench/bench.h>
#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "../support.hpp"

extern "C" {
void work_50ns();
void work_500ns();
void work_5us();
void work_50us();
void work_1ms();
void work_10ms();
}

namespace {

using nlohmann::json;
using Function = void (*)();

constexpr int repeats = 10;

double now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Hands the time per iteration of a single run over, and prints nothing.
class Quiet final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) time_ns = run.GetAdjustedRealTime();
  }
  double time_ns = 0;
};

double google_ns(Function function) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("f", [function](benchmark::State &state) {
    for (auto _ : state) function();
  })->UseRealTime();
  Quiet quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);
  return quiet.time_ns;
}

double ours_ns(bench_context *context, Function function, std::uint32_t *launches) {
  bench_callable_v1 callable{};
  callable.struct_size = sizeof callable;
  callable.flags = BENCH_CALLABLE_REPEATABLE | BENCH_CALLABLE_SYNCHRONOUS;
  callable.user = reinterpret_cast<void *>(function);
  callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                       bench_error_v1 *) -> bench_status {
    reinterpret_cast<Function>(user)();
    return BENCH_OK;
  };
  // As much time as Google Benchmark spends timing by default: over a shorter one the slow drift of
  // a processor's clock would be compared instead of the engines.
  bench_policy_v1 policy{};
  policy.struct_size = sizeof policy;
  policy.max_time_ns = 500'000'000;
  policy.max_samples = 500'000;
  policy.relative_half_width = 1e-4;
  bench_measurement_v1 measurement{};
  measurement.struct_size = sizeof measurement;
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  if (bench_do_bench(context, {BENCH_DEVICE_CPU, 0}, nullptr, &callable, nullptr, &policy,
                     &measurement, &error) != BENCH_OK) {
    std::cerr << error.what << " (" << error.hint << ")\n";
    std::exit(1);
  }
  *launches = measurement.launches_per_window;
  return measurement.median_ns;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Coefficient of variation over the repeats.
double spread(const std::vector<double> &values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size() - 1)) / mean;
}

}  // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  bench_context *context = nullptr;
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  if (bench_context_create(nullptr, &context, &error) != BENCH_OK) {
    std::cerr << error.what << "\n";
    return 1;
  }
  const std::pair<const char *, Function> functions[] = {
      {"50 ns", work_50ns}, {"500 ns", work_500ns}, {"5 us", work_5us},
      {"50 us", work_50us}, {"1 ms", work_1ms},     {"10 ms", work_10ms}};
  // Another program on the machine spoils the comparison: the reader must see it.
  double load[1] = {};
  ::getloadavg(load, 1);
  json rows = json::array();
  double log_ratio = 0, google_wall = 0, our_wall = 0;
  for (const auto &[name, function] : functions) {
    std::vector<double> google, ours;
    std::uint32_t launches = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      const double start = now_s();
      google.push_back(google_ns(function));
      const double middle = now_s();
      ours.push_back(ours_ns(context, function, &launches));
      google_wall += middle - start;
      our_wall += now_s() - middle;
    }
    const double ratio = spread(ours) / spread(google);
    log_ratio += std::log(ratio) / static_cast<double>(std::size(functions));
    rows.push_back({{"function", name},
                    {"google_median_ns", median(google)},
                    {"bench_median_ns", median(ours)},
                    {"difference_percent", (median(ours) / median(google) - 1) * 100},
                    {"difference_ns", median(ours) - median(google)},
                    {"google_spread", spread(google)},
                    {"bench_spread", spread(ours)},
                    {"spread_ratio", ratio},
                    {"launches_per_window", launches}});
  }
  bench_context_destroy(context);
  std::cout << json{{"machine", benchmarks::machine()},
                    {"commit", benchmarks::commit()},
                    {"repeats", repeats},
                    {"load_average_before", load[0]},
                    {"rows", rows},
                    {"spread_ratio_geometric_mean", std::exp(log_ratio)},
                    {"wall_s", {{"google", google_wall}, {"bench", our_wall}}}}
                   .dump(1)
            << "\n";
}
