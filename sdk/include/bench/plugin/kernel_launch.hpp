// SPDX-License-Identifier: Apache-2.0
// What plugins with bench.kernel/1 check and write alike. Header-only, C++17.
#pragma once
#include <bench/ext/kernel.h>

#include <algorithm>
#include <bench/plugin.hpp>
#include <string>

namespace bench::plugin {

struct LaunchLimits {
  bench_kernel_limits_v1 device;
  std::uint64_t max_threads;         // of this kernel, given its registers
  std::uint64_t max_dynamic_shared;  // beside its static one
  std::uint32_t argument_count;      // its parameters that are no symbols
};

/// Throws Error for a launch that the device would refuse, or never finish, with the numbers.
inline void check_launch(const LaunchLimits &limits, const bench_kernel_launch_v1 &launch) {
  const auto beyond = [](const std::string &what, std::uint64_t given, std::uint64_t allowed) {
    throw Error(
        BENCH_ERROR_OUT_OF_RESOURCES,
        what + " is " + std::to_string(given) + ", the device allows " + std::to_string(allowed),
        "leave the configuration out");
  };
  constexpr const char *axes[] = {"x", "y", "z"};
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    threads *= launch.block[axis];
    if (launch.block[axis] == 0 || launch.grid[axis] == 0)
      throw Error(BENCH_ERROR_CONFIG_REJECTED,
                  std::string("the launch has no threads along ") + axes[axis],
                  "grid and block are at least 1");
    if (launch.block[axis] > limits.device.max_block[axis])
      beyond(std::string("block.") + axes[axis], launch.block[axis], limits.device.max_block[axis]);
    if (launch.grid[axis] > limits.device.max_grid[axis])
      beyond(std::string("grid.") + axes[axis], launch.grid[axis], limits.device.max_grid[axis]);
  }
  if (threads > limits.max_threads)
    beyond("threads per block (with this kernel's registers)", threads, limits.max_threads);
  if (launch.shared_bytes > limits.max_dynamic_shared)
    beyond("dynamic shared memory", launch.shared_bytes, limits.max_dynamic_shared);
  if (launch.argument_count != limits.argument_count)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                std::to_string(launch.argument_count) + " arguments are given, the kernel has " +
                    std::to_string(limits.argument_count),
                "pass one for each parameter that is no symbol");
  if (launch.required)
    throw Error(BENCH_ERROR_UNSUPPORTED, "the launch requires what this plugin does not know",
                "use a newer plugin");
}

/// The first line of a compiler's log that says what is wrong; else its first line.
inline std::string first_error(const std::string &log) {
  std::size_t begin = 0;
  std::string first;
  while (begin < log.size()) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
    begin = end + 1;
  }
  return first;
}

}  // namespace bench::plugin
