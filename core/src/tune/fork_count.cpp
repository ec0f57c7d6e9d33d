// SPDX-License-Identifier: Apache-2.0
#include "tune/fork_count.hpp"

#include <pthread.h>

#include <atomic>

namespace bench::tune {

namespace {
std::atomic<std::uint64_t> forks{0};
void count_fork() {
  forks.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

std::uint64_t fork_count() noexcept {
  // Registered at the first question: whoever compares two counts has asked before the fork.
  static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
  (void)registered;
  return forks.load(std::memory_order_relaxed);
}

}  // namespace bench::tune
