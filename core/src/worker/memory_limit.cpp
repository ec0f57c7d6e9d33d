// SPDX-License-Identifier: Apache-2.0
#include "worker/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace bench::worker {
namespace {

/// The number of kB behind `name` in a file of /proc; 0 if it is not there.
rlim_t kilobytes(const char *file, const std::string &name) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    rlim_t value = 0;
    if (word == name && stream >> value) return value;
  }
  return 0;
}

}  // namespace

void be_first_without_memory() noexcept {
  try {
    std::ofstream("/proc/self/oom_score_adj") << 1000;
  } catch (...) {
    // Not on this system: then the kernel chooses.
  }
}

void limit_memory() noexcept {
  try {
    rlimit limit{};
    const rlim_t left = kilobytes("/proc/meminfo", "MemAvailable:");
    if (left == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    // A part stays for everybody else.
    const rlim_t own = kilobytes("/proc/self/status", "VmData:") + left / 8 * 7;
    limit.rlim_cur = std::min(limit.rlim_cur, own * 1024);
    ::setrlimit(RLIMIT_DATA, &limit);
  } catch (...) {
    // No limit, then.
  }
}

}  // namespace bench::worker
