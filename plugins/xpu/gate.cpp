// SPDX-License-Identifier: Apache-2.0
// bench.gate/1: the list waits for an event that the host signals.
#include <array>

#include "xpu.hpp"

namespace {

// Gated windows that may be in flight at once. A closing needs an event of its own: the one before
// may be open and still unseen by the device, and resetting it then would stop the list for ever.
constexpr std::uint64_t slot_count = 16;

struct Slot {
  bench_xpu::Signal wait;                // by the host, waited for by the list
  bench_xpu::Signal passed;              // by the list, once it is through
  std::atomic<std::uint64_t> number{0};  // of the closing that uses it, from 1
};

}  // namespace

struct bench_gate_v1 {
  ze_context_handle_t context = nullptr;
  std::array<Slot, slot_count> slots;
  std::atomic<std::uint64_t> closed{0};  // closings so far
  std::atomic<std::uint64_t> opened{0};  // of those, opened
};

namespace bench_xpu {
namespace {

void destroy_slots(bench_gate_v1 &gate) {
  for (Slot &slot : gate.slots) {
    destroy_signal(slot.wait);
    destroy_signal(slot.passed);
  }
}

void open_gate(bench_gate_v1 *gate) {
  const Functions &ze = functions();
  const std::uint64_t last = gate->closed.load(std::memory_order_acquire);
  for (std::uint64_t number = gate->opened.load(std::memory_order_acquire) + 1; number <= last;
       ++number) {
    Slot &slot = gate->slots[number % slot_count];
    // Another thread may have opened this closing long ago, and a later one uses the slot.
    if (slot.number.load(std::memory_order_acquire) == number)
      ze.zeEventHostSignal(slot.wait.event);
  }
  std::uint64_t seen = gate->opened.load(std::memory_order_relaxed);
  while (seen < last &&
         !gate->opened.compare_exchange_weak(seen, last, std::memory_order_release)) {
  }
}

bench_status create(bench_instance_v1 *instance, bench_device_v1 pair,
                    const bench_stream_v1 *stream, bench_gate_v1 **gate, bench_error_v1 *error) {
  *gate = nullptr;
  return guarded(error, "gate create", [&] {
    Device &device = device_of(instance, pair);
    collect_retired(device);
    auto made = std::make_unique<bench_gate_v1>();
    made->context = resolve(device, stream).context;
    try {
      for (Slot &slot : made->slots) {
        slot.wait = make_signal(device, made->context);
        slot.passed = make_signal(device, made->context);
      }
    } catch (...) {
      destroy_slots(*made);
      throw;
    }
    *gate = made.release();
  });
}

void destroy(bench_instance_v1 *instance, bench_device_v1 pair, bench_gate_v1 *gate) {
  guarded(nullptr, "gate destroy", [&] {
    if (!gate) return;
    open_gate(gate);
    Device &device = listed_device(instance, pair);
    Retired retired;
    // Open, but the device may not have looked yet.
    for (Slot &slot : gate->slots) {
      const bool pending = slot.number.load() != 0 && !device.lost.load() &&
                           functions().zeEventQueryStatus(slot.passed.event) == ZE_RESULT_NOT_READY;
      if (!pending) continue;
      retired.until.push_back(slot.passed);
      slot.passed = {};
    }
    const auto end = [gate] {
      destroy_slots(*gate);
      delete gate;
    };
    if (retired.until.empty()) return end();
    retired.destroy = end;
    device.retired.push_back(std::move(retired));
  });
}

bench_status enqueue(bench_instance_v1 *instance, bench_device_v1 pair, bench_gate_v1 *gate,
                     const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "gate enqueue", [&] {
    const Functions &ze = functions();
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    if (target.context != gate->context)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the gate is of another context than the stream",
                  "create the gate for a stream of this context");
    if (target.recording) {
      target.recording->broken = "a gate opens once, a graph runs many times";
      throw Error(BENCH_ERROR_UNSUPPORTED, "a gate in a recording",
                  "close the gate before the graph's launch");
    }
    const std::uint64_t number = gate->closed.load(std::memory_order_relaxed) + 1;
    Slot &slot = gate->slots[number % slot_count];
    if (slot.number.load(std::memory_order_relaxed) != 0) {
      if (ze.zeEventQueryStatus(slot.passed.event) == ZE_RESULT_NOT_READY)
        throw Error(BENCH_ERROR_BUSY,
                    std::to_string(slot_count) + " closings of this gate are still in flight",
                    "synchronise the stream between windows");
      check(ze.zeEventHostReset(slot.passed.event), "zeEventHostReset", &device);
      check(ze.zeEventHostReset(slot.wait.event), "zeEventHostReset", &device);
    }
    check(ze.zeCommandListAppendWaitOnEvents(target.list, 1, &slot.wait.event),
          "zeCommandListAppendWaitOnEvents", &device);
    // Known before anything can fail: a wait that open() does not know would never end.
    slot.number.store(number, std::memory_order_release);
    gate->closed.store(number, std::memory_order_release);
    check(ze.zeCommandListAppendBarrier(target.list, slot.passed.event, 0, nullptr),
          "zeCommandListAppendBarrier", &device);
  });
}

void open(bench_instance_v1 *, bench_device_v1, bench_gate_v1 *gate) {
  open_gate(gate);
}

}  // namespace

// How much an immediate list takes before appending blocks is the driver's secret: unknown.
const bench_ext_gate_v1 gate_extension = {
    sizeof(bench_ext_gate_v1), 0, create, destroy, enqueue, open};

}  // namespace bench_xpu
