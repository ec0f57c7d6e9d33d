// SPDX-License-Identifier: Apache-2.0
// The primitives that plugins of CUDA's kind share: what they refuse, remember and give back.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_runtime.hpp"

using namespace fake;

TEST_CASE_FIXTURE(Fixture, "a lost device stays lost, and is only let go of") {
  bench_event_v1 *event = nullptr;
  REQUIRE(Api::event_create(&instance, device, &stream, &event, &error) == BENCH_OK);
  state().next_status = illegal_address;
  CHECK(Api::stream_synchronize(&instance, device, &stream, &error) == BENCH_ERROR_DEVICE_LOST);
  CHECK(error.vendor_code == illegal_address);

  state().calls.clear();
  CHECK(Api::event_record(&instance, device, event, &stream, &error) == BENCH_ERROR_DEVICE_LOST);
  CHECK(Api::device_synchronize(&instance, device, &error) == BENCH_ERROR_DEVICE_LOST);
  Api::event_destroy(&instance, device, event);
  Api::memory_free(&instance, device, reinterpret_cast<void *>(0x40));
  Api::stream_destroy(&instance, device, &stream);
  CHECK_MESSAGE(state().calls.empty(), "a dead context may block whoever asks it");

  const bench_device_v1 other{class_type, 1};
  CHECK(Api::stream_synchronize(&instance, other, &stream, &error) == BENCH_OK);
  CHECK(state().contexts_pushed == 0);
}

TEST_CASE_FIXTURE(Fixture, "other errors cost one call") {
  void *memory = nullptr;
  state().next_status = no_memory;
  CHECK(Api::memory_allocate(&instance, device, &stream, 1 << 20, &memory, &error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(memory == nullptr);
  CHECK(std::string(error.what).find("1048576") != std::string::npos);
  CHECK(Api::memory_allocate(&instance, device, &stream, 64, &memory, &error) == BENCH_OK);
  Api::memory_free(&instance, device, memory);
  CHECK(state().memory.empty());
  CHECK(Api::memory_allocate(&instance, device, &stream, 0, &memory, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(Api::stream_synchronize(&instance, {class_type, 2}, &stream, &error) ==
        BENCH_ERROR_NO_DEVICE);
  CHECK(Api::stream_synchronize(&instance, {class_type, 1000}, &stream, &error) ==
        BENCH_ERROR_NO_DEVICE);
}

TEST_CASE_FIXTURE(Fixture, "a recording of somebody else is not touched") {
  state().recording[stream.handle] = BENCH_CAPTURE_ACTIVE;
  char bytes[8] = {};
  bench_event_v1 *event = nullptr;
  REQUIRE(Api::event_create(&instance, device, &stream, &event, &error) == BENCH_OK);
  state().calls.clear();
  CHECK(Api::stream_synchronize(&instance, device, &stream, &error) == BENCH_ERROR_BUSY);
  CHECK(std::string(error.what).find("captured") != std::string::npos);
  CHECK(Api::device_synchronize(&instance, device, &error) == BENCH_ERROR_BUSY);
  CHECK(Api::memory_copy(&instance, device, bytes, 0, bytes, 0, 8, BENCH_COPY_FROM_DEVICE, &stream,
                         &error) == BENCH_ERROR_BUSY);
  // Work on the default stream would have to wait for what is only recorded.
  CHECK(Api::event_record(&instance, device, event, &legacy, &error) == BENCH_ERROR_BUSY);
  CHECK(Api::memory_set(&instance, device, bytes, 0, 1, 8, &legacy, &error) == BENCH_ERROR_BUSY);
  CHECK(state().calls.empty());
  // Another stream is free.
  const auto free_stream = make_stream(BENCH_STREAM_NATIVE, reinterpret_cast<void *>(0x30));
  CHECK(Api::stream_synchronize(&instance, device, &free_stream, &error) == BENCH_OK);
  Api::event_destroy(&instance, device, event);
}

TEST_CASE_FIXTURE(Fixture, "events say what is wrong with them") {
  bench_event_v1 *start = nullptr, *stop = nullptr;
  REQUIRE(Api::event_create(&instance, device, &stream, &start, &error) == BENCH_OK);
  REQUIRE(Api::event_create(&instance, device, &stream, &stop, &error) == BENCH_OK);
  CHECK(Api::event_query(&instance, device, start, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(Api::event_synchronize(&instance, device, start, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  auto elsewhere = stream;
  elsewhere.context = reinterpret_cast<void *>(0xdd);
  CHECK(Api::event_record(&instance, device, start, &elsewhere, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);

  CHECK(Api::event_record(&instance, device, start, &stream, &error) == BENCH_OK);
  CHECK(Api::event_record(&instance, device, stop, &stream, &error) == BENCH_OK);
  state().event_pending = true;
  CHECK(Api::event_query(&instance, device, stop, &error) == BENCH_ERROR_BUSY);
  state().event_pending = false;
  CHECK(Api::event_query(&instance, device, stop, &error) == BENCH_OK);

  const struct {
    float elapsed_ms;
    std::uint32_t flags;
  } readings[] = {{0.5f, 0}, {0.0f, BENCH_SAMPLE_ZERO}, {-0.25f, BENCH_SAMPLE_NEGATIVE}};
  for (const auto &reading : readings) {
    state().elapsed_ms = reading.elapsed_ms;
    double elapsed_ns = 0.0;
    std::uint32_t flags = 99;
    CHECK(Api::event_elapsed(&instance, device, start, stop, &elapsed_ns, &flags, &error) ==
          BENCH_OK);
    CHECK(elapsed_ns == reading.elapsed_ms * 1e6);
    CHECK(flags == reading.flags);
  }
  Api::event_destroy(&instance, device, start);
  Api::event_destroy(&instance, device, stop);
}

TEST_CASE_FIXTURE(Fixture, "each flush writes another value, and one buffer serves a context") {
  CHECK(Api::flush(&instance, device, &stream, BENCH_FLUSH_WRITE, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  std::uint64_t bytes = 0;
  for (int i = 0; i < 2; ++i) {
    CHECK(Api::flush_prepare(&instance, device, &stream, &bytes, &error) == BENCH_OK);
    CHECK(bytes == 1 << 20);
  }
  CHECK(state().memory.size() == 1);
  CHECK(std::count(state().calls.begin(), state().calls.end(), "unpin_cache") == 2);
  for (int i = 0; i < 300; ++i)  // more often than a byte has values
    REQUIRE(Api::flush(&instance, device, &stream, BENCH_FLUSH_WRITE, &error) == BENCH_OK);
  const auto &fills = state().fills;
  CHECK(std::adjacent_find(fills.begin(), fills.end()) == fills.end());
  CHECK(Api::flush(&instance, device, &stream, BENCH_FLUSH_READ, &error) == BENCH_OK);
  CHECK(Api::flush(&instance, device, &stream, 3, &error) == BENCH_ERROR_UNSUPPORTED);
  // The two who prepared it release it, the last for all.
  Api::flush_release(&instance, device, &stream);
  CHECK(Api::flush(&instance, device, &stream, BENCH_FLUSH_WRITE, &error) == BENCH_OK);
  Api::flush_release(&instance, device, &stream);
  CHECK(Api::flush(&instance, device, &stream, BENCH_FLUSH_WRITE, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  Api::flush_release(&instance, device, &stream);  // once too often is harmless
}

TEST_CASE_FIXTURE(Fixture, "a private stream is used again, unless it still works") {
  bench_stream_v1 own = make_stream(BENCH_STREAM_NONE, nullptr), next = own, third = own;
  REQUIRE(Api::stream_create(&instance, device, &own, &error) == BENCH_OK);
  void *const first = own.handle;
  Api::stream_destroy(&instance, device, &own);
  REQUIRE(Api::stream_create(&instance, device, &next, &error) == BENCH_OK);
  CHECK(next.handle == first);
  state().stream_busy = true;
  Api::stream_destroy(&instance, device, &next);
  CHECK(state().streams.empty());
  state().stream_busy = false;
  REQUIRE(Api::stream_create(&instance, device, &third, &error) == BENCH_OK);
  CHECK(third.handle != first);
  Api::stream_destroy(&instance, device, &third);
  CHECK(state().streams.size() == 1);
  Api::release_kept(&instance, device);
  CHECK(state().streams.empty());
}

TEST_CASE_FIXTURE(Fixture, "a released flush keeps its memory and code for the next, to the end") {
  std::uint64_t bytes = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(Api::flush_prepare(&instance, device, &stream, &bytes, &error) == BENCH_OK);
    Api::flush_release(&instance, device, &stream);
  }
  CHECK(std::count(state().calls.begin(), state().calls.end(), "allocate") == 1);
  CHECK(state().memory.size() == 1);
  CHECK_FALSE(state().called("drop_reader"));
  Api::release_kept(&instance, device);
  CHECK(state().memory.empty());
  CHECK(state().called("drop_reader"));
}

TEST_CASE_FIXTURE(Fixture,
                  "memory that runs out is taken from an idle flush, never from a used one") {
  std::uint64_t bytes = 0;
  void *memory = nullptr;
  REQUIRE(Api::flush_prepare(&instance, device, &stream, &bytes, &error) == BENCH_OK);
  state().next_status = no_memory;
  CHECK(Api::memory_allocate(&instance, device, &stream, 64, &memory, &error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(state().memory.size() == 1);
  Api::flush_release(&instance, device, &stream);
  state().next_status = no_memory;
  CHECK(Api::memory_allocate(&instance, device, &stream, 64, &memory, &error) == BENCH_OK);
  CHECK(state().memory.size() == 1);  // the flush's has gone
  Api::memory_free(&instance, device, memory);
  REQUIRE(Api::flush_prepare(&instance, device, &stream, &bytes, &error) == BENCH_OK);
  CHECK(Api::flush(&instance, device, &stream, BENCH_FLUSH_WRITE, &error) == BENCH_OK);
  Api::flush_release(&instance, device, &stream);
  Api::release_kept(&instance, device);
}

TEST_CASE_FIXTURE(Fixture, "nothing is kept in a context that may end before the instance") {
  auto foreign = stream;
  foreign.context = reinterpret_cast<void *>(0xdd);
  std::uint64_t bytes = 0;
  for (const auto *given : {&stream, &foreign})
    REQUIRE(Api::flush_prepare(&instance, device, given, &bytes, &error) == BENCH_OK);
  CHECK(state().readers == 2);
  for (const auto *given : {&foreign, &stream}) Api::flush_release(&instance, device, given);
  CHECK(state().readers == 1);
  CHECK(Api::flush(&instance, device, &foreign, BENCH_FLUSH_WRITE, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  Api::release_kept(&instance, device);
  CHECK(state().readers == 0);
  CHECK(state().memory.empty());
}

TEST_CASE_FIXTURE(Fixture, "a child of a process that used the driver is told so") {
  REQUIRE(Api::stream_synchronize(&instance, device, &stream, &error) == BENCH_OK);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    state().calls.clear();
    bench_instance_v1 young;  // its parent's driver is no better for it
    bool good =
        Api::stream_synchronize(&instance, device, &stream, nullptr) == BENCH_ERROR_UNSUPPORTED &&
        Api::stream_synchronize(&young, device, &stream, nullptr) == BENCH_ERROR_UNSUPPORTED;
    Api::memory_free(&instance, device, reinterpret_cast<void *>(0x40));
    good = good && state().calls.empty();
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(Api::stream_synchronize(&instance, device, &stream, &error) == BENCH_OK);
}
