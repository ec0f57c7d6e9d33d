// SPDX-License-Identifier: Apache-2.0
// What the plugin says of its devices, or why it has none. BENCH_HIP_CASE names the case, which the
// environment makes.
#include <unistd.h>

#include <cstdio>

#include "hip_device.hpp"

namespace {
bool is_case(const std::string &name) {
  return setting("BENCH_HIP_CASE") == name;
}
}  // namespace

TEST_CASE("two devices: each by its own facts; a third is not there") {
  // Both layouts of the structure that has the architecture: HIP 6's and 5's.
  if (!is_case("two") && !is_case("two5")) return;
  Hip hip;
  REQUIRE(hip.list() == BENCH_OK);
  REQUIRE(hip.count == 2);
  for (int id = 0; id < 2; ++id) {
    CHECK(hip.devices[id].type == BENCH_DEVICE_ROCM);
    const bench_device_info_v1 info = hip.info(id);
    CHECK(std::string(info.class_name) == "hip");
    CHECK(std::string(info.name) == "Stand-in " + std::to_string(id));
    CHECK(std::string(info.architecture).substr(0, 8) == "gfx-sm_9");
    CHECK(std::string(info.bus_id) == (id ? "0000:02:00.0" : "0000:01:00.0"));
    CHECK(info.uuid[0] == 0x70 + id);
    CHECK(info.last_level_cache_bytes == 1u << 20);
    CHECK(info.compute_units == 4);
    CHECK(std::string(info.runtime_version) ==
          (is_case("two") ? "HIP 6.2.41133" : "HIP 5.2.41133"));
  }
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  CHECK(hip.api->device_info(hip.instance, {BENCH_DEVICE_ROCM, 2}, &info, &hip.error) ==
        BENCH_ERROR_NO_DEVICE);
  CHECK(hip.says("{10, 2}"));
  CHECK(hip.api->device_info(hip.instance, {BENCH_DEVICE_CUDA, 0}, &info, &hip.error) ==
        BENCH_ERROR_NO_DEVICE);
}

TEST_CASE("no device: the runtime's own reason, name and number") {
  if (!is_case("none")) return;
  Hip hip;
  CHECK(hip.list() == BENCH_ERROR_NO_DEVICE);
  CHECK(hip.says("HIP 6.2.41133 finds no device: no ROCm-capable device is detected"));
  CHECK(hip.error.vendor_code == 100);
  CHECK(std::string(hip.error.vendor_name) == "hipErrorNoDevice");
}

TEST_CASE("Debian's own runtime, where no device is: the same, by its words") {
  if (!is_case("real")) return;
  if (!::dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_LOCAL)) {
    std::fprintf(stderr, "skipped: %s (Debian: libamdhip64-5)\n", ::dlerror());
    std::exit(77);
  }
  Hip hip;
  const bench_status status = hip.list();
  if (status == BENCH_OK && hip.count > 0) return;  // a machine with an AMD GPU
  CHECK(status == BENCH_ERROR_NO_DEVICE);
  CHECK(hip.says("HIP 5."));
  CHECK(hip.says("finds no device"));
  CHECK(hip.error.vendor_code != 0);
  CHECK(std::string(hip.error.vendor_name).substr(0, 8) == "hipError");
  CHECK(std::string(hip.error.hint).find("/dev/kfd") != std::string::npos);
}

TEST_CASE("an old runtime: its version and the one needed") {
  if (!is_case("old")) return;
  Hip hip;
  CHECK(hip.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(hip.says("is 4.3.0, this plugin needs 5.0.0"));
}

TEST_CASE("a runtime that does not start: its name, code and text; asked again, again") {
  if (!is_case("broken")) return;
  Hip hip;
  for (int i = 0; i < 2; ++i) {
    CHECK(hip.list() == BENCH_ERROR_NO_DRIVER);
    CHECK(hip.error.vendor_code == 3);
    CHECK(std::string(hip.error.vendor_name) == "hipErrorNotInitialized");
    CHECK(hip.says("does not start: initialization error"));
    CHECK(hip.error.hint[0] != '\0');
  }
}

TEST_CASE("a library without a function that is needed: which") {
  if (!is_case("partial")) return;
  Hip hip;
  CHECK(hip.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(hip.says("libamdhip64.so.7 has no hipInit"));
}

TEST_CASE("files that are no libraries: the system's reason") {
  if (!is_case("damaged")) return;
  Hip hip;
  CHECK(hip.list() == BENCH_ERROR_NO_DRIVER);
  CHECK(hip.says("cannot be opened"));
  CHECK(hip.says("libamdhip64.so.7: file too short"));
  CHECK(hip.error.hint[0] != '\0');
}

TEST_CASE("what the runtime prints while it starts goes to the host's log, once, not to stdout") {
  if (!is_case("printing")) return;
  std::fflush(stdout);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  std::string logged;
  bench_host_v1 host{};
  host.struct_size = sizeof host;
  host.user = &logged;
  host.log = [](void *user, std::uint32_t, const char *text) {
    *static_cast<std::string *>(user) += text;
  };
  {
    Hip hip;
    bench_instance_v1 *told = nullptr;
    REQUIRE(hip.api->open(&host, nullptr, &told, &hip.error) == BENCH_OK);
    for (int i = 0; i < 2; ++i)
      CHECK(hip.api->device_list(told, hip.devices, 4, &hip.count, &hip.error) == BENCH_OK);
    CHECK(hip.count == 1);
    hip.api->close(told);
  }
  std::fflush(stdout);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 0);  // nothing came through
  ::close(ends[0]);
  CHECK(logged == "the HIP runtime printed: hello from the runtime\n");
}
