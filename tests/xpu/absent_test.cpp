// SPDX-License-Identifier: Apache-2.0
// What a machine without a GPU, a driver or a whole loader is told. Which of these it is, is the
// environment's business: BENCH_XPU_ABSENT names the case.
#include <unistd.h>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::xpu_api;

namespace {

/// True if the test was started for `name`.
bool is_case(const char *name) {
  const char *given = std::getenv("BENCH_XPU_ABSENT");
  return given && std::string(given) == name;
}

struct Instance {
  Instance() : api(xpu_api()) { REQUIRE_OK(api.open(nullptr, nullptr, &instance, &error), error); }
  ~Instance() { api.close(instance); }
  Instance(const Instance &) = delete;  // closed once
  Instance &operator=(const Instance &) = delete;
  bench_status list() {
    std::uint32_t count = 0;
    return api.device_list(instance, nullptr, 0, &count, &error);
  }
  const bench_plugin_api_v1 &api;
  bench_instance_v1 *instance = nullptr;
  Error error;
};

}  // namespace

TEST_CASE("a loader without a driver: no driver, with the loader's reason and the kernel's") {
  if (!is_case("driver")) return;
  Instance xpu;
  for (int i = 0; i < 2; ++i) {  // asked again, it answers again
    // With a card in the machine the kernel shows nodes, and the answer is about those.
    const bench_status status = xpu.list();
    CHECK((status == BENCH_ERROR_NO_DRIVER || status == BENCH_ERROR_NO_PERMISSION));
    CHECK(xpu.error.has("zeInit"));
    CHECK(xpu.error.has("renderD"));
    CHECK(std::string(xpu.error.vendor_name) == "ZE_RESULT_ERROR_UNINITIALIZED");
    CHECK(xpu.error.vendor_code == 0x78000001);
    CHECK(xpu.error.complete());
  }
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  CHECK(xpu.api.stream_create(xpu.instance, {BENCH_DEVICE_ONEAPI, 0}, &stream, &xpu.error) < 0);
  CHECK(xpu.error.complete());
  // What needs no driver works.
  CHECK(xpu.api.get_extension(xpu.instance, BENCH_EXT_KERNEL_V1) != nullptr);
  CHECK(xpu.api.get_extension(nullptr, BENCH_EXT_KERNEL_V1) != nullptr);
}

TEST_CASE("a driver that refuses to start: its own code and name") {
  if (!is_case("refusal")) return;
  Instance xpu;
  CHECK(xpu.list() < 0);
  CHECK(xpu.error.has("zeInit"));
  CHECK(std::string(xpu.error.vendor_name) == "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS");
  CHECK(xpu.error.vendor_code == 0x70010000);
  CHECK(xpu.error.complete());
}

TEST_CASE("no loader: no driver, with the system's reason") {
  if (!is_case("loader")) return;
  Instance xpu;
  CHECK(xpu.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(xpu.error.has("the Level Zero loader cannot be opened"));
  CHECK(xpu.error.has("libze_loader.so.1"));
  CHECK(xpu.error.complete());
}

TEST_CASE("a library of that name that is no loader: what it lacks") {
  if (!is_case("stranger")) return;
  Instance xpu;
  CHECK(xpu.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(xpu.error.has("is no Level Zero 1.0 loader: it lacks zeInit"));
  CHECK(xpu.error.complete());
}

TEST_CASE("a driver that prints while it starts spoils nobody's output, and is heard") {
  if (!is_case("printing")) return;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  std::string logged;
  {
    bench_host_v1 host{};
    host.struct_size = sizeof host;
    host.user = &logged;
    host.log = [](void *user, std::uint32_t, const char *message) {
      *static_cast<std::string *>(user) += message;
    };
    Error error;
    bench_instance_v1 *instance = nullptr;
    const bench_plugin_api_v1 &api = xpu_api();
    std::uint32_t count = 0;
    std::printf("before,");
    const bool fine = api.open(&host, nullptr, &instance, &error) == BENCH_OK &&
                      api.device_list(instance, nullptr, 0, &count, &error) == BENCH_OK;
    std::printf("after");
    std::fflush(stdout);
    ::dup2(saved, STDOUT_FILENO);
    CHECK(fine);
    CHECK(count == 1);
    api.close(instance);
  }
  char text[256] = {};
  const ssize_t size = ::read(ends[0], text, sizeof text - 1);
  CHECK(size > 0);
  CHECK(std::string(text) == "before,after");
  CHECK(logged.find("hello from the driver") != std::string::npos);
  ::close(saved);
  ::close(ends[0]);
  ::close(ends[1]);
}
