// SPDX-License-Identifier: Apache-2.0
// Latency of a hit: bench::Tuner::lookup with 6 arguments, by 1 and by 2 threads. Prints JSON.
// usage: benchmark_lookup [commit [device class]]

#include <algorithm>
#include <array>
#include <atomic>
#include <bench/bench.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

// Hits between two readings of the clock: 1 shows the tail, the clock's own cost included; 16 share
// that cost and show the usual hit.
constexpr int batches[] = {1, 16};
constexpr int keys = 32;          // tuned before, looked up in turn
constexpr int samples = 200'000;  // per thread

struct Kernel {
  bench::Device device = bench::cpu();
  std::array<float, 64> x{}, y{};
};

void fill(bench::Arguments &arguments, Kernel &kernel, std::int64_t n) {
  arguments.set("x", bench::tensor(kernel.x.data(), {8, 8}, kernel.device))
      .set("y", bench::tensor(kernel.y.data(), {64}, kernel.device))
      .set("m", std::int64_t{8})
      .set("n", n)
      .set("alpha", 0.5)
      .set("layout", "nt");
}

/// ns per lookup, one number for each batch, sorted.
std::vector<double> measure(const bench::Tuner &tuner, Kernel &kernel, int batch,
                            const std::atomic<bool> &go) {
  std::vector<std::unique_ptr<bench::Arguments>> calls;
  for (int n = 0; n < keys; ++n) {
    calls.push_back(std::make_unique<bench::Arguments>(tuner));
    fill(*calls.back(), kernel, n);
  }
  std::vector<double> result(samples);
  while (!go.load(std::memory_order_acquire)) std::this_thread::yield();
  std::uint64_t sum = 0;
  std::size_t next = 0;
  for (double &each : result) {
    const auto start = std::chrono::steady_clock::now();
    for (int count = 0; count < batch; ++count)
      sum += tuner.lookup(*calls[next++ % calls.size()]).value();
    each =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
        batch;
  }
  if (sum == ~std::uint64_t{0}) std::abort();  // uses `sum`, so that no lookup vanishes
  std::sort(result.begin(), result.end());
  return result;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

void report(int threads, int batch, std::vector<std::vector<double>> runs, bool last) {
  std::vector<double> all;
  for (const auto &run : runs) all.insert(all.end(), run.begin(), run.end());
  std::sort(all.begin(), all.end());
  const auto quantile = [&](double part) {
    return all[std::size_t(part * double(all.size() - 1))];
  };
  std::printf(
      "    {\"threads\": %d, \"lookups_per_sample\": %d, \"p50_ns\": %.1f, \"p99_ns\": %.1f, "
      "\"samples\": %zu}%s\n",
      threads, batch, quantile(0.5), quantile(0.99), all.size(), last ? "" : ",");
}

}  // namespace

int main(int count, char **words) {
  bench::ContextOptions context_options;
  context_options.flags = BENCH_CONTEXT_NO_STORE;
  const bench::Context context = bench::Context::create(context_options).value();
  bench::TunerOptions options;
  options.name = "lookup/1";
  options.configs = {{{"variant", 0}}, {{"variant", 1}}};
  options.argument_names = {"x", "y", "m", "n", "alpha", "layout"};
  options.key_names = {"x", "m", "n", "layout"};
  options.max_time_ns = 20'000'000;  // what is tuned does not matter here
  const bench::Tuner tuner = bench::Tuner::create(context, options).value();
  Kernel kernel;
  if (count > 2) kernel.device = bench::device(words[2]);
  for (int n = 0; n < keys; ++n) {
    bench::Arguments arguments(tuner);
    fill(arguments, kernel, n);
    const auto launch = [&] {
      for (std::size_t at = 0; at < kernel.x.size(); ++at) kernel.y[at] += 0.5f * kernel.x[at];
    };
    const bench::CallOptions call{BENCH_CALLABLE_SYNCHRONOUS | BENCH_CALLABLE_REPEATABLE};
    (void)tuner.lookup(arguments, launch, call).value();
  }
  std::printf(
      "{\n  \"benchmark\": \"lookup\",\n  \"commit\": \"%s\",\n  \"library\": \"%s\",\n"
      "  \"processor\": \"%s\",\n  \"cores\": %u,\n  \"arguments\": 6,\n  \"keys\": %d,\n"
      "  \"results\": [\n",
      count > 1 ? words[1] : "unknown", bench_version(), processor().c_str(),
      std::thread::hardware_concurrency(), keys);
  for (const int threads : {1, 2}) {
    for (const int batch : batches) {
      std::atomic<bool> go{false};
      std::vector<std::vector<double>> runs(static_cast<std::size_t>(threads));
      std::vector<std::thread> workers;
      for (auto &run : runs) workers.emplace_back([&] { run = measure(tuner, kernel, batch, go); });
      go.store(true, std::memory_order_release);
      for (std::thread &worker : workers) worker.join();
      report(threads, batch, runs, threads == 2 && batch == batches[1]);
    }
  }
  std::printf("  ]\n}\n");
  return 0;
}
