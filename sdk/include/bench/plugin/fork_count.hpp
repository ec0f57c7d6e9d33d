// SPDX-License-Identifier: Apache-2.0
// How often this process has been forked into: drivers do not survive a fork, and a plugin has to
// know without a system call in each function.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace bench::plugin {

/// Grows by one in each child. The same number as when a driver was started: still that process.
inline std::uint64_t fork_count() {
  static std::atomic<std::uint64_t> count{0};
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
  return count.load(std::memory_order_relaxed);
}

}  // namespace bench::plugin
