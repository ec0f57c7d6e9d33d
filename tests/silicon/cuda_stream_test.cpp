// SPDX-License-Identifier: Apache-2.0
// Streams of each kind: contexts, gates, graphs, flushes, forks.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_device.hpp"

using namespace silicon;

namespace {

constexpr auto device = first_device;
// A failed check tells what the plugin said.
#define GOOD(call)                                   \
  do {                                               \
    Failure error;                                   \
    const bench_status status = call;                \
    CHECK_MESSAGE(status == BENCH_OK, error.text()); \
  } while (false)

struct Streams {
  Streams() {
    GOOD(plugin().api->stream_create(plugin().instance, device, &own, &error));
    CUDA(cuStreamCreate)(&blocking, CU_STREAM_DEFAULT);
  }
  ~Streams() {
    plugin().api->stream_destroy(plugin().instance, device, &own);
    CUDA(cuStreamDestroy)(blocking);
  }
  Framework framework;
  CUstream blocking = nullptr;
  bench_stream_v1 own = stream_of(BENCH_STREAM_NONE);
};

}  // namespace

TEST_CASE("a caller's context stays current, and a list makes none") {
  unsigned flags = 0;
  int active = 1;
  CUDA(cuDevicePrimaryCtxGetState)(0, &flags, &active);
  CHECK_MESSAGE(active == 0, "made by device_list");
  Plugin &bench = plugin();
  bench_stream_v1 stream = stream_of(BENCH_STREAM_NONE);
  GOOD(bench.api->stream_create(bench.instance, device, &stream, &error));
  CUcontext current = nullptr;
  CUDA(cuCtxGetCurrent)(&current);
  CHECK(current == nullptr);

  const Framework framework;
  bench_event_v1 *event = nullptr;
  GOOD(bench.api->event_create(bench.instance, device, &stream, &event, &error));
  CUDA(cuCtxGetCurrent)(&current);
  CHECK(current == framework.context);
  bench.api->event_destroy(bench.instance, device, event);
  bench.api->stream_destroy(bench.instance, device, &stream);
}

TEST_CASE_FIXTURE(Streams, "gates, graphs and flushes work on each kind of stream") {
  Plugin &bench = plugin();
  for (const auto &stream :
       {own, stream_of(BENCH_STREAM_DEFAULT), stream_of(BENCH_STREAM_PER_THREAD),
        stream_of(BENCH_STREAM_NATIVE, blocking)}) {
    CAPTURE(stream.kind);
    bench_event_v1 *start = nullptr, *stop = nullptr;
    GOOD(bench.api->event_create(bench.instance, device, &stream, &start, &error));
    GOOD(bench.api->event_create(bench.instance, device, &stream, &stop, &error));

    bench_gate_v1 *gate = nullptr;
    GOOD(bench.gates->create(bench.instance, device, &stream, &gate, &error));
    for (int round = 0; round < 3; ++round) {
      GOOD(bench.gates->enqueue(bench.instance, device, gate, &stream, &error));
      GOOD(bench.api->event_record(bench.instance, device, start, &stream, &error));
      // As deep as the plugin promises: deeper, and a launch would wait for the gate for ever.
      for (std::uint32_t i = 0; i < bench.gates->max_launches; ++i)
        framework.launch(handle_of(stream));
      GOOD(bench.api->event_record(bench.instance, device, stop, &stream, &error));
      CHECK(bench.api->event_query(bench.instance, device, stop, nullptr) == BENCH_ERROR_BUSY);
      bench.gates->open(bench.instance, device, gate);
      GOOD(bench.api->event_synchronize(bench.instance, device, stop, &error));
      double elapsed_ns = 0.0;
      std::uint32_t flags = 0;
      GOOD(bench.api->event_elapsed(bench.instance, device, start, stop, &elapsed_ns, &flags,
                                    &error));
      CHECK(flags == 0);
      CHECK(elapsed_ns >= 1000.0 * bench.gates->max_launches);  // each spins for 1000 ns
    }
    // Destroyed while closed: what waits for it goes on.
    GOOD(bench.gates->enqueue(bench.instance, device, gate, &stream, &error));
    framework.launch(handle_of(stream));
    bench.gates->destroy(bench.instance, device, gate);
    GOOD(bench.api->stream_synchronize(bench.instance, device, &stream, &error));

    bench_stream_v1 recording = stream_of(BENCH_STREAM_NONE);
    bench_graph_v1 *graph = nullptr;
    std::uint64_t nodes = 0;
    GOOD(bench.graphs->begin(bench.instance, device, &stream, &recording, &error));
    CHECK(bench.api->stream_synchronize(bench.instance, device, &recording, nullptr) ==
          BENCH_ERROR_BUSY);
    for (int i = 0; i < 100; ++i) framework.launch(handle_of(recording));
    GOOD(bench.graphs->end(bench.instance, device, &recording, &graph, &nodes, &error));
    CHECK(nodes == 100);
    GOOD(bench.graphs->launch(bench.instance, device, graph, &stream, &error));
    GOOD(bench.api->stream_synchronize(bench.instance, device, &stream, &error));
    bench.graphs->destroy(bench.instance, device, graph);

    // A callable that waits for its stream cannot be recorded, and breaks nothing else.
    GOOD(bench.graphs->begin(bench.instance, device, &stream, &recording, &error));
    CHECK(CUDA(cuStreamSynchronize)(handle_of(recording)) != CUDA_SUCCESS);
    CHECK(bench.graphs->end(bench.instance, device, &recording, &graph, &nodes, nullptr) ==
          BENCH_ERROR_UNSUPPORTED);
    GOOD(bench.api->stream_synchronize(bench.instance, device, &stream, &error));

    std::uint64_t bytes = 0;
    GOOD(bench.api->flush_prepare(bench.instance, device, &stream, &bytes, &error));
    GOOD(bench.api->flush(bench.instance, device, &stream, BENCH_FLUSH_WRITE, &error));
    GOOD(bench.api->flush(bench.instance, device, &stream, BENCH_FLUSH_READ, &error));
    GOOD(bench.api->stream_synchronize(bench.instance, device, &stream, &error));
    bench.api->flush_release(bench.instance, device, &stream);
    bench.api->event_destroy(bench.instance, device, start);
    bench.api->event_destroy(bench.instance, device, stop);
  }
}

TEST_CASE_FIXTURE(Streams, "memory that does not fit is refused, and the device goes on") {
  void *memory = nullptr;
  Failure refusal;
  CHECK(plugin().api->memory_allocate(plugin().instance, device, &own, 1ull << 50, &memory,
                                      &refusal) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(std::string(refusal.vendor_name) == "CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(memory == nullptr);
  GOOD(plugin().api->device_synchronize(plugin().instance, device, &error));
}

TEST_CASE_FIXTURE(Streams, "a forked child is told that the driver is its parent's") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto *api = plugin().api;
    bench_instance_v1 *young = nullptr;
    std::uint32_t count = 0;
    api->open(nullptr, nullptr, &young, nullptr);
    const bool good =
        api->device_list(young, nullptr, 0, &count, nullptr) == BENCH_ERROR_UNSUPPORTED &&
        api->stream_synchronize(plugin().instance, device, &own, nullptr) ==
            BENCH_ERROR_UNSUPPORTED;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
