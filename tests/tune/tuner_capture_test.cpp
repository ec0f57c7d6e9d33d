// SPDX-License-Identifier: Apache-2.0
// A cold key inside somebody's capture: nothing may be launched or waited for then. And copies of
// arguments on a device whose memory is not the host's to touch.
#include <doctest/doctest.h>

#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "bench/ext/capture.h"
#include "loader/registry.hpp"
#include "mock_control.h"
#include "temp_dir.hpp"
#include "tune/tuner.hpp"

using namespace bench;

namespace {

struct Bed {
  explicit Bed(std::uint32_t flags = 0) : registry(options(log)) {
    device = registry.parse_device("mock");
    loader::Plugin &plugin = registry.plugin_for_device(device);
    control = static_cast<const bench_ext_test_mock_v1 *>(
        plugin.api->get_extension(plugin.instance, BENCH_TEST_MOCK_V1));
    api = plugin.api;
    instance = plugin.instance;
    native = plugin.native(device);
    script = control->script(instance, native);
    script->offers = MOCK_OFFERS_CAPTURE;
    for (bench_config_v1 &config : configs) config.struct_size = sizeof config;
    bench_tuner_options_v1 raw{};
    raw.struct_size = sizeof raw;
    raw.name = "captured/1";
    raw.configs = config_pointers;
    raw.config_count = 2;
    raw.argument_names = names;
    raw.argument_count = 1;
    raw.default_config = 1;
    raw.flags = flags;
    tuner =
        std::make_unique<tune::Tuner>(tune::Surroundings{registry, nullptr, log, temp.path()}, raw);
    argument.struct_size = sizeof argument;
    argument.kind = BENCH_ARGUMENT_TENSOR;
    argument.device = device;
    argument.dtype_code = 2;
    argument.dtype_bits = 32;
    argument.dtype_lanes = 1;
    argument.rank = 1;
    argument.shape = &extent;
    callable.struct_size = sizeof callable;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *on,
                         bench_error_v1 *error) -> bench_status {
      Bed &self = *static_cast<Bed *>(user);
      ++self.launches;
      return self.control->work(self.instance, self.native, on, config->index ? 9000 : 3000, error);
    };
    bench_error_v1 error = error_struct();
    stream.struct_size = sizeof stream;
    REQUIRE(api->stream_create(instance, native, &stream, &error) == BENCH_OK);
  }
  ~Bed() { api->stream_destroy(instance, native, &stream); }
  static loader::Options options(Log &log) {
    loader::Options result;
    result.paths = {BENCH_MOCK_PLUGIN};
    result.use_environment = false;
    result.core_dir = "";
    result.libdir = "";
    result.log = &log;
    return result;
  }
  std::uint64_t lookup() {
    const bench_argument_v1 *arguments[1] = {&argument};
    const bench_call_v1 call{sizeof call, 0, &callable, &stream, nullptr};
    return tuner->lookup(arguments, 1, &call);
  }

  const test::TempDir temp;
  Log log{nullptr, nullptr, ""};
  loader::Registry registry;
  bench_device_v1 device{}, native{};
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  const bench_ext_test_mock_v1 *control = nullptr;
  bench_test_mock_script_v1 *script = nullptr;
  bench_config_v1 configs[2] = {};
  const bench_config_v1 *config_pointers[2] = {&configs[0], &configs[1]};
  const char *names[1] = {"x"};
  std::int64_t extent = 256;
  bench_argument_v1 argument{};
  bench_callable_v1 callable{};
  bench_stream_v1 stream{};
  std::unique_ptr<tune::Tuner> tuner;
  int launches = 0;
};

}  // namespace

TEST_CASE("inside a capture a cold key gets the default, and stays cold") {
  Bed bed;
  bed.script->capture_state = BENCH_CAPTURE_ACTIVE;
  CHECK(bed.lookup() == 1);
  CHECK(bed.launches == 0);
  bed.script->capture_state = BENCH_CAPTURE_NONE;
  CHECK(bed.lookup() == 0);
  CHECK(bed.launches > 0);
  // A known key is as good inside a capture as outside.
  bed.script->capture_state = BENCH_CAPTURE_ACTIVE;
  bed.launches = 0;
  CHECK(bed.lookup() == 0);
  CHECK(bed.launches == 0);
}

TEST_CASE("on request a cold key inside a capture is an error") {
  Bed bed(BENCH_TUNER_CAPTURE_IS_ERROR);
  bed.script->capture_state = BENCH_CAPTURE_BROKEN;
  try {
    bed.lookup();
    FAIL("a cold key was answered");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_BUSY);
    CHECK(failure.text().what.find("captured") != std::string::npos);
  }
  bed.script->capture_state = BENCH_CAPTURE_NONE;
  CHECK(bed.lookup() == 0);
}

TEST_CASE("a copy that the device has no room for goes to the host, and nothing is left behind") {
  for (const bool room : {true, false}) {
    Bed bed;
    bench_error_v1 error = error_struct();
    const std::uint64_t bytes = std::uint64_t(bed.extent) * 4;
    void *memory = nullptr;
    REQUIRE(bed.api->memory_allocate(bed.instance, bed.native, &bed.stream, bytes, &memory,
                                     &error) == BENCH_OK);
    std::vector<std::uint8_t> pattern(bytes), after(bytes);
    for (std::size_t at = 0; at < pattern.size(); ++at) pattern[at] = std::uint8_t(at * 7);
    REQUIRE(bed.api->memory_copy(bed.instance, bed.native, memory, 0, pattern.data(), 0, bytes,
                                 BENCH_COPY_TO_DEVICE, &bed.stream, &error) == BENCH_OK);
    bed.argument.data = memory;
    bed.argument.role = BENCH_ROLE_INOUT;
    bed.callable.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *on,
                             bench_error_v1 *failure) -> bench_status {
      Bed &self = *static_cast<Bed *>(user);
      ++self.launches;
      const bench_status status = self.api->memory_set(self.instance, self.native,
                                                       self.argument.data, 0, 1, 64, on, failure);
      if (status != BENCH_OK) return status;
      return self.control->work(self.instance, self.native, on, config->index ? 9000 : 3000,
                                failure);
    };
    const std::uint32_t memories = bed.script->memories_alive;
    if (!room) bed.script->memory_limit_bytes = bed.script->memory_bytes + 16;
    CHECK(bed.lookup() == 0);
    CHECK(bed.launches > 0);
    CHECK(bed.script->memories_alive == memories);
    REQUIRE(bed.api->memory_copy(bed.instance, bed.native, after.data(), 0, memory, 0, bytes,
                                 BENCH_COPY_FROM_DEVICE, &bed.stream, &error) == BENCH_OK);
    CHECK(after == pattern);
    const bench_argument_v1 *arguments[1] = {&bed.argument};
    CHECK((bed.tuner->report(arguments, 1).find("host memory") != std::string::npos) == !room);
    bed.api->memory_free(bed.instance, bed.native, memory);
  }
}
