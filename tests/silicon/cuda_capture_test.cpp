// SPDX-License-Identifier: Apache-2.0
// While a framework's thread captures a stream in global mode, the strictest, another thread calls
// the plugin: the capture survives all of it.
#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "cuda_device.hpp"

using namespace silicon;

namespace {

constexpr auto device = first_device;

struct Case {
  const char *name;
  bench_status expected;
  std::function<bench_status(CUstream captured)> call;
};

struct Calls {
  Calls() {
    Failure error;
    REQUIRE(bench.api->stream_create(bench.instance, device, &own, &error) == BENCH_OK);
    REQUIRE(bench.api->event_create(bench.instance, device, &own, &event, &error) == BENCH_OK);
    REQUIRE(bench.api->memory_allocate(bench.instance, device, &own, 64, &memory, &error) ==
            BENCH_OK);
  }
  ~Calls() {
    bench.api->memory_free(bench.instance, device, memory);
    bench.api->event_destroy(bench.instance, device, event);
    bench.api->stream_destroy(bench.instance, device, &own);
  }

  bench_status streams() {
    bench_stream_v1 made = stream_of(BENCH_STREAM_NONE);
    const bench_status status = bench.api->stream_create(bench.instance, device, &made, nullptr);
    bench.api->stream_destroy(bench.instance, device, &made);
    return status;
  }
  bench_status events() {
    bench_event_v1 *made = nullptr;
    bench_status status = bench.api->event_create(bench.instance, device, &own, &made, nullptr);
    if (status == BENCH_OK)
      status = bench.api->event_record(bench.instance, device, made, &own, nullptr);
    if (status == BENCH_OK)
      status = bench.api->event_synchronize(bench.instance, device, made, nullptr);
    bench.api->event_destroy(bench.instance, device, made);
    return status;
  }
  bench_status memories() {
    void *made = nullptr;
    char bytes[64];
    bench_status status =
        bench.api->memory_allocate(bench.instance, device, &own, 1 << 22, &made, nullptr);
    if (status == BENCH_OK)
      status = bench.api->memory_copy(bench.instance, device, bytes, 0, made, 0, sizeof bytes,
                                      BENCH_COPY_FROM_DEVICE, &own, nullptr);
    bench.api->memory_free(bench.instance, device, made);
    return status;
  }
  bench_status flushes() {
    std::uint64_t bytes = 0;
    bench_status status = bench.api->flush_prepare(bench.instance, device, &own, &bytes, nullptr);
    for (const std::uint32_t mode : {BENCH_FLUSH_WRITE, BENCH_FLUSH_READ})
      if (status == BENCH_OK)
        status = bench.api->flush(bench.instance, device, &own, mode, nullptr);
    bench.api->flush_release(bench.instance, device, &own);
    return status;
  }
  bench_status gates() {
    bench_gate_v1 *made = nullptr;
    bench_status status = bench.gates->create(bench.instance, device, &own, &made, nullptr);
    if (status == BENCH_OK)
      status = bench.gates->enqueue(bench.instance, device, made, &own, nullptr);
    bench.gates->destroy(bench.instance, device, made);
    return status;
  }
  bench_status graphs() {
    bench_stream_v1 recording = stream_of(BENCH_STREAM_NONE);
    bench_graph_v1 *made = nullptr;
    bench_status status = bench.graphs->begin(bench.instance, device, &own, &recording, nullptr);
    if (status == BENCH_OK)
      status = bench.graphs->end(bench.instance, device, &recording, &made, nullptr, nullptr);
    bench.graphs->destroy(bench.instance, device, made);
    return status;
  }
  bench_status other_instance() {
    bench_instance_v1 *made = nullptr;
    bench_stream_v1 stream = stream_of(BENCH_STREAM_NONE);
    bench_status status = bench.api->open(nullptr, nullptr, &made, nullptr);
    if (status == BENCH_OK) status = bench.api->stream_create(made, device, &stream, nullptr);
    bench.api->stream_destroy(made, device, &stream);
    bench.api->close(made);
    return status;
  }

  Plugin &bench = plugin();
  Framework framework;
  bench_stream_v1 own = stream_of(BENCH_STREAM_NONE);
  bench_event_v1 *event = nullptr;
  void *memory = nullptr;
};

/// Whether a stream that is created with `flags` and captured meanwhile ends its capture well.
void survives(const Framework &framework, unsigned flags, const Case &one) {
  CAPTURE(one.name);
  CAPTURE(flags);
  CUstream captured = nullptr;
  REQUIRE(CUDA(cuStreamCreate)(&captured, flags) == CUDA_SUCCESS);
  REQUIRE(CUDA(cuStreamBeginCapture)(captured, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  REQUIRE(framework.launch(captured) == CUDA_SUCCESS);
  bench_status status = BENCH_OK;
  std::thread([&] { status = one.call(captured); }).join();
  CHECK(status == one.expected);
  CUgraph graph = nullptr;
  CHECK_MESSAGE(CUDA(cuStreamEndCapture)(captured, &graph) == CUDA_SUCCESS, "broken");
  if (graph) CUDA(cuGraphDestroy)(graph);
  CUDA(cuStreamDestroy)(captured);
}

}  // namespace

TEST_CASE_FIXTURE(Calls, "what touches other streams works, and leaves a capture whole") {
  const Case cases[] = {
      {"streams", BENCH_OK, [&](CUstream) { return streams(); }},
      {"events", BENCH_OK, [&](CUstream) { return events(); }},
      {"memory", BENCH_OK, [&](CUstream) { return memories(); }},
      {"flush", BENCH_OK, [&](CUstream) { return flushes(); }},
      {"gate", BENCH_OK, [&](CUstream) { return gates(); }},
      {"graph", BENCH_OK, [&](CUstream) { return graphs(); }},
      {"another instance", BENCH_OK, [&](CUstream) { return other_instance(); }},
  };
  for (const unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING})
    for (const Case &one : cases) survives(framework, flags, one);
}

TEST_CASE_FIXTURE(Calls, "what would break a capture is refused") {
  const auto legacy = stream_of(BENCH_STREAM_DEFAULT);
  const Case captured[] = {
      {"the captured stream", BENCH_ERROR_BUSY,
       [&](CUstream stream) {
         const auto given = stream_of(BENCH_STREAM_NATIVE, stream);
         return bench.api->stream_synchronize(bench.instance, device, &given, nullptr);
       }},
      {"a question", BENCH_OK,
       [&](CUstream stream) {
         const auto given = stream_of(BENCH_STREAM_NATIVE, stream);
         std::uint32_t state = 99;
         const bench_status status =
             bench.captures->query(bench.instance, device, &given, &state, nullptr);
         return state == BENCH_CAPTURE_ACTIVE ? status : BENCH_ERROR_INTERNAL;
       }},
  };
  for (const unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING})
    for (const Case &one : captured) survives(framework, flags, one);
  // The default stream is bound to those streams alone that were not created non-blocking.
  const Case bound[] = {
      {"the default stream", BENCH_ERROR_BUSY,
       [&](CUstream) {
         return bench.api->stream_synchronize(bench.instance, device, &legacy, nullptr);
       }},
      {"work on the default stream", BENCH_ERROR_BUSY,
       [&](CUstream) {
         return bench.api->memory_set(bench.instance, device, memory, 0, 1, 64, &legacy, nullptr);
       }},
      {"an event on the default stream", BENCH_ERROR_BUSY,
       [&](CUstream) {
         return bench.api->event_record(bench.instance, device, event, &legacy, nullptr);
       }},
      {"the device", BENCH_ERROR_BUSY,
       [&](CUstream) { return bench.api->device_synchronize(bench.instance, device, nullptr); }},
  };
  for (const Case &one : bound) survives(framework, CU_STREAM_DEFAULT, one);
}
