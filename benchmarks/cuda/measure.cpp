// SPDX-License-Identifier: Apache-2.0
// bench_cuda_measure IMAGE KERNEL COUNT POLICY METHOD REPEATS: measures a kernel of a cubin so
// often, in this process, and prints one JSON line a repeat.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "device_work.hpp"

namespace {

const std::map<std::string, std::uint32_t> policies{{"back-to-back", BENCH_POLICY_BACK_TO_BACK},
                                                    {"isolated-hot", BENCH_POLICY_ISOLATED_HOT},
                                                    {"isolated-cold", BENCH_POLICY_ISOLATED_COLD}};
const std::map<std::string, std::uint32_t> methods{{"auto", BENCH_METHOD_UNKNOWN},
                                                   {"event", BENCH_METHOD_EVENT},
                                                   {"gate", BENCH_METHOD_GATE},
                                                   {"graph", BENCH_METHOD_GRAPH},
                                                   {"profiler", BENCH_METHOD_PROFILER}};

void print(const bench_measurement_v1 &result, double wall_ms) {
  // NaN, if the interval was withheld, compares with nothing.
  const bool has_interval = result.interval_high_ns >= result.interval_low_ns;
  const double half_width =
      (result.interval_high_ns - result.interval_low_ns) / 2 / result.median_ns;
  std::printf(
      "{\"median_ns\": %.3f, \"mean_ns\": %.3f, \"half_width\": %s, \"wall_ms\": %.3f, "
      "\"method\": %u, \"launches_per_window\": %u, \"samples\": %llu, \"flags\": %u, "
      "\"stop\": \"%s\", \"floor_ns\": %.1f, \"note\": \"%s\"}\n",
      result.median_ns, result.mean_ns, has_interval ? std::to_string(half_width).c_str() : "null",
      wall_ms, result.method, result.launches_per_window,
      static_cast<unsigned long long>(result.samples), result.flags, result.stop_reason,
      result.floor_ns, result.note);
}

int run(char **argv) {
  cuda_benchmark::DeviceWork work(argv[1], argv[2], std::atoi(argv[3]));
  bench_policy_v1 policy{};
  policy.struct_size = sizeof policy;
  policy.kind = policies.at(argv[4]);
  policy.method = methods.at(argv[5]);
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  bench_context *context = nullptr;
  cuda_benchmark::check(bench_context_create(nullptr, &context, &error), error);
  bench_device_v1 device{};
  cuda_benchmark::check(bench_device_parse(context, "cuda:0", &device, &error), error);
  const int repeats = std::atoi(argv[6]);
  // The first one warms the device and opens the plugin: a process pays for that once.
  for (int i = -1; i < repeats; ++i) {
    bench_measurement_v1 result{};
    result.struct_size = sizeof result;
    const auto begun = std::chrono::steady_clock::now();
    cuda_benchmark::check(
        bench_do_bench(context, device, nullptr, &work.callable, nullptr, &policy, &result, &error),
        error);
    const double wall_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    if (i < 0) continue;
    print(result, wall_ms);
  }
  bench_context_destroy(context);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::fputs("usage: bench_cuda_measure IMAGE KERNEL COUNT POLICY METHOD REPEATS\n", stderr);
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "bench_cuda_measure: %s\n", failure.what());
    return 3;
  }
}
