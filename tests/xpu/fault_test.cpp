// SPDX-License-Identifier: Apache-2.0
// A device that is lost, memory that ends, events that never come, processes that fork.
#include <sys/wait.h>
#include <unistd.h>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::Xpu;

TEST_CASE("a lost device says so for ever, and is given back without waiting") {
  Xpu xpu;
  bench_event_v1 *start = xpu.make_event(), *stop = xpu.make_event();
  bench_gate_v1 *gate = nullptr;
  REQUIRE_OK(xpu.gate->create(xpu.instance, xpu.device, &xpu.stream(), &gate, &xpu.error),
             xpu.error);
  void *memory = xpu.allocate(64);
  {
    LoadedKernel kernel(xpu, "empty");
    REQUIRE_OK(xpu.gate->enqueue(xpu.instance, xpu.device, gate, &xpu.stream(), &xpu.error),
               xpu.error);
    xpu.record(start);
    REQUIRE_OK(kernel.launch(xpu.stream()), xpu.error);
    xpu.record(stop);
    xpu.control.lost_after_launches = 0;
    xpu.gate->open(xpu.instance, xpu.device, gate);
    Error error;
    CHECK(xpu.api.stream_synchronize(xpu.instance, xpu.device, &xpu.stream(), &error) ==
          BENCH_ERROR_DEVICE_LOST);
    CHECK(std::string(error.vendor_name) == "ZE_RESULT_ERROR_DEVICE_LOST");
    CHECK(error.vendor_code == 0x70000001);
    CHECK(error.complete());
    // Even if the driver should answer again: the state that was there is gone.
    xpu.control.lost_device = -1;
    CHECK(kernel.launch(xpu.stream()) == BENCH_ERROR_DEVICE_LOST);
    CHECK(xpu.api.event_query(xpu.instance, xpu.device, stop, &error) == BENCH_ERROR_DEVICE_LOST);
    CHECK(error.complete());
    xpu.control.lost_device = 0;
  }
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  REQUIRE_OK(xpu.api.device_info(xpu.instance, xpu.device, &info, &xpu.error), xpu.error);
  CHECK(info.state == BENCH_ERROR_DEVICE_LOST);
  CHECK(*info.reason);
  xpu.api.event_destroy(xpu.instance, xpu.device, start);
  xpu.api.event_destroy(xpu.instance, xpu.device, stop);
  xpu.gate->destroy(xpu.instance, xpu.device, gate);
  xpu.api.memory_free(xpu.instance, xpu.device, memory);
}

TEST_CASE("the other device is unharmed") {
  Xpu first(0);
  first.control.devices = 2;
  bench_stream_v1 second{};
  second.struct_size = sizeof second;
  const bench_device_v1 other{BENCH_DEVICE_ONEAPI, 1};
  REQUIRE_OK(first.api.stream_create(first.instance, other, &second, &first.error), first.error);
  first.stream();
  first.control.lost_device = 0;
  CHECK(first.api.device_synchronize(first.instance, first.device, &first.error) ==
        BENCH_ERROR_DEVICE_LOST);
  void *memory = nullptr;
  REQUIRE_OK(first.api.memory_allocate(first.instance, other, &second, 64, &memory, &first.error),
             first.error);
  REQUIRE_OK(first.api.memory_set(first.instance, other, memory, 0, 1, 64, &second, &first.error),
             first.error);
  REQUIRE_OK(first.api.stream_synchronize(first.instance, other, &second, &first.error),
             first.error);
  first.api.memory_free(first.instance, other, memory);
  first.api.stream_destroy(first.instance, other, &second);
}

TEST_CASE("another instance's device is lost only where it notices") {
  Xpu first;
  first.stream();
  first.control.lost_device = 0;
  CHECK(first.api.device_synchronize(first.instance, first.device, &first.error) ==
        BENCH_ERROR_DEVICE_LOST);
  const std::int64_t objects = first.control.objects;
  {
    Xpu second;  // resets the controls: the device is back
    second.synchronize();
  }
  CHECK(first.control.objects == objects);
}

TEST_CASE("a device's memory that ends in the middle of making something leaves nothing behind") {
  Xpu xpu;
  xpu.stream();
  xpu.control.allocations_left = 0;
  bench_event_v1 *event = nullptr;
  CHECK(xpu.api.event_create(xpu.instance, xpu.device, &xpu.stream(), &event, &xpu.error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(event == nullptr);
  std::uint64_t bytes = 0;
  CHECK(xpu.api.flush_prepare(xpu.instance, xpu.device, &xpu.stream(), &bytes, &xpu.error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(xpu.error.has("flush needs"));
  CHECK(xpu.error.complete());
}

TEST_CASE("an event that never comes stays pending, and costs nobody's time") {
  Xpu xpu;
  bench_event_v1 *event = xpu.make_event();
  xpu.control.never_signals = true;
  xpu.record(event);
  Error error;
  for (int i = 0; i < 3; ++i)
    CHECK(xpu.api.event_query(xpu.instance, xpu.device, event, &error) == BENCH_ERROR_BUSY);
  CHECK(std::string(error.vendor_name) == "ZE_RESULT_NOT_READY");
  double ns = 0;
  std::uint32_t flags = 0;
  CHECK(xpu.api.event_elapsed(xpu.instance, xpu.device, event, event, &ns, &flags, &error) ==
        BENCH_ERROR_BUSY);
  CHECK(xpu.api.event_record(xpu.instance, xpu.device, event, &xpu.stream(), &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  xpu.api.event_destroy(xpu.instance, xpu.device, event);
  // The device may still write the event: it, its stream and its context stay until the process
  // ends.
  xpu.expect_all_back = false;
  bench_stream_v1 stream = xpu.stream();
  xpu.drop_stream();
  xpu.api.stream_destroy(xpu.instance, xpu.device, &stream);
}

TEST_CASE("what works when the plugin is closed is left alone, with a line") {
  std::string logged;
  {
    Xpu xpu;
    bench_event_v1 *event = xpu.make_event();
    xpu.control.never_signals = true;
    xpu.record(event);
    xpu.api.event_destroy(xpu.instance, xpu.device, event);
    xpu.expect_all_back = false;
    bench_stream_v1 stream = xpu.stream();
    xpu.drop_stream();
    xpu.api.stream_destroy(xpu.instance, xpu.device, &stream);
    xpu.api.close(xpu.instance);
    logged = xpu.logged;
    REQUIRE_OK(xpu.api.open(&xpu.host, nullptr, &xpu.instance, &xpu.error), xpu.error);
  }
  CHECK(logged.find("still works") != std::string::npos);
}

TEST_CASE("every code of Level Zero is a typed status with its name and number") {
  struct Row {
    std::uint32_t code;
    bench_status status;
    const char *name;
  };
  const Row rows[] = {
      {0x70000001, BENCH_ERROR_DEVICE_LOST, "ZE_RESULT_ERROR_DEVICE_LOST"},
      {0x70000002, BENCH_ERROR_OUT_OF_RESOURCES, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
      {0x70000003, BENCH_ERROR_OUT_OF_RESOURCES, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
      {0x70000006, BENCH_ERROR_DEVICE_LOST, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET"},
      {0x70000007, BENCH_ERROR_BUSY, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE"},
      {0x70010000, BENCH_ERROR_NO_PERMISSION, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"},
      {0x70010001, BENCH_ERROR_BUSY, "ZE_RESULT_ERROR_NOT_AVAILABLE"},
      {0x70020000, BENCH_ERROR_UNSUPPORTED, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"},
      {0x70020002, BENCH_ERROR_NO_DEVICE, "ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED"},
      {0x78000002, BENCH_ERROR_INCOMPATIBLE, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION"},
      {0x78000003, BENCH_ERROR_UNSUPPORTED, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"},
      {0x78000004, BENCH_ERROR_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_ARGUMENT"},
      {0x7800000f, BENCH_ERROR_INCOMPATIBLE, "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY"},
      {0x78000013, BENCH_ERROR_OUT_OF_RESOURCES, "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION"},
      {0x78000018, BENCH_ERROR_COMPILE_FAILED, "ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED"},
      {0x78000019, BENCH_ERROR_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE"},
      {0x7ffffffe, BENCH_ERROR_INTERNAL, "ZE_RESULT_ERROR_UNKNOWN"},
      {0x12345678, BENCH_ERROR_INTERNAL, "an unknown Level Zero code"},
  };
  for (const Row &row : rows) {
    CAPTURE(row.name);
    Xpu xpu;  // an instance each: some of them lose the device
    bench_event_v1 *event = xpu.make_event();
    xpu.control.append_result = row.code;
    Error error;
    CHECK(xpu.api.event_record(xpu.instance, xpu.device, event, &xpu.stream(), &error) ==
          row.status);
    CHECK(error.vendor_code == row.code);
    CHECK(std::string(error.vendor_name) == row.name);
    CHECK(error.has("zeCommandListAppend"));
    CHECK(error.complete());
    xpu.control.append_result = 0;
    xpu.api.event_destroy(xpu.instance, xpu.device, event);
  }
}

TEST_CASE("a child of a process that started the driver is told, not hung") {
  Xpu xpu;
  xpu.synchronize();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Error error;
    std::uint32_t count = 0;
    const bench_status answers[] = {
        xpu.api.device_list(xpu.instance, nullptr, 0, &count, &error),
        xpu.api.stream_synchronize(xpu.instance, xpu.device, &xpu.stream(), &error)};
    // A new instance knows it too: the driver is the process's.
    bench_instance_v1 *fresh = nullptr;
    const bool opened = xpu.api.open(nullptr, nullptr, &fresh, &error) == BENCH_OK;
    const bool told =
        opened &&
        xpu.api.device_list(fresh, nullptr, 0, &count, &error) == BENCH_ERROR_UNSUPPORTED &&
        error.complete() && answers[0] == BENCH_ERROR_UNSUPPORTED &&
        answers[1] == BENCH_ERROR_UNSUPPORTED &&
        xpu.api.get_extension(xpu.instance, BENCH_EXT_GATE_V1) != nullptr;
    const char answer = told ? 'y' : 'n';
    const ssize_t written = ::write(ends[1], &answer, 1);
    ::_exit(written == 1 ? 0 : 1);
  }
  char answer = '?';
  CHECK(::read(ends[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  xpu.synchronize();  // the parent goes on
}
