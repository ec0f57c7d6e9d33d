// SPDX-License-Identifier: Apache-2.0
// bench_cuda_tune SIZE TUNES TRUTH_SECONDS hot|cold IMAGE...: tunes SIZE x SIZE GEMM over the given
// cubins (each with a kernel "gemm", its block and tile in the file's name:
// gemm_<threads>_<BM>_<BN>.cubin) so often, each time anew, and measures all of them interleaved
// for so long each, by plain events: hot around a graph, cold around one launch after a fill of
// flush_bytes. Prints JSON.
#include <bench/bench.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

#include "device_work.hpp"

namespace {

using cuda_benchmark::check;
using Clock = std::chrono::steady_clock;
constexpr double truth_window_ns = 5e6;
constexpr std::size_t flush_bytes = 256u << 20;  // as triton.testing.do_bench's

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

struct Kernel {
  std::string name;
  CUfunction function = nullptr;
  unsigned threads = 0, rows = 0, columns = 0;
  CUgraphExec window = nullptr;
  int window_launches = 1;
  std::vector<double> truth_ns;
};

class Gemm {
 public:
  Gemm(int size, char **images, int count) : size_(size), kernels_(count) {
    check(cuInit(0), "cuInit");
    CUdevice device = 0;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (CUdeviceptr &one : memory_) {
      check(cuMemAlloc(&one, sizeof(float) * size * size), "cuMemAlloc");
      check(cuMemsetD32(one, 0x3f8ccccd, std::size_t(size) * size), "cuMemsetD32");
    }
    for (int i = 0; i < count; ++i) load(kernels_[i], images[i]);
  }
  Gemm(const Gemm &) = delete;  // owns the device memory
  Gemm &operator=(const Gemm &) = delete;

  std::vector<Kernel> &kernels() { return kernels_; }
  CUresult launch(std::size_t index, CUstream stream) const {
    const Kernel &kernel = kernels_[index];
    void *arguments[] = {const_cast<CUdeviceptr *>(&memory_[0]),
                         const_cast<CUdeviceptr *>(&memory_[1]),
                         const_cast<CUdeviceptr *>(&memory_[2])};
    return cuLaunchKernel(kernel.function, size_ / kernel.columns, size_ / kernel.rows, 1,
                          kernel.threads, 1, 1, 0, stream, arguments, nullptr);
  }

 private:
  void load(Kernel &kernel, const char *path) {
    kernel.name = std::filesystem::path(path).stem().string();
    if (std::sscanf(kernel.name.c_str(), "gemm_%u_%u_%u", &kernel.threads, &kernel.rows,
                    &kernel.columns) != 3)
      throw std::runtime_error("no gemm_<threads>_<BM>_<BN>: " + kernel.name);
    std::ifstream file(path, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), {});
    CUmodule module = nullptr;
    check(cuModuleLoadData(&module, image.c_str()), "cuModuleLoadData");
    check(cuModuleGetFunction(&kernel.function, module, "gemm"), "cuModuleGetFunction");
  }

  int size_;
  std::vector<Kernel> kernels_;
  CUdeviceptr memory_[3] = {};
};

/// All kernels in turn, a window of each a round, by plain events around a graph: nothing of ours.
void measure_truth(Gemm &gemm, double seconds, bool cold) {
  auto &kernels = gemm.kernels();
  CUdeviceptr flushed = 0;
  if (cold) check(cuMemAlloc(&flushed, flush_bytes), "cuMemAlloc");
  CUstream stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  CUevent begin = nullptr, end = nullptr;
  check(cuEventCreate(&begin, CU_EVENT_DEFAULT), "cuEventCreate");
  check(cuEventCreate(&end, CU_EVENT_DEFAULT), "cuEventCreate");
  const auto time_window = [&](Kernel &kernel) {
    if (cold) check(cuMemsetD32Async(flushed, 0, flush_bytes / 4, stream), "flush");
    check(cuEventRecord(begin, stream), "record");
    check(cuGraphLaunch(kernel.window, stream), "graph launch");
    check(cuEventRecord(end, stream), "record");
    check(cuStreamSynchronize(stream), "synchronize");
    float elapsed_ms = 0;
    check(cuEventElapsedTime(&elapsed_ms, begin, end), "elapsed");
    return elapsed_ms * 1e6 / kernel.window_launches;
  };
  const auto capture = [&](std::size_t index, int launches) {
    check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "begin capture");
    for (int i = 0; i < launches; ++i) check(gemm.launch(index, stream), "launch");
    CUgraph graph = nullptr;
    check(cuStreamEndCapture(stream, &graph), "end capture");
    check(cuGraphInstantiateWithFlags(&kernels[index].window, graph, 0), "instantiate");
    kernels[index].window_launches = launches;
  };
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    capture(i, 1);
    time_window(kernels[i]);
    const double one = time_window(kernels[i]);
    if (!cold) capture(i, std::max(1, static_cast<int>(truth_window_ns / one)));
    time_window(kernels[i]);
  }
  const auto begun = Clock::now();
  while (seconds_since(begun) < seconds * static_cast<double>(kernels.size()))
    for (Kernel &kernel : kernels) kernel.truth_ns.push_back(time_window(kernel));
  if (cold) check(cuMemFree(flushed), "cuMemFree");
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Tuned {
  std::uint64_t index;
  double wall_ms;
};

Tuned tune_once(bench_context *context, Gemm &gemm, int number, bool cold) {
  bench_callable_v1 callable{};
  callable.struct_size = sizeof callable;
  callable.flags = BENCH_CALLABLE_CAPTURABLE | BENCH_CALLABLE_REPEATABLE;
  callable.user = &gemm;
  callable.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
                       bench_error_v1 *) -> bench_status {
    return static_cast<Gemm *>(user)->launch(config->index,
                                             static_cast<CUstream>(stream->handle)) == CUDA_SUCCESS
               ? BENCH_OK
               : BENCH_ERROR_CALLABLE_FAILED;
  };
  const std::size_t count = gemm.kernels().size();
  std::vector<bench_config_v1> configs(count);
  std::vector<const bench_config_v1 *> pointers(count);
  for (std::size_t i = 0; i < count; ++i) {
    configs[i].struct_size = sizeof configs[i];
    configs[i].index = i;
    configs[i].hash = i;
    pointers[i] = &configs[i];
  }
  const std::string name = "gemm/" + std::to_string(number);
  const char *names[] = {"c", "n"}, *keys[] = {"n"};
  bench_tuner_options_v1 options{};
  options.struct_size = sizeof options;
  options.name = name.c_str();
  options.config_count = count;
  options.configs = pointers.data();
  options.argument_count = 2;
  options.argument_names = names;
  options.key_count = 1;
  options.key_names = keys;
  bench_policy_v1 policy{};
  policy.struct_size = sizeof policy;
  policy.kind = cold ? BENCH_POLICY_ISOLATED_COLD : BENCH_POLICY_BACK_TO_BACK;
  options.policy = &policy;
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  bench_tuner *tuner = nullptr;
  check(bench_tuner_create(context, &options, &tuner, &error), error);
  const std::int64_t shape[] = {1};
  bench_argument_v1 result{}, count_argument{};
  result.struct_size = count_argument.struct_size = sizeof result;
  result.kind = BENCH_ARGUMENT_TENSOR;
  result.dtype_code = 2;  // float
  result.dtype_bits = 32;
  result.dtype_lanes = 1;
  result.device = {BENCH_DEVICE_CUDA, 0};
  result.rank = 1;
  result.shape = shape;
  count_argument.kind = BENCH_ARGUMENT_INTEGER;
  count_argument.integer = number;
  const bench_argument_v1 *arguments[] = {&result, &count_argument};
  bench_call_v1 call{};
  call.struct_size = sizeof call;
  call.callable = &callable;
  Tuned tuned{};
  const auto begun = Clock::now();
  check(bench_tuner_lookup(tuner, arguments, 2, &call, &tuned.index, &error), error);
  tuned.wall_ms = seconds_since(begun) * 1e3;
  bench_tuner_destroy(tuner);
  return tuned;
}

int run(int argc, char **argv) {
  const bool cold = std::string(argv[4]) == "cold";
  Gemm gemm(std::atoi(argv[1]), argv + 5, argc - 5);
  bench_context_options_v1 options{};
  options.struct_size = sizeof options;
  options.flags = BENCH_CONTEXT_NO_STORE;
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  bench_context *context = nullptr;
  check(bench_context_create(&options, &context, &error), error);
  tune_once(context, gemm, -1, cold);  // opens the plugin and warms the device
  measure_truth(gemm, std::atof(argv[3]), cold);
  std::vector<Tuned> tunes;
  for (int i = 0; i < std::atoi(argv[2]); ++i) tunes.push_back(tune_once(context, gemm, i, cold));
  std::printf("{\"size\": %s, \"truth\": [", argv[1]);
  const char *separator = "";
  for (Kernel &kernel : gemm.kernels()) {
    // Half of the median's 95 % interval, by order statistics of a normal approximation.
    std::vector<double> sorted = kernel.truth_ns;
    std::sort(sorted.begin(), sorted.end());
    const double n = static_cast<double>(sorted.size());
    const auto half = static_cast<std::size_t>(std::ceil(0.98 * std::sqrt(n)));
    const std::size_t middle = sorted.size() / 2;
    const double low = sorted[middle > half ? middle - half : 0];
    const double high = sorted[std::min(sorted.size() - 1, middle + half)];
    std::printf("%s{\"name\": \"%s\", \"median_ns\": %.1f, \"half_width\": %.6f, \"windows\": %zu}",
                separator, kernel.name.c_str(), median(kernel.truth_ns),
                (high - low) / 2 / sorted[middle], sorted.size());
    separator = ", ";
  }
  std::printf("], \"tunes\": [");
  separator = "";
  for (const Tuned &tuned : tunes) {
    std::printf("%s{\"winner\": %llu, \"wall_ms\": %.3f}", separator,
                static_cast<unsigned long long>(tuned.index), tuned.wall_ms);
    separator = ", ";
  }
  std::printf("]}\n");
  bench_context_destroy(context);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fputs("usage: bench_cuda_tune SIZE TUNES TRUTH_SECONDS hot|cold IMAGE...\n", stderr);
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "bench_cuda_tune: %s\n", failure.what());
    return 3;
  }
}
