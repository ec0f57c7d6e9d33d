// SPDX-License-Identifier: Apache-2.0
// Two cores in one process, as two wheels bring them, share one copy of a plugin: neither may see
// what the other does.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bench/plugin_v1.h"
#include "mock_control.h"
#include "toy_control.h"

namespace {

/// What a core is to a plugin: a host table of its own and what it was told.
struct Host {
  std::vector<std::string> lines;
  bench_host_v1 table{};

  Host() {
    table.struct_size = sizeof table;
    table.abi_minor = BENCH_ABI_MINOR;
    table.user = this;
    table.log = [](void *user, std::uint32_t, const char *message) {
      static_cast<Host *>(user)->lines.push_back(message);
    };
    table.get_extension = [](void *, const char *) -> const void * { return nullptr; };
  }
};

const bench_plugin_api_v1 *load(const char *path, const bench_host_v1 *host) {
  void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, ::dlerror());
  const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
  REQUIRE(static_cast<bool>(entry));
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  return entry(host, &error);
}

constexpr bench_device_v1 device{BENCH_DEVICE_EXT, 0};

}  // namespace

TEST_CASE("the entry is pure: one table for every host and for none") {
  Host first, second;
  const auto *table = load(BENCH_MOCK_PLUGIN, &first.table);
  REQUIRE(table != nullptr);
  CHECK(load(BENCH_MOCK_PLUGIN, &second.table) == table);
  CHECK(load(BENCH_MOCK_PLUGIN, nullptr) == table);
  CHECK(table->struct_size == sizeof(bench_plugin_api_v1));
  CHECK(first.lines.empty());
}

TEST_CASE("two instances share no clock, no script, no stream and no loss") {
  Host first, second;
  const auto *api = load(BENCH_MOCK_PLUGIN, &first.table);
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  bench_instance_v1 *one = nullptr, *two = nullptr;
  REQUIRE(api->open(&first.table, nullptr, &one, &error) == BENCH_OK);
  REQUIRE(api->open(&second.table, nullptr, &two, &error) == BENCH_OK);
  CHECK(one != two);
  const auto *mock =
      static_cast<const bench_ext_test_mock_v1 *>(api->get_extension(one, BENCH_TEST_MOCK_V1));
  REQUIRE(mock != nullptr);

  const double before = mock->now_ns(two);
  mock->advance_ns(one, 1e9);
  CHECK(mock->now_ns(two) == before);

  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  REQUIRE(api->stream_create(one, device, &stream, &error) == BENCH_OK);
  CHECK(mock->script(one, device)->streams_alive == 1);
  CHECK(mock->script(two, device)->streams_alive == 0);
  // A stream belongs to the instance that made it.
  CHECK(mock->work(two, device, &stream, 100.0, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(mock->work(one, device, &stream, 100.0, &error) == BENCH_OK);

  mock->script(one, device)->lost = 1;
  CHECK(api->device_synchronize(one, device, &error) == BENCH_ERROR_DEVICE_LOST);
  CHECK(api->device_synchronize(two, device, &error) == BENCH_OK);
  // The other device of the same instance is not lost either.
  CHECK(api->device_synchronize(one, {BENCH_DEVICE_EXT, 1}, &error) == BENCH_OK);

  api->stream_destroy(one, device, &stream);
  CHECK(mock->script(one, device)->streams_alive == 0);
  api->close(one);
  // Closing one leaves the other at work.
  REQUIRE(api->stream_create(two, device, &stream, &error) == BENCH_OK);
  CHECK(mock->work(two, device, &stream, 100.0, &error) == BENCH_OK);
  api->stream_destroy(two, device, &stream);
  api->close(two);
}

TEST_CASE("two instances may be used by two threads at once") {
  Host hosts[2];
  const auto *api = load(BENCH_MOCK_PLUGIN, &hosts[0].table);
  std::atomic<int> failures{0};
  double ends[2] = {};
  const auto use = [&](int which) {
    bench_error_v1 error{};
    error.struct_size = sizeof error;
    bench_instance_v1 *instance = nullptr;
    failures += api->open(&hosts[which].table, nullptr, &instance, &error) != BENCH_OK;
    const auto *mock = static_cast<const bench_ext_test_mock_v1 *>(
        api->get_extension(instance, BENCH_TEST_MOCK_V1));
    bench_stream_v1 stream{};
    stream.struct_size = sizeof stream;
    failures += api->stream_create(instance, device, &stream, &error) != BENCH_OK;
    const double begin = mock->now_ns(instance);
    for (int i = 0; i < 1000; ++i) {
      failures += mock->work(instance, device, &stream, 1000.0, &error) != BENCH_OK;
      failures += api->stream_synchronize(instance, device, &stream, &error) != BENCH_OK;
    }
    ends[which] = mock->now_ns(instance) - begin;
    api->stream_destroy(instance, device, &stream);
    api->close(instance);
  };
  std::thread first(use, 0), second(use, 1);
  first.join();
  second.join();
  CHECK(failures == 0);
  CHECK(ends[0] == ends[1]);  // virtual: neither slowed the other
  CHECK(ends[0] >= 1000 * 1000.0);
}

TEST_CASE("a T0 plugin without open takes the NULL instance from both hosts") {
  Host first, second;
  const auto *api = load(BENCH_TOY_PLUGIN, &first.table);
  REQUIRE(api != nullptr);
  CHECK(load(BENCH_TOY_PLUGIN, &second.table) == api);
  CHECK_FALSE(static_cast<bool>(api->open));
  CHECK_FALSE(static_cast<bool>(api->close));
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  bench_device_v1 devices[4];
  std::uint32_t count = 0;
  CHECK(api->device_list(nullptr, devices, 4, &count, &error) == BENCH_OK);
  CHECK(count == 2);
  // A count may exceed the capacity: what fits is written, all are counted.
  std::memset(devices, 0x55, sizeof devices);
  CHECK(api->device_list(nullptr, devices, 1, &count, &error) == BENCH_OK);
  CHECK(count == 2);
  CHECK(devices[0].id == 0);
  CHECK(devices[1].id == 0x55555555);
  CHECK(api->device_list(nullptr, nullptr, 0, &count, &error) == BENCH_OK);
  CHECK(count == 2);
}

TEST_CASE(
    "an info struct below its 1.0 size is refused, a smaller error struct filled as far as it "
    "reaches") {
  Host host;
  for (const char *path : {BENCH_TOY_PLUGIN, BENCH_MOCK_PLUGIN}) {
    CAPTURE(path);
    const auto *api = load(path, &host.table);
    bench_instance_v1 *instance = nullptr;
    bench_error_v1 error{};
    error.struct_size = sizeof error;
    if (api->open) REQUIRE(api->open(&host.table, nullptr, &instance, &error) == BENCH_OK);
    bench_device_info_v1 info;
    std::memset(&info, 0x55, sizeof info);
    info.struct_size = offsetof(bench_device_info_v1, memory_bytes);
    CHECK(api->device_info(instance, device, &info, &error) == BENCH_ERROR_INVALID_ARGUMENT);
    CHECK(info.struct_size == offsetof(bench_device_info_v1, memory_bytes));
    CHECK(info.device.type == 0x55555555);
    CHECK(info.memory_bytes == 0x5555555555555555u);

    std::memset(&error, 0x55, sizeof error);
    error.struct_size = offsetof(bench_error_v1, hint);
    CHECK(api->device_info(instance, {BENCH_DEVICE_EXT, 7}, &info, &error) ==
          BENCH_ERROR_NO_DEVICE);
    CHECK(error.status == BENCH_ERROR_NO_DEVICE);
    CHECK(std::strlen(error.what) > 0);
    CHECK(error.hint[0] == 0x55);
    CHECK(api->device_info(instance, {BENCH_DEVICE_EXT, 7}, &info, nullptr) ==
          BENCH_ERROR_NO_DEVICE);
    if (api->close) api->close(instance);
  }
}
