// SPDX-License-Identifier: Apache-2.0
// Gates and graphs that plugins of CUDA's kind share.
#include <doctest/doctest.h>

#include "fake_runtime.hpp"

using namespace fake;

namespace {

const bench_ext_gate_v1 gates = Extensions::gate_table(512);
const bench_ext_graph_v1 graphs = Extensions::graph_table();

/// Whether the device would pass a wait for `value`, compared as it compares.
bool passes(std::uint32_t word, std::uint32_t value) {
  return static_cast<std::int32_t>(word - value) >= 0;
}

std::uint32_t &only_word() {
  return *static_cast<std::uint32_t *>(*state().words.begin());
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a gate holds what was enqueued until it is opened") {
  bench_gate_v1 *gate = nullptr;
  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
    const std::uint32_t value = state().waited_for;
    CHECK_FALSE(passes(only_word(), value));
    gates.open(&instance, device, gate);
    CHECK(passes(only_word(), value));
    gates.open(&instance, device, gate);
    CHECK(only_word() == value);
  }
  gates.destroy(&instance, device, gate);
  gates.destroy(&instance, device, nullptr);
}

TEST_CASE_FIXTURE(Fixture, "one opening lets all closings before it pass") {
  bench_gate_v1 *gate = nullptr;
  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
  REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
  gates.open(&instance, device, gate);
  CHECK(passes(only_word(), state().waited_for));
  gates.destroy(&instance, device, gate);
}

TEST_CASE_FIXTURE(Fixture, "a gate's numbers wrap") {
  bench_gate_v1 *gate = nullptr;
  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  only_word() = UINT32_MAX - 1;
  Extensions::gate_of(gate).closed = UINT32_MAX - 1;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
    CHECK_FALSE(passes(only_word(), state().waited_for));
    gates.open(&instance, device, gate);
    CHECK(passes(only_word(), state().waited_for));
  }
  CHECK(only_word() == 2);
  gates.destroy(&instance, device, gate);
}

TEST_CASE_FIXTURE(Fixture, "a late watchdog does not close an open gate again") {
  bench_gate_v1 *gate = nullptr;
  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
  const std::uint32_t later = state().waited_for + 1;
  only_word() = later;  // its owner has closed and opened once more meanwhile
  gates.open(&instance, device, gate);
  CHECK(only_word() == later);
  gates.destroy(&instance, device, gate);
}

TEST_CASE_FIXTURE(Fixture, "a gate is destroyed without waiting, and its word used again") {
  bench_gate_v1 *gate = nullptr;
  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
  const std::uint32_t value = state().waited_for;
  gates.destroy(&instance, device, gate);
  CHECK(passes(only_word(), value));
  CHECK_FALSE(state().called("synchronize_device"));

  REQUIRE(gates.create(&instance, device, &stream, &gate, &error) == BENCH_OK);
  CHECK(state().words.size() == 1);
  REQUIRE(gates.enqueue(&instance, device, gate, &stream, &error) == BENCH_OK);
  CHECK_FALSE(passes(only_word(), state().waited_for));
  CHECK_MESSAGE(passes(only_word(), value), "the stream may not have looked yet");
  gates.destroy(&instance, device, gate);
  Extensions::release(&instance);
  CHECK(state().words.empty());
}

TEST_CASE_FIXTURE(Fixture, "a device that cannot wait has no gate") {
  bench_gate_v1 *gate = nullptr;
  CHECK(gates.create(&instance, {class_type, 1}, &stream, &gate, &error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(gate == nullptr);
  CHECK(state().words.empty());
}

TEST_CASE_FIXTURE(Fixture, "a default stream is recorded on a stream of its own") {
  bench_stream_v1 recording = make_stream(BENCH_STREAM_NONE, nullptr);
  REQUIRE(graphs.begin(&instance, device, &legacy, &recording, &error) == BENCH_OK);
  CHECK(recording.kind == BENCH_STREAM_PLUGIN_OWNED);
  CHECK(recording.reserved == 0);
  CHECK(state().streams.count(recording.handle) == 1);
  bench_graph_v1 *graph = nullptr;
  std::uint64_t nodes = 0;
  REQUIRE(graphs.end(&instance, device, &recording, &graph, &nodes, &error) == BENCH_OK);
  CHECK(nodes == 7);
  CHECK(state().streams.empty());
  CHECK(graphs.launch(&instance, device, graph, &legacy, &error) == BENCH_OK);
  graphs.destroy(&instance, device, graph);
  CHECK(state().executables.empty());
}

TEST_CASE_FIXTURE(Fixture, "a recording that failed leaves nothing behind") {
  for (const bench_stream_v1 *given : {&stream, &legacy}) {
    bench_stream_v1 recording = make_stream(BENCH_STREAM_NONE, nullptr);
    REQUIRE(graphs.begin(&instance, device, given, &recording, &error) == BENCH_OK);
    state().recording[recording.handle] = BENCH_CAPTURE_BROKEN;
    bench_graph_v1 *graph = nullptr;
    CHECK(graphs.end(&instance, device, &recording, &graph, nullptr, &error) ==
          BENCH_ERROR_UNSUPPORTED);
    CHECK(graph == nullptr);
    CHECK(state().streams.empty());
    CHECK(Api::stream_synchronize(&instance, device, given, &error) == BENCH_OK);
  }
}

TEST_CASE_FIXTURE(Fixture, "a recording can be thrown away, or fail to begin") {
  bench_stream_v1 recording = make_stream(BENCH_STREAM_NONE, nullptr);
  REQUIRE(graphs.begin(&instance, device, &stream, &recording, &error) == BENCH_OK);
  CHECK(graphs.begin(&instance, device, &stream, &recording, &error) == BENCH_ERROR_BUSY);
  CHECK(graphs.end(&instance, device, &recording, nullptr, nullptr, &error) == BENCH_OK);
  CHECK(state().recording.empty());
  CHECK(state().executables.empty());
  state().next_status = no_memory;
  CHECK(graphs.begin(&instance, device, &stream, &recording, &error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
}
