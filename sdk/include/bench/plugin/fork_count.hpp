// SPDX-License-Identifier: Apache-2.0
// How often this process has been forked into: drivers do not survive a fork, and a plugin has to
// know without a system call in each function.
#pragma once
#include <pthread.h>

#include <atomic>
#include <bench/plugin.hpp>
#include <cstdint>
#include <string>

namespace bench::plugin {

/// Grows by one in each child. The same number as when a driver was started: still that process.
inline std::uint64_t fork_count() {
  static std::atomic<std::uint64_t> count{0};
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
  return count.load(std::memory_order_relaxed);
}

/// The process that a driver was started in, by whichever instance came first.
class DriverProcess {
 public:
  void started() {
    std::int64_t never = -1;
    at_.compare_exchange_strong(never, static_cast<std::int64_t>(fork_count()));
  }
  /// Throws UNSUPPORTED in a child forked after the start; before it a child is as good as new.
  void refuse_forked_child(const char *driver) const {
    const std::int64_t at = at_.load(std::memory_order_relaxed);
    if (at < 0 || at == static_cast<std::int64_t>(fork_count())) return;
    throw Error(BENCH_ERROR_UNSUPPORTED,
                std::string("this process was forked from one that had started ") + driver,
                "start processes that use the device by exec, or fork before the first use");
  }

 private:
  std::atomic<std::int64_t> at_{-1};
};

}  // namespace bench::plugin
