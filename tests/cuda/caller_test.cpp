// SPDX-License-Identifier: Apache-2.0
// What a caller of the CUDA plugin finds afterwards: its context and capture mode, its memory, its
// events, its gate; on two devices, over the driver in software.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cuda_device.hpp"

using namespace silicon;

namespace {

constexpr bench_device_v1 first = first_device, second{BENCH_DEVICE_CUDA, 1};

/// What the stand-in does from now on; back to two devices afterwards.
struct Script {
  explicit Script(const char *text) {
    ::setenv("BENCH_FAKE_CUDA", (std::string("devices=2,") + text).c_str(), 1);
  }
  ~Script() { ::setenv("BENCH_FAKE_CUDA", "devices=2", 1); }
};

struct Calls {
  Calls() {
    REQUIRE(bench.device_count == 2);
    REQUIRE(api.stream_create(bench.instance, first, &own, &error) == BENCH_OK);
    REQUIRE(api.event_create(bench.instance, first, &own, &start, &error) == BENCH_OK);
    REQUIRE(api.event_create(bench.instance, first, &own, &stop, &error) == BENCH_OK);
    REQUIRE(api.memory_allocate(bench.instance, first, &own, 256, &memory, &error) == BENCH_OK);
  }
  ~Calls() {
    api.memory_free(bench.instance, first, memory);
    api.event_destroy(bench.instance, first, start);
    api.event_destroy(bench.instance, first, stop);
    api.stream_destroy(bench.instance, first, &own);
  }
  bench_status set(std::uint64_t offset, std::uint8_t value, std::uint64_t size) {
    return api.memory_set(bench.instance, first, memory, offset, value, size, &own, &error);
  }
  bench_status record(bench_event_v1 *event) {
    return api.event_record(bench.instance, first, event, &own, &error);
  }
  bench_status elapsed() {
    return api.event_elapsed(bench.instance, first, start, stop, &elapsed_ns, &flags, &error);
  }
  std::vector<std::uint8_t> bytes() {
    std::vector<std::uint8_t> read(256);
    REQUIRE(api.memory_copy(bench.instance, first, read.data(), 0, memory, 0, read.size(),
                            BENCH_COPY_FROM_DEVICE, &own, &error) == BENCH_OK);
    return read;
  }

  Plugin &bench = plugin();
  const bench_plugin_api_v1 &api = *bench.api;
  Failure error;
  bench_stream_v1 own = stream_of(BENCH_STREAM_NONE);
  bench_event_v1 *start = nullptr, *stop = nullptr;
  void *memory = nullptr;
  double elapsed_ns = 0;
  std::uint32_t flags = 0;
};

CUcontext current() {
  CUcontext context = nullptr;
  CUDA(cuCtxGetCurrent)(&context);
  return context;
}
CUstreamCaptureMode exchange(CUstreamCaptureMode mode) {
  CUDA(cuThreadExchangeStreamCaptureMode)(&mode);
  return mode;
}

}  // namespace

TEST_CASE_FIXTURE(Calls, "each call gives back context and capture mode, also one that fails") {
  const auto bad = stream_of(77);
  std::uint64_t size = 0;
  std::uint32_t state = 0;
  bench_event_v1 *event = nullptr;
  bench_gate_v1 *gate = nullptr;
  bench_graph_v1 *graph = nullptr;
  void *made = nullptr;
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  auto recording = stream_of(BENCH_STREAM_NONE), stream = recording;
  const auto instance = bench.instance;
  const struct {
    const char *name;
    bench_status expected;
    std::function<bench_status()> call;
  } calls[] = {
      {"info", BENCH_OK, [&] { return api.device_info(instance, first, &info, &error); }},
      {"stream_create", BENCH_OK,
       [&] { return api.stream_create(instance, first, &stream, &error); }},
      {"stream_destroy", BENCH_OK,
       [&] { return api.stream_destroy(instance, first, &stream), BENCH_OK; }},
      {"stream_synchronize", BENCH_OK,
       [&] { return api.stream_synchronize(instance, first, &own, &error); }},
      {"device_synchronize", BENCH_OK,
       [&] { return api.device_synchronize(instance, first, &error); }},
      {"event_create", BENCH_OK,
       [&] { return api.event_create(instance, first, &own, &event, &error); }},
      {"event_query, never recorded", BENCH_ERROR_INVALID_ARGUMENT,
       [&] { return api.event_query(instance, first, event, &error); }},
      {"event_record, no such kind", BENCH_ERROR_UNSUPPORTED,
       [&] { return api.event_record(instance, first, event, &bad, &error); }},
      {"event_record", BENCH_OK,
       [&] { return api.event_record(instance, first, event, &own, &error); }},
      {"event_synchronize", BENCH_OK,
       [&] { return api.event_synchronize(instance, first, event, &error); }},
      {"event_destroy", BENCH_OK,
       [&] { return api.event_destroy(instance, first, event), BENCH_OK; }},
      {"memory_allocate", BENCH_OK,
       [&] { return api.memory_allocate(instance, first, &own, 64, &made, &error); }},
      {"memory_free", BENCH_OK, [&] { return api.memory_free(instance, first, made), BENCH_OK; }},
      {"memory_allocate, too much", BENCH_ERROR_OUT_OF_RESOURCES,
       [&] { return api.memory_allocate(instance, first, &own, 1ull << 50, &made, &error); }},
      {"memory_set", BENCH_OK, [&] { return set(0, 1, 16); }},
      {"memory_copy, no such direction", BENCH_ERROR_UNSUPPORTED,
       [&] {
         return api.memory_copy(instance, first, memory, 0, memory, 64, 16, 9, &own, &error);
       }},
      {"flush_prepare", BENCH_OK,
       [&] { return api.flush_prepare(instance, first, &own, &size, &error); }},
      {"flush", BENCH_OK,
       [&] { return api.flush(instance, first, &own, BENCH_FLUSH_READ, &error); }},
      {"flush, no such mode", BENCH_ERROR_UNSUPPORTED,
       [&] { return api.flush(instance, first, &own, 9, &error); }},
      {"flush_release", BENCH_OK,
       [&] { return api.flush_release(instance, first, &own), BENCH_OK; }},
      {"flush, not prepared", BENCH_ERROR_INVALID_ARGUMENT,
       [&] { return api.flush(instance, first, &own, BENCH_FLUSH_WRITE, &error); }},
      {"gate create", BENCH_OK,
       [&] { return bench.gates->create(instance, first, &own, &gate, &error); }},
      {"gate enqueue", BENCH_OK,
       [&] { return bench.gates->enqueue(instance, first, gate, &own, &error); }},
      {"gate destroy", BENCH_OK,
       [&] { return bench.gates->destroy(instance, first, gate), BENCH_OK; }},
      {"graph begin", BENCH_OK,
       [&] { return bench.graphs->begin(instance, first, &own, &recording, &error); }},
      {"capture query", BENCH_OK,
       [&] { return bench.captures->query(instance, first, &recording, &state, &error); }},
      {"graph end", BENCH_OK,
       [&] { return bench.graphs->end(instance, first, &recording, &graph, nullptr, &error); }},
      {"graph launch", BENCH_OK,
       [&] { return bench.graphs->launch(instance, first, graph, &own, &error); }},
      {"graph destroy", BENCH_OK,
       [&] { return bench.graphs->destroy(instance, first, graph), BENCH_OK; }},
      {"another device's stream", BENCH_ERROR_INVALID_ARGUMENT,
       [&] { return api.event_create(instance, second, &own, &event, &error); }},
      {"a device that is not there", BENCH_ERROR_NO_DEVICE,
       [&] {
         return api.device_synchronize(instance, {BENCH_DEVICE_CUDA, 7}, &error);
       }},
  };
  for (const int of_caller : {-1, 0, 1}) {
    CUcontext given = nullptr;
    if (of_caller >= 0) {
      CUDA(cuDevicePrimaryCtxRetain)(&given, of_caller);
      CUDA(cuCtxPushCurrent)(given);
    }
    for (const auto mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                            CU_STREAM_CAPTURE_MODE_RELAXED}) {
      const auto before = exchange(mode);
      for (const auto &one : calls) {
        CAPTURE(one.name);
        CAPTURE(of_caller);
        CAPTURE(mode);
        CHECK(one.call() == one.expected);
        CHECK(current() == given);
        CHECK(exchange(mode) == mode);
      }
      exchange(before);
    }
    if (of_caller >= 0) {
      CUcontext popped = nullptr;
      CUDA(cuCtxPopCurrent)(&popped);
      CHECK(popped == given);
      CHECK_MESSAGE(current() == nullptr, "a context was left below the caller's");
      CUDA(cuDevicePrimaryCtxRelease)(of_caller);
    }
  }
}

TEST_CASE_FIXTURE(Calls, "close gives back the contexts that the instance held") {
  unsigned state = 0;
  int active = -1;
  CUDA(cuDevicePrimaryCtxGetState)(1, &state, &active);
  REQUIRE(active == 0);
  bench_instance_v1 *other = nullptr;
  REQUIRE(api.open(nullptr, nullptr, &other, &error) == BENCH_OK);
  auto stream = stream_of(BENCH_STREAM_NONE);
  REQUIRE(api.stream_create(other, second, &stream, &error) == BENCH_OK);
  CUDA(cuDevicePrimaryCtxGetState)(1, &state, &active);
  CHECK(active == 1);
  api.stream_destroy(other, second, &stream);
  api.close(other);
  CUDA(cuDevicePrimaryCtxGetState)(1, &state, &active);
  CHECK(active == 0);
}

TEST_CASE_FIXTURE(Calls, "memory is filled and copied from the offsets given, in order") {
  REQUIRE(set(0, 1, 256) == BENCH_OK);
  REQUIRE(set(8, 2, 4) == BENCH_OK);
  REQUIRE(api.memory_copy(bench.instance, first, memory, 64, memory, 6, 8, BENCH_COPY_ON_DEVICE,
                          &own, &error) == BENCH_OK);
  const std::uint8_t given[] = {7, 8, 9};
  REQUIRE(api.memory_copy(bench.instance, first, memory, 128, given, 1, 2, BENCH_COPY_TO_DEVICE,
                          &own, &error) == BENCH_OK);
  std::vector<std::uint8_t> expected(256, 1);
  for (const int at : {8, 9, 10, 11, 66, 67, 68, 69}) expected[static_cast<std::size_t>(at)] = 2;
  expected[128] = 8;
  expected[129] = 9;
  CHECK(bytes() == expected);
  void *none = &error;
  CHECK(api.memory_allocate(bench.instance, first, &own, 0, &none, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(none == nullptr);
}

TEST_CASE_FIXTURE(Calls, "times between events: right, backwards, none, and never recorded") {
  CHECK(elapsed() == BENCH_ERROR_INVALID_ARGUMENT);
  REQUIRE(record(start) == BENCH_OK);
  CHECK(elapsed() == BENCH_ERROR_INVALID_ARGUMENT);  // the stop is missing
  REQUIRE(set(0, 1, 256) == BENCH_OK);
  REQUIRE(record(stop) == BENCH_OK);
  REQUIRE(elapsed() == BENCH_OK);
  CHECK(flags == 0);
  // What the stand-in takes for an event, and for a byte.
  CHECK(elapsed_ns == doctest::Approx(500 + 256 * 0.001));
  {
    const Script script("negative=1");
    REQUIRE(elapsed() == BENCH_OK);
    CHECK(flags == BENCH_SAMPLE_NEGATIVE);
    CHECK(elapsed_ns < 0);
  }
  const Script script("zero=1");
  REQUIRE(elapsed() == BENCH_OK);
  CHECK(flags == BENCH_SAMPLE_ZERO);
  CHECK(elapsed_ns == 0);
}

TEST_CASE_FIXTURE(Calls, "a gate is opened by another thread while its owner waits") {
  REQUIRE(set(0, 1, 256) == BENCH_OK);
  bench_gate_v1 *gate = nullptr;
  REQUIRE(bench.gates->create(bench.instance, first, &own, &gate, &error) == BENCH_OK);
  REQUIRE(bench.gates->enqueue(bench.instance, first, gate, &own, &error) == BENCH_OK);
  REQUIRE(set(0, 5, 256) == BENCH_OK);
  REQUIRE(record(stop) == BENCH_OK);
  // Closed, so the watchdog finds the event pending whenever it looks.
  bench_status seen = BENCH_OK;
  std::thread watchdog([&] {
    seen = api.event_query(bench.instance, first, stop, nullptr);
    bench.gates->open(bench.instance, first, gate);
  });
  CHECK(api.stream_synchronize(bench.instance, first, &own, &error) == BENCH_OK);
  watchdog.join();
  CHECK(seen == BENCH_ERROR_BUSY);
  CHECK(bytes() == std::vector<std::uint8_t>(256, 5));
  bench.gates->destroy(bench.instance, first, gate);
  const Script script("gate=0");
  CHECK(bench.gates->create(bench.instance, first, &own, &gate, &error) == BENCH_ERROR_UNSUPPORTED);
  CHECK(gate == nullptr);
  CHECK(error.text().find("stream memory operations") != std::string::npos);
}

TEST_CASE_FIXTURE(Calls, "a handle of an unknown kind is refused by its number") {
  auto legacy = stream_of(BENCH_STREAM_DEFAULT);
  legacy.class_kind = 7;
  CHECK(api.stream_synchronize(bench.instance, first, &legacy, &error) == BENCH_ERROR_UNSUPPORTED);
  CHECK(error.text().find("class_kind 7") != std::string::npos);
}
