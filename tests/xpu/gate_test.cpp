// SPDX-License-Identifier: Apache-2.0
// bench.gate/1 by host-signalled events.
#include <thread>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::Xpu;

namespace {

constexpr double kernel_ns = 1000;

bench_gate_v1 *make_gate(Xpu &xpu) {
  bench_gate_v1 *gate = nullptr;
  REQUIRE_OK(xpu.gate->create(xpu.instance, xpu.device, &xpu.stream(), &gate, &xpu.error),
             xpu.error);
  return gate;
}

void close_gate(Xpu &xpu, bench_gate_v1 *gate) {
  REQUIRE_OK(xpu.gate->enqueue(xpu.instance, xpu.device, gate, &xpu.stream(), &xpu.error),
             xpu.error);
}

}  // namespace

TEST_CASE("nothing passes a closed gate, all of it passes an open one, again and again") {
  Xpu xpu;
  bench_gate_v1 *gate = make_gate(xpu);
  LoadedKernel kernel(xpu, "empty");
  bench_event_v1 *event = xpu.make_event();
  for (std::uint64_t turn = 1; turn <= 100; ++turn) {  // more turns than the gate has events
    close_gate(xpu, gate);
    REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(event);
    CHECK(xpu.control.launches == turn - 1);
    Error error;
    CHECK(xpu.api.event_query(xpu.instance, xpu.device, event, &error) == BENCH_ERROR_BUSY);
    xpu.gate->open(xpu.instance, xpu.device, gate);
    xpu.gate->open(xpu.instance, xpu.device, gate);  // does nothing
    CHECK(xpu.control.launches == turn);
    CHECK(xpu.api.event_query(xpu.instance, xpu.device, event, &xpu.error) == BENCH_OK);
  }
  xpu.api.event_destroy(xpu.instance, xpu.device, event);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
  xpu.gate->destroy(xpu.instance, xpu.device, nullptr);
}

TEST_CASE("behind a gate the host's speed is not in the time") {
  Xpu xpu;
  xpu.control.host_cost_ns = 5000;  // each append takes the host five times the kernel
  bench_gate_v1 *gate = make_gate(xpu);
  LoadedKernel kernel(xpu, "empty");
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  double ns[2] = {};
  for (const bool gated : {false, true}) {
    if (gated) close_gate(xpu, gate);
    xpu.record(start);
    for (int i = 0; i < 8; ++i) REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(stop);
    if (gated) xpu.gate->open(xpu.instance, xpu.device, gate);
    REQUIRE_OK(xpu.api.event_synchronize(xpu.instance, xpu.device, stop, &xpu.error), xpu.error);
    ns[gated] = xpu.elapsed(start, stop);
  }
  CHECK(ns[0] > 8 * 5000);
  CHECK(ns[1] == doctest::Approx(8 * kernel_ns).epsilon(0.02));
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
}

TEST_CASE("another thread opens the gate of one that waits for the device") {
  Xpu xpu;
  bench_gate_v1 *gate = make_gate(xpu);
  LoadedKernel kernel(xpu, "empty");
  close_gate(xpu, gate);
  REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
  std::thread watchdog([&] { xpu.gate->open(xpu.instance, xpu.device, gate); });
  xpu.synchronize();  // would never return
  watchdog.join();
  CHECK(xpu.control.launches == 1);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
}

TEST_CASE("a gate that ends closed lets its stream go on, and its stream may end first") {
  for (const bool stream_first : {false, true}) {
    CAPTURE(stream_first);
    Xpu xpu;
    bench_gate_v1 *gate = make_gate(xpu);
    LoadedKernel kernel(xpu, "empty");
    bench_event_v1 *event = xpu.make_event();
    void *memory = xpu.allocate(64);
    close_gate(xpu, gate);
    REQUIRE_OK(
        xpu.api.memory_set(xpu.instance, xpu.device, memory, 0, 1, 64, &xpu.stream(), &xpu.error),
        xpu.error);
    REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(event);
    // All of these are in use behind the gate: they go when their work is done, and nobody waits.
    xpu.api.memory_free(xpu.instance, xpu.device, memory);
    xpu.api.event_destroy(xpu.instance, xpu.device, event);
    if (stream_first) {
      bench_stream_v1 stream = xpu.stream();
      xpu.drop_stream();
      xpu.api.stream_destroy(xpu.instance, xpu.device, &stream);
    }
    CHECK(xpu.control.launches == 0);
    xpu.gate->destroy(xpu.instance, xpu.device, gate);
    CHECK(xpu.control.launches == 1);
  }
}

TEST_CASE("closings without an opening are counted, and one opening passes them all") {
  Xpu xpu;
  bench_gate_v1 *gate = make_gate(xpu);
  LoadedKernel kernel(xpu, "empty");
  bench_stream_v1 second = xpu.make_stream();
  int closings = 0;
  Error error;
  bench_status status = BENCH_OK;
  while (status == BENCH_OK && closings < 1000) {
    status = xpu.gate->enqueue(xpu.instance, xpu.device, gate,
                               closings % 2 ? &second : &xpu.stream(), &error);
    if (status == BENCH_OK) ++closings;
  }
  CHECK(status == BENCH_ERROR_BUSY);
  CHECK(error.complete());
  REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
  REQUIRE_OK(kernel.launch(second), xpu.error);
  CHECK(xpu.control.launches == 0);
  xpu.gate->open(xpu.instance, xpu.device, gate);
  CHECK(xpu.control.launches == 2);
  close_gate(xpu, gate);
  xpu.gate->open(xpu.instance, xpu.device, gate);
  xpu.synchronize();
  xpu.api.stream_destroy(xpu.instance, xpu.device, &second);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
}
