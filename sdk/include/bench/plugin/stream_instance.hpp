// SPDX-License-Identifier: Apache-2.0
// What an instance of a plugin over stream_runtime.hpp remembers: its devices' state, and in which
// process the driver was started.
#pragma once
#include <atomic>
#include <bench/plugin.hpp>
#include <bench/plugin/fork_count.hpp>
#include <string>
#include <vector>

namespace bench::plugin {

/// A context of the driver, where no stream stands for it.
struct ContextKey {
  const void *context;
};

template <typename Runtime>
struct StreamInstance {
  struct Flush {
    const void *context;
    void *memory;
    std::uint64_t size;
    typename Runtime::Reader reader;
    bool reads;
    std::uint8_t value;   // written last
    std::uint32_t users;  // that prepared it and have not released it
  };
  /// A gate's word in host memory, kept for the next gate: see stream_extensions.hpp.
  struct Word {
    std::uint32_t *host;
    void *device;
  };
  struct Device {
    std::atomic<bool> lost{false};
    std::vector<Flush> flushes;  // one a context; searched in [timed], changed in [device] only
    std::vector<typename Runtime::Stream> idle_streams;  // of the own context, see stream_create
    std::vector<Word> words;
    std::vector<typename Runtime::Stream> recordings;  // streams made only to record a graph on
  };
  /// State of a device by its id. Without a lock: each function comes by here.
  Device &device(std::int32_t id) {
    if (id < 0 || id >= most_devices)
      throw Error(BENCH_ERROR_NO_DEVICE, "device id " + std::to_string(id) + " is out of range",
                  "take one of device_list");
    return devices[id];
  }
  /// Called before the driver is touched, in each function. What counts is the process that started
  /// the driver, through whichever instance: one that a child opens shares its parent's driver.
  static void check_process() {
    const std::uint64_t now = fork_count();
    std::uint64_t first = process.load(std::memory_order_relaxed);
    if (first == now) return;
    if (first == no_process &&
        (process.compare_exchange_strong(first, now, std::memory_order_relaxed) || first == now))
      return;
    throw Error(BENCH_ERROR_UNSUPPORTED,
                "this process was forked after the driver was started, which no driver survives",
                "start the process anew, or fork before the first use of a device");
  }
  /// The driver was started, and here.
  static bool in_driver_process() {
    return process.load(std::memory_order_relaxed) == fork_count();
  }

  static constexpr std::uint64_t no_process = UINT64_MAX;
  static inline std::atomic<std::uint64_t> process{no_process};
  static constexpr int most_devices = 256;
  Device devices[most_devices];
};

}  // namespace bench::plugin
