// SPDX-License-Identifier: Apache-2.0
// Streams, events, memory and flushes on the virtual clock.
#include <level_zero/ze_api.h>

#include <array>
#include <numeric>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::Xpu;

namespace {

constexpr double kernel_ns = 1000;  // of the driver's `empty`
constexpr double tick_ns = 80;

}  // namespace

TEST_CASE("an event pair reads what the kernel between takes, for each width and across a wrap") {
  for (const std::uint32_t bits : {32u, 36u, 63u, 64u}) {
    for (const bool wraps : {false, true}) {
      CAPTURE(bits);
      CAPTURE(wraps);
      Xpu xpu;
      xpu.control.timestamp_bits = bits;
      const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      // The first stamp is read at the virtual clock's time of now.
      const std::uint64_t now_ticks = xpu.control.now_ns() / 80;
      xpu.control.first_tick = (wraps ? mask - 5 : std::uint64_t{1000}) - now_ticks;
      bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
      {
        LoadedKernel kernel(xpu, "empty");
        xpu.record(start);
        REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
        xpu.record(stop);
        xpu.synchronize();
      }
      std::uint32_t flags = 0;
      const double ns = xpu.elapsed(start, stop, &flags);
      CHECK(ns >= kernel_ns - tick_ns);
      CHECK(ns <= kernel_ns + tick_ns);
      CHECK(flags == (wraps ? BENCH_SAMPLE_WRAPPED : 0u));
      xpu.api.event_destroy(xpu.instance, xpu.device, start);
      xpu.api.event_destroy(xpu.instance, xpu.device, stop);
    }
  }
}

TEST_CASE("launches of a stream follow one another: a window of ten holds ten kernels") {
  Xpu xpu;
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  {
    LoadedKernel kernel(xpu, "empty");
    xpu.record(start);
    for (int i = 0; i < 10; ++i) REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(stop);
    REQUIRE_OK(xpu.api.event_synchronize(xpu.instance, xpu.device, stop, &xpu.error), xpu.error);
  }
  CHECK(xpu.elapsed(start, stop) == doctest::Approx(10 * kernel_ns).epsilon(0.01));
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
}

TEST_CASE("work that somebody else appends is measured whole: the stamp waits for it") {
  // From 1.7 on the list orders itself, where the loader lets the flag pass.
  for (const std::uint32_t version : {0x10003u, 0x10007u}) {
    CAPTURE(version);
    Xpu versioned;
    versioned.control.api_version = version;
    bench_event_v1 *start = versioned.make_event(), *stop = versioned.make_event();
    void *memory = versioned.allocate(1 << 20);
    auto *list = static_cast<ze_command_list_handle_t>(versioned.stream().handle);
    const std::uint8_t pattern = 1;
    // The real loader's function, as a framework calls it.
    static void *const loader = ::dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    REQUIRE(loader != nullptr);
    const auto fill = reinterpret_cast<decltype(&zeCommandListAppendMemoryFill)>(
        ::dlsym(loader, "zeCommandListAppendMemoryFill"));
    REQUIRE(!!fill);
    versioned.record(start);
    CHECK(fill(list, memory, &pattern, 1, 1 << 20, nullptr, 0, nullptr) == ZE_RESULT_SUCCESS);
    versioned.record(stop);
    versioned.synchronize();
    CHECK(versioned.elapsed(start, stop) == doctest::Approx((1 << 20) / 256.0).epsilon(0.03));
    versioned.api.memory_free(versioned.instance, versioned.device, memory);
    versioned.api.event_destroy(versioned.instance, versioned.device, start);
    versioned.api.event_destroy(versioned.instance, versioned.device, stop);
  }
}

TEST_CASE("events that were never recorded, run backwards or see no time") {
  Xpu xpu;
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  double ns = 0;
  std::uint32_t flags = 0;
  Error error;
  CHECK(xpu.api.event_query(xpu.instance, xpu.device, start, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(xpu.api.event_synchronize(xpu.instance, xpu.device, start, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(xpu.api.event_elapsed(xpu.instance, xpu.device, start, stop, &ns, &flags, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(error.complete());
  xpu.record(start);
  xpu.record(stop);
  CHECK(xpu.api.event_query(xpu.instance, xpu.device, stop, &error) == BENCH_OK);
  CHECK(xpu.elapsed(start, stop, &flags) == 0);
  CHECK(flags == BENCH_SAMPLE_ZERO);
  xpu.control.backwards_ticks = 3;
  xpu.record(start);
  xpu.record(stop);
  CHECK(xpu.elapsed(start, stop, &flags) == -3 * tick_ns);
  CHECK(flags == BENCH_SAMPLE_NEGATIVE);
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
  xpu.api.event_destroy(xpu.instance, xpu.device, nullptr);
}

TEST_CASE("without a timer's resolution there are no events, and a reason") {
  Xpu xpu;
  xpu.control.timer_hz = 0;
  bench_event_v1 *event = nullptr;
  CHECK(xpu.api.event_create(xpu.instance, xpu.device, &xpu.stream(), &event, &xpu.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(event == nullptr);
  CHECK(xpu.error.complete());
}

TEST_CASE("memory goes to the device and comes back, with offsets and fills") {
  Xpu xpu;
  constexpr std::uint64_t size = 4096;
  void *first = xpu.allocate(size), *second = xpu.allocate(size);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
  std::array<std::uint8_t, size> out{}, in{};
  std::iota(out.begin(), out.end(), std::uint8_t{0});
  const auto copy = [&](void *target, std::uint64_t to, const void *source, std::uint64_t from,
                        std::uint64_t bytes, std::uint32_t direction) {
    return xpu.api.memory_copy(xpu.instance, xpu.device, target, to, source, from, bytes, direction,
                               &xpu.stream(), &xpu.error);
  };
  REQUIRE_OK(copy(first, 0, out.data(), 0, size, BENCH_COPY_TO_DEVICE), xpu.error);
  REQUIRE_OK(copy(second, 100, first, 50, 1000, BENCH_COPY_ON_DEVICE), xpu.error);
  REQUIRE_OK(
      xpu.api.memory_set(xpu.instance, xpu.device, second, 10, 0xab, 20, &xpu.stream(), &xpu.error),
      xpu.error);
  REQUIRE_OK(copy(in.data(), 0, second, 0, size, BENCH_COPY_FROM_DEVICE), xpu.error);
  CHECK(std::memcmp(in.data() + 100, out.data() + 50, 1000) == 0);
  CHECK(in[10] == 0xab);
  CHECK(in[29] == 0xab);
  CHECK(copy(first, 0, first, 0, 0, BENCH_COPY_ON_DEVICE) == BENCH_OK);
  CHECK(copy(first, 0, first, 0, 1, 4) == BENCH_ERROR_UNSUPPORTED);
  xpu.api.memory_free(xpu.instance, xpu.device, first);
  xpu.api.memory_free(xpu.instance, xpu.device, second);
  xpu.api.memory_free(xpu.instance, xpu.device, nullptr);
}

TEST_CASE("memory that the device has not is refused with the sizes") {
  Xpu xpu;
  void *memory = nullptr;
  const auto allocate = [&](std::uint64_t size) {
    return xpu.api.memory_allocate(xpu.instance, xpu.device, &xpu.stream(), size, &memory,
                                   &xpu.error);
  };
  CHECK(allocate(0) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(allocate(std::uint64_t{2} << 30) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(xpu.error.has("2147483648"));
  void *most = xpu.allocate(xpu.control.memory_bytes - 100);
  CHECK(allocate(4096) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(memory == nullptr);
  CHECK(xpu.error.has("4096"));
  CHECK(std::string(xpu.error.vendor_name) == "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY");
  CHECK(xpu.error.vendor_code == 0x70000003);
  CHECK(xpu.error.complete());
  xpu.api.memory_free(xpu.instance, xpu.device, most);
}

TEST_CASE("a flush covers all caches twice, is made once, and writes or reads") {
  Xpu xpu;
  Error error;
  CHECK(xpu.api.flush(xpu.instance, xpu.device, &xpu.stream(), BENCH_FLUSH_WRITE, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  std::uint64_t bytes = 0;
  for (int i = 0; i < 2; ++i)
    REQUIRE_OK(xpu.api.flush_prepare(xpu.instance, xpu.device, &xpu.stream(), &bytes, &xpu.error),
               xpu.error);
  CHECK(bytes == 2 * (17u << 20));
  CHECK(xpu.control.module_builds == 1);
  const auto flush = [&](std::uint32_t mode) {
    return xpu.api.flush(xpu.instance, xpu.device, &xpu.stream(), mode, &error);
  };
  REQUIRE_OK(flush(BENCH_FLUSH_WRITE), error);
  CHECK(xpu.control.filled_bytes == bytes);
  CHECK(xpu.control.read_bytes == 0);
  REQUIRE_OK(flush(BENCH_FLUSH_READ), error);
  CHECK(xpu.control.read_bytes == bytes);
  CHECK(xpu.control.filled_bytes == bytes);
  CHECK(flush(9) == BENCH_ERROR_UNSUPPORTED);
  CHECK(error.complete());
  xpu.api.flush_release(xpu.instance, xpu.device, &xpu.stream());
}

TEST_CASE("where the kernel that reads cannot be built, flushes write") {
  Xpu xpu;
  xpu.control.build_fails = true;
  std::uint64_t bytes = 0;
  REQUIRE_OK(xpu.api.flush_prepare(xpu.instance, xpu.device, &xpu.stream(), &bytes, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.flush(xpu.instance, xpu.device, &xpu.stream(), BENCH_FLUSH_WRITE, &xpu.error),
             xpu.error);
  Error error;
  CHECK(xpu.api.flush(xpu.instance, xpu.device, &xpu.stream(), BENCH_FLUSH_READ, &error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(error.has("ZE_RESULT_ERROR_MODULE_BUILD_FAILURE"));
  CHECK(error.complete());
  xpu.api.flush_release(xpu.instance, xpu.device, &xpu.stream());
}

TEST_CASE("a framework's immediate list is used as it is, and needs its context") {
  Xpu xpu;
  // Another instance's stream is as foreign as a framework's.
  Xpu other;
  bench_stream_v1 native = other.stream();
  native.kind = BENCH_STREAM_NATIVE;
  bench_event_v1 *event = nullptr;
  REQUIRE_OK(xpu.api.event_create(xpu.instance, xpu.device, &native, &event, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.event_record(xpu.instance, xpu.device, event, &native, &xpu.error), xpu.error);
  REQUIRE_OK(xpu.api.stream_synchronize(xpu.instance, xpu.device, &native, &xpu.error), xpu.error);
  CHECK(xpu.api.event_query(xpu.instance, xpu.device, event, &xpu.error) == BENCH_OK);
  Error error;
  CHECK(xpu.api.event_record(xpu.instance, xpu.device, event, &xpu.stream(), &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(error.complete());
  xpu.api.event_destroy(xpu.instance, xpu.device, event);
  for (const auto spoil : {+[](bench_stream_v1 &stream) { stream.context = nullptr; },
                           +[](bench_stream_v1 &stream) { stream.handle = nullptr; }}) {
    bench_stream_v1 spoilt = native;
    spoil(spoilt);
    CHECK(xpu.api.stream_synchronize(xpu.instance, xpu.device, &spoilt, &error) ==
          BENCH_ERROR_INVALID_ARGUMENT);
    CHECK(error.complete());
  }
  bench_stream_v1 unknown = native;
  unknown.class_kind = 7;
  CHECK(xpu.api.stream_synchronize(xpu.instance, xpu.device, &unknown, &error) ==
        BENCH_ERROR_UNSUPPORTED);
  bench_stream_v1 stranger = native;
  stranger.kind = BENCH_STREAM_PLUGIN_OWNED;
  CHECK(xpu.api.stream_synchronize(xpu.instance, xpu.device, &stranger, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  other.expect_all_back = xpu.expect_all_back = false;  // the two count each other's objects
}

TEST_CASE("the default streams are one of the plugin's, and the device waits for all of them") {
  Xpu xpu;
  bench_stream_v1 usual{};
  usual.struct_size = sizeof usual;
  usual.kind = BENCH_STREAM_DEFAULT;
  void *memory = nullptr;
  REQUIRE_OK(xpu.api.memory_allocate(xpu.instance, xpu.device, &usual, 64, &memory, &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.memory_set(xpu.instance, xpu.device, memory, 0, 1, 64, &usual, &xpu.error),
             xpu.error);
  const std::uint64_t before = xpu.control.now_ns();
  LoadedKernel kernel(xpu, "empty");
  REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
  REQUIRE_OK(xpu.api.device_synchronize(xpu.instance, xpu.device, &xpu.error), xpu.error);
  CHECK(xpu.control.now_ns() - before >= static_cast<std::uint64_t>(kernel_ns));
  xpu.api.memory_free(xpu.instance, xpu.device, memory);
}
