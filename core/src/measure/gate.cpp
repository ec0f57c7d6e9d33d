// SPDX-License-Identifier: Apache-2.0
#include "measure/gate.hpp"

#include <chrono>

#include "base/error.hpp"

namespace bench::measure {
namespace {

// A gate is closed while a few hundred launches are enqueued: some milliseconds at most. Looking at
// a clock so seldom costs the measured thread nothing, not even a store beyond its own counter.
constexpr std::chrono::milliseconds look_every{20};
// So many looks at one and the same closing: 100 to 120 ms. A shorter limit fired when the system
// had taken the enqueuing thread's core away.
constexpr int patience_looks = 5;

}  // namespace

Gate::Gate(const Target &target, const bench_ext_gate_v1 &extension, const bench_stream_v1 &stream)
    : target_(target), extension_(extension), stream_(stream) {
  bench_error_v1 error = error_struct();
  const bench_status status =
      extension_.create(target_.instance, target_.device, &stream_, &gate_, &error);
  if (status != BENCH_OK) throw Failure(status, error, "gate");
  try {
    watchdog_ = std::thread([this] { watch(); });
  } catch (const std::exception &) {
    extension_.destroy(target_.instance, target_.device, gate_);
    throw Failure(BENCH_ERROR_OUT_OF_RESOURCES, "no thread for the gate's watchdog", "gate",
                  "raise the limit of threads; without it windows are measured ungated");
  }
}

Gate::~Gate() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_one();
  watchdog_.join();
  extension_.destroy(target_.instance, target_.device, gate_);
}

bench_status Gate::close(bench_error_v1 &error) {
  const bench_status status =
      extension_.enqueue(target_.instance, target_.device, gate_, &stream_, &error);
  if (status == BENCH_OK) turn_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

bool Gate::open() {
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
  if (turn % 2 == 0) return true;  // it was not closed
  extension_.open(target_.instance, target_.device, gate_);
  turn_.fetch_add(1, std::memory_order_relaxed);
  return forced_.load(std::memory_order_acquire) != turn;
}

void Gate::watch() {
  std::uint64_t seen = 0;
  int looks = 0;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, look_every, [this] { return ending_; })) {
    const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
    looks = turn == seen && turn % 2 == 1 ? looks + 1 : 0;
    seen = turn;
    if (looks < patience_looks) continue;
    forced_.store(turn, std::memory_order_release);
    // Opening does nothing to a later closing: the plugin counts, and only what was enqueued so far
    // may pass. A closing that slipped in between is measured ungated, at worst once.
    extension_.open(target_.instance, target_.device, gate_);
    looks = 0;
  }
}

}  // namespace bench::measure
