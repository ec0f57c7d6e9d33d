// SPDX-License-Identifier: Apache-2.0
// What the files of the plugin share.
#pragma once
#include <bench/ext/kernel.h>

#include <bench/plugin.hpp>
#include <vector>

// What open() makes. Your driver is opened at the first device_list, by dlopen, and never linked.
struct bench_instance_v1 {
  std::vector<char> flushed;
  const bench_host_v1 *host;  // valid until close(): log through it, never to stdout or stderr
};

namespace abacus {

using bench::plugin::Error;
using bench::plugin::guarded;

inline void check(bench_device_v1 device) {
  if (device.type == BENCH_DEVICE_EXT && device.id == 0) return;
  throw Error(BENCH_ERROR_NO_DEVICE, "there is no device " + std::to_string(device.id),
              "take abacus:0");
}

extern const bench_ext_kernel_v1 kernel_table;

}  // namespace abacus
