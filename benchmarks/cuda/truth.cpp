// SPDX-License-Identifier: Apache-2.0
// bench_cuda_truth PLUGIN IMAGE KERNEL COUNT LAUNCHES: what NVIDIA's activity records say of a
// graph of so many launches: the period from start to start, and the kernels' own duration. Talks
// to the plugin as any host may: through its one symbol.
#include <bench/ext/profiler.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "device_work.hpp"

namespace {

constexpr int repeats = 20;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int run(char **argv) {
  cuda_benchmark::DeviceWork work(argv[2], argv[3], std::atoi(argv[4]));
  const int launches = std::atoi(argv[5]);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto entry = reinterpret_cast<bench_plugin_entry_v1>(dlsym(library, "bench_plugin_v1"));
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  const bench_plugin_api_v1 *api = entry(nullptr, &error);
  bench_instance_v1 *instance = nullptr;
  cuda_benchmark::check(api->open(nullptr, nullptr, &instance, &error), error);
  const auto &profiler = *static_cast<const bench_ext_profiler_v1 *>(
      api->get_extension(instance, BENCH_EXT_PROFILER_V1));
  const bench_device_v1 device{BENCH_DEVICE_CUDA, 0};

  using cuda_benchmark::check;
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "begin capture");
  for (int i = 0; i < launches; ++i) check(work.launch(stream), "launch");
  CUgraph graph = nullptr;
  check(cuStreamEndCapture(stream, &graph), "end capture");
  CUgraphExec executable = nullptr;
  check(cuGraphInstantiateWithFlags(&executable, graph, 0), "instantiate");

  CUevent begin = nullptr, end = nullptr;
  check(cuEventCreate(&begin, CU_EVENT_DEFAULT), "create an event");
  check(cuEventCreate(&end, CU_EVENT_DEFAULT), "create an event");
  // The same graph between two events: per launch, with what opening and closing costs.
  const auto timed = [&] {
    check(cuEventRecord(begin, stream), "record");
    check(cuGraphLaunch(executable, stream), "graph launch");
    check(cuEventRecord(end, stream), "record");
    check(cuStreamSynchronize(stream), "synchronize");
    float elapsed_ms = 0;
    check(cuEventElapsedTime(&elapsed_ms, begin, end), "elapsed");
    return static_cast<double>(elapsed_ms) * 1e6 / launches;
  };
  std::vector<double> unprofiled, profiled;
  for (int repeat = 0; repeat < 2 * repeats; ++repeat) {
    const double one = timed();
    if (repeat >= repeats) unprofiled.push_back(one);
  }

  std::vector<double> periods, durations;
  std::vector<bench_activity_v1> activities(static_cast<std::size_t>(launches) * 2);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (int warm = 0; warm < 3; ++warm) check(cuGraphLaunch(executable, stream), "graph launch");
    check(cuStreamSynchronize(stream), "synchronize");
    check(profiler.start(instance, device, &error), error);
    profiled.push_back(timed());
    std::uint64_t count = 0, dropped = 0;
    check(profiler.stop(instance, device, activities.data(), activities.size(), &count, &dropped,
                        &error),
          error);
    if (count != static_cast<std::uint64_t>(launches) || dropped != 0)
      throw std::runtime_error("the profiler saw " + std::to_string(count) + " of " +
                               std::to_string(launches) + " launches");
    std::vector<double> own;
    for (std::uint64_t i = 0; i < count; ++i)
      own.push_back(static_cast<double>(activities[i].end_ns - activities[i].start_ns));
    durations.push_back(median(own));
    if (count > 1)
      periods.push_back(
          static_cast<double>(activities[count - 1].start_ns - activities[0].start_ns) /
          static_cast<double>(count - 1));
  }
  std::printf(
      "{\"period_ns\": %.3f, \"duration_ns\": %.3f, \"event_ns\": %.3f, "
      "\"event_profiled_ns\": %.3f, \"launches\": %d, \"repeats\": %d}\n",
      periods.empty() ? 0.0 : median(periods), median(durations), median(unprofiled),
      median(profiled), launches, repeats);
  api->close(instance);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fputs("usage: bench_cuda_truth PLUGIN IMAGE KERNEL COUNT LAUNCHES\n", stderr);
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "bench_cuda_truth: %s\n", failure.what());
    return 3;
  }
}
