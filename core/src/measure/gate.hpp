// SPDX-License-Identifier: Apache-2.0
// A plugin's gate with a watchdog: a stream never waits for a host that waits for the stream.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "bench/ext/gate.h"
#include "measure/engine.hpp"

namespace bench::measure {

/// One thread closes it and opens it; a thread of its own opens it when that takes too long, since
/// the first may then be blocked inside a launch, holding locks (an interpreter's, a driver's) that
/// nobody else may need.
class Gate {
 public:
  /// Throws Failure, UNSUPPORTED where the device has no gate. `stream` outlives this.
  Gate(const Target &target, const bench_ext_gate_v1 &extension, const bench_stream_v1 &stream);
  ~Gate();
  Gate(const Gate &) = delete;  // owns the plugin's gate and a thread
  Gate &operator=(const Gate &) = delete;

  /// What is enqueued from now on waits. [timed]
  bench_status close(bench_error_v1 &error);
  /// Lets it run. Returns false if the watchdog had to open before. [timed]
  bool open();
  /// Launches that fit behind it.
  std::uint32_t depth() const { return extension_.max_launches; }

 private:
  void watch();

  const Target &target_;
  const bench_ext_gate_v1 &extension_;
  const bench_stream_v1 &stream_;
  bench_gate_v1 *gate_ = nullptr;
  // Closings so far, twice, plus one while it is closed: one word that both threads agree on.
  std::atomic<std::uint64_t> turn_{0};
  std::atomic<std::uint64_t> forced_{0};  // the turn that the watchdog opened
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread watchdog_;
};

}  // namespace bench::measure
