// SPDX-License-Identifier: Apache-2.0
// bench.graph/1 by closed command lists.
#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::Xpu;

namespace {

constexpr double kernel_ns = 1000;

bench_stream_v1 begin(Xpu &xpu) {
  bench_stream_v1 recording{};
  recording.struct_size = sizeof recording;
  REQUIRE_OK(xpu.graph->begin(xpu.instance, xpu.device, &xpu.stream(), &recording, &xpu.error),
             xpu.error);
  return recording;
}

}  // namespace

TEST_CASE("a graph runs nothing while it is recorded and all of it at each launch, in order") {
  Xpu xpu;
  xpu.control.host_cost_ns = 300;
  LoadedKernel kernel(xpu, "empty");
  const bench_stream_v1 recording = begin(xpu);
  CHECK(recording.kind == BENCH_STREAM_PLUGIN_OWNED);
  CHECK(recording.class_kind == BENCH_XPU_RECORDING_LIST);
  CHECK(recording.handle != xpu.stream().handle);
  constexpr int launches = 50;
  for (int i = 0; i < launches; ++i) REQUIRE_OK(kernel.launch(recording), xpu.error);
  CHECK(xpu.control.launches == 0);
  bench_graph_v1 *graph = nullptr;
  std::uint64_t nodes = 0;
  REQUIRE_OK(xpu.graph->end(xpu.instance, xpu.device, &recording, &graph, &nodes, &xpu.error),
             xpu.error);
  CHECK(nodes == launches);
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  constexpr int times = 3;
  xpu.record(start);
  for (int i = 0; i < times; ++i)
    REQUIRE_OK(xpu.graph->launch(xpu.instance, xpu.device, graph, &xpu.stream(), &xpu.error),
               xpu.error);
  xpu.record(stop);
  xpu.synchronize();
  CHECK(xpu.control.launches == times * launches);
  // One launch of the host for fifty of the device: the host's part is small.
  CHECK(xpu.elapsed(start, stop) == doctest::Approx(times * launches * kernel_ns).epsilon(0.05));
  xpu.graph->destroy(xpu.instance, xpu.device, graph);
  xpu.graph->destroy(xpu.instance, xpu.device, nullptr);
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
}

TEST_CASE("a graph waits behind a gate, and may be destroyed while it does") {
  Xpu xpu;
  LoadedKernel kernel(xpu, "empty");
  const bench_stream_v1 recording = begin(xpu);
  REQUIRE_OK(kernel.launch(recording), xpu.error);
  bench_graph_v1 *graph = nullptr;
  REQUIRE_OK(xpu.graph->end(xpu.instance, xpu.device, &recording, &graph, nullptr, &xpu.error),
             xpu.error);
  bench_gate_v1 *gate = nullptr;
  REQUIRE_OK(xpu.gate->create(xpu.instance, xpu.device, &xpu.stream(), &gate, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.gate->enqueue(xpu.instance, xpu.device, gate, &xpu.stream(), &xpu.error),
             xpu.error);
  for (int i = 0; i < 2; ++i)
    REQUIRE_OK(xpu.graph->launch(xpu.instance, xpu.device, graph, &xpu.stream(), &xpu.error),
               xpu.error);
  xpu.graph->destroy(xpu.instance, xpu.device, graph);
  CHECK(xpu.control.launches == 0);
  xpu.gate->open(xpu.instance, xpu.device, gate);
  xpu.synchronize();
  CHECK(xpu.control.launches == 2);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
}

TEST_CASE("fills, copies on the device and flushes can be recorded, each in its order") {
  Xpu xpu;
  std::uint64_t bytes = 0;
  REQUIRE_OK(xpu.api.flush_prepare(xpu.instance, xpu.device, &xpu.stream(), &bytes, &xpu.error),
             xpu.error);
  void *first = xpu.allocate(64), *second = xpu.allocate(64);
  const bench_stream_v1 recording = begin(xpu);
  REQUIRE_OK(xpu.api.memory_set(xpu.instance, xpu.device, first, 0, 9, 64, &recording, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.memory_copy(xpu.instance, xpu.device, second, 0, first, 0, 64,
                                 BENCH_COPY_ON_DEVICE, &recording, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.flush(xpu.instance, xpu.device, &recording, BENCH_FLUSH_WRITE, &xpu.error),
             xpu.error);
  bench_graph_v1 *graph = nullptr;
  std::uint64_t nodes = 0;
  REQUIRE_OK(xpu.graph->end(xpu.instance, xpu.device, &recording, &graph, &nodes, &xpu.error),
             xpu.error);
  CHECK(nodes == 3);
  CHECK(xpu.control.fills == 0);
  REQUIRE_OK(xpu.graph->launch(xpu.instance, xpu.device, graph, &xpu.stream(), &xpu.error),
             xpu.error);
  std::uint8_t seen[64] = {};
  REQUIRE_OK(xpu.api.memory_copy(xpu.instance, xpu.device, seen, 0, second, 0, 64,
                                 BENCH_COPY_FROM_DEVICE, &xpu.stream(), &xpu.error),
             xpu.error);
  CHECK(seen[63] == 9);
  CHECK(xpu.control.filled_bytes == bytes + 64);
  xpu.graph->destroy(xpu.instance, xpu.device, graph);
  xpu.api.memory_free(xpu.instance, xpu.device, first);
  xpu.api.memory_free(xpu.instance, xpu.device, second);
  xpu.api.flush_release(xpu.instance, xpu.device, &xpu.stream());
}

TEST_CASE("what cannot be recorded breaks the recording with its reason, and the stream works on") {
  Xpu xpu;
  bench_event_v1 *event = xpu.make_event();
  LoadedKernel kernel(xpu, "empty");
  std::uint8_t host = 0;
  void *memory = xpu.allocate(64);
  for (int what = 0; what < 3; ++what) {
    CAPTURE(what);
    const bench_stream_v1 recording = begin(xpu);
    REQUIRE_OK(kernel.launch(recording), xpu.error);
    Error error;
    const bench_status refused =
        what == 0   ? xpu.api.stream_synchronize(xpu.instance, xpu.device, &recording, &error)
        : what == 1 ? xpu.api.event_record(xpu.instance, xpu.device, event, &recording, &error)
                    : xpu.api.memory_copy(xpu.instance, xpu.device, &host, 0, memory, 0, 1,
                                          BENCH_COPY_FROM_DEVICE, &recording, &error);
    CHECK(refused == BENCH_ERROR_UNSUPPORTED);
    CHECK(error.complete());
    bench_graph_v1 *graph = reinterpret_cast<bench_graph_v1 *>(&host);
    Error end_error;
    CHECK(xpu.graph->end(xpu.instance, xpu.device, &recording, &graph, nullptr, &end_error) ==
          BENCH_ERROR_UNSUPPORTED);
    CHECK(graph == nullptr);
    CHECK(end_error.complete());
    CHECK(xpu.graph->end(xpu.instance, xpu.device, &recording, &graph, nullptr, &end_error) ==
          BENCH_ERROR_INVALID_ARGUMENT);
  }
  xpu.synchronize();
  CHECK(xpu.control.launches == 0);
  xpu.api.memory_free(xpu.instance, xpu.device, memory);
  xpu.api.event_destroy(xpu.instance, xpu.device, event);
}

TEST_CASE("a recording may be thrown away") {
  Xpu xpu;
  LoadedKernel kernel(xpu, "empty");
  const bench_stream_v1 recording = begin(xpu);
  REQUIRE_OK(kernel.launch(recording), xpu.error);
  std::uint64_t nodes = 0;
  REQUIRE_OK(xpu.graph->end(xpu.instance, xpu.device, &recording, nullptr, &nodes, &xpu.error),
             xpu.error);
  CHECK(nodes == 1);
  xpu.synchronize();
  CHECK(xpu.control.launches == 0);
}
