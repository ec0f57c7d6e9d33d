// SPDX-License-Identifier: Apache-2.0
#include "worker/compile_pool.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.hpp"

namespace bench::worker {
namespace {

// How long the caller may wait to hear that it should stop.
constexpr std::chrono::milliseconds progress_period{100};
// A translation unit that takes longer is a compiler that hangs.
constexpr std::int64_t compile_timeout_ns = 120'000'000'000;

}  // namespace

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

std::map<std::uint64_t, CompileWorker::Result> compile_all(
    const WorkerSetup &setup, const std::vector<std::uint64_t> &indices, unsigned jobs,
    const std::function<bool(const PoolProgress &)> &progress) {
  std::map<std::uint64_t, CompileWorker::Result> results;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::size_t running =
      std::max(1u, std::min<unsigned>(jobs, static_cast<unsigned>(indices.size())));
  std::vector<std::thread> threads;
  const std::size_t count = indices.empty() ? 0 : running;
  running = count;
  const std::int64_t begun = system_clock().now_ns();
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      CompileWorker worker(setup);
      for (std::size_t at = next++; at < indices.size() && !stop; at = next++) {
        CompileWorker::Result result =
            worker.compile({{"op", "compile"}, {"index", indices[at]}}, compile_timeout_ns);
        const std::lock_guard lock(mutex);
        results.emplace(indices[at], std::move(result));
        changed.notify_one();
      }
      const std::lock_guard lock(mutex);
      --running;
      changed.notify_one();
    });
  }
  {
    std::unique_lock lock(mutex);
    while (running > 0) {
      changed.wait_for(lock, progress_period);
      const PoolProgress now{results.size(), indices.size(), system_clock().now_ns() - begun};
      lock.unlock();  // a slow callback must not hold the compilers up
      if (progress && !progress(now)) stop = true;
      lock.lock();
    }
  }
  for (std::thread &thread : threads) thread.join();
  return results;
}

}  // namespace bench::worker
