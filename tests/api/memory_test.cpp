// SPDX-License-Identifier: Apache-2.0
// Arguments that a tune puts back, zeroes, compares and watches, on the cpu plugin.
#include <doctest/doctest.h>

#include <array>
#include <bench/bench.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace bench;
using nlohmann::json;

namespace {

constexpr std::int64_t size = 96;

/// A tune over x[size] (in place), y[size] (output): three configurations.
struct Setup {
  std::array<float, size> x{}, y{};
  bench_policy_v1 policy{};
  Context context;
  TunerOptions options;
  Setup() : context(Context::create(context_options()).value()) {
    std::iota(x.begin(), x.end(), 1.0f);
    policy.struct_size = sizeof policy;
    policy.max_samples = 10;
    options.name = "memory/1";
    options.configs = {{{"way", 0}}, {{"way", 1}}, {{"way", 2}}};
    options.argument_names = {"x", "y"};
    options.policy = &policy;
  }
  static ContextOptions context_options() {
    ContextOptions options;
    options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT | BENCH_CONTEXT_NO_STORE;
    options.plugin_paths = {BENCH_CPU_PLUGIN};
    return options;
  }
  static CallOptions call_options() {
    CallOptions options;
    options.flags = BENCH_CALLABLE_SYNCHRONOUS;
    return options;
  }
  template <typename Launch>
  Result<json> tune(Launch &&launch, std::uint32_t role_x, std::uint32_t role_y) {
    auto tuner = Tuner::create(context, options);
    if (!tuner) return tuner.error();
    Arguments arguments(tuner.value());
    arguments.set("x", tensor(x.data(), {size}, cpu()).role(role_x))
        .set("y", tensor(y.data(), {size}, cpu()).role(role_y));
    const auto index = tuner.value().lookup(arguments, launch, call_options());
    if (!index) return index.error();
    return json::parse(tuner.value().report_json(arguments).value());
  }
  /// What any launch of a tune must find: x as it was.
  bool x_is_intact() const {
    for (std::size_t at = 0; at < x.size(); ++at)
      if (x[at] != float(at) + 1) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("an argument that is changed in place is put back bit for bit") {
  for (const int way : {0, 1, 2}) {
    Setup setup;
    // By role, by name, and with no room for the copy on the device.
    std::uint32_t role = BENCH_ROLE_INOUT;
    if (way == 1) {
      role = 0;
      setup.options.restore_names = {"x"};
    }
    if (way == 2) setup.options.saved_bytes_limit = 1;
    int wrong = 0, launches = 0;
    const auto launch = [&] {
      wrong += !setup.x_is_intact();
      ++launches;
      for (float &each : setup.x) each *= 3;
    };
    const auto report = setup.tune(launch, role, BENCH_ROLE_OUT);
    REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().line()));
    CHECK(launches > 3);
    CHECK(wrong == 0);
    CHECK(setup.x_is_intact());
  }
}

TEST_CASE("copies beyond the budget lie in host memory, and the report says so") {
  Setup setup;
  setup.options.saved_bytes_limit = 1;
  auto report = setup.tune([] {}, BENCH_ROLE_INOUT, BENCH_ROLE_OUT);
  REQUIRE(report.ok());
  const std::string notes = report.value().at("notes").dump();
  CHECK(notes.find(std::to_string(size * sizeof(float))) != std::string::npos);
  CHECK(notes.find("host memory") != std::string::npos);
}

TEST_CASE("an argument to be zeroed is zero at every launch, and after the tune") {
  Setup setup;
  setup.options.zero_names = {"y"};
  setup.y.fill(5);
  int wrong = 0;
  const auto launch = [&] {
    for (float &each : setup.y) wrong += each != 0, each += 1;
  };
  CHECK(setup.tune(launch, BENCH_ROLE_IN, 0).ok());
  CHECK(wrong == 0);
  CHECK(setup.y == std::array<float, size>{});
  setup.options.zero_names = {"z"};
  const auto unknown = setup.tune(launch, BENCH_ROLE_IN, 0);
  CHECK(unknown.status() == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(unknown.error().what.find("'z'") != std::string::npos);
}

TEST_CASE("a configuration that writes something else cannot win") {
  for (const float difference : {1.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f}) {
    Setup setup;
    setup.options.flags = BENCH_TUNER_CHECK_OUTPUTS;
    const auto launch = [&](const ConfigView &config) {
      for (std::size_t at = 0; at < setup.y.size(); ++at) setup.y[at] = 2 * setup.x[at];
      if (config.index() == 1) setup.y[7] += difference;
      if (config.index() == 2) setup.y[9] *= 1.0f + 1e-6f;  // rounds otherwise: as good
    };
    auto report = setup.tune(launch, BENCH_ROLE_IN, BENCH_ROLE_OUT);
    REQUIRE(report.ok());
    const json states = report.value().at("states");
    CHECK(states.value("wrong-output", 0) == (difference == 0.0f ? 0 : 1));
    CHECK(states.value("measured", 0) == (difference == 0.0f ? 3 : 2));
    if (difference == 1.0f)
      CHECK(report.value().at("configurations").dump().find("element 7 of 'y'") !=
            std::string::npos);
  }
}

TEST_CASE("a configuration that writes nothing is wrong: outputs are poisoned first") {
  Setup setup;
  setup.options.flags = BENCH_TUNER_CHECK_OUTPUTS;
  const auto launch = [&](const ConfigView &config) {
    if (config.index() != 1) setup.y.fill(4);
  };
  auto report = setup.tune(launch, BENCH_ROLE_IN, BENCH_ROLE_OUT);
  REQUIRE(report.ok());
  CHECK(report.value().at("states").value("wrong-output", 0) == 1);
}

TEST_CASE("a check needs a default that runs and an output") {
  Setup setup;
  setup.options.flags = BENCH_TUNER_CHECK_OUTPUTS;
  const auto launch = [&](const ConfigView &config) -> bench_status {
    return config.index() == 0 ? BENCH_ERROR_CONFIG_REJECTED : BENCH_OK;
  };
  const auto result = setup.tune(launch, BENCH_ROLE_IN, BENCH_ROLE_OUT);
  CHECK(result.status() == BENCH_ERROR_NO_VALID_CONFIG);
  CHECK(result.error().what.find("unverified") != std::string::npos);
  CHECK(setup.tune(launch, BENCH_ROLE_IN, BENCH_ROLE_IN).status() == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("an unmarked argument that each launch changes is named; an output is not") {
  Setup setup;
  setup.options.flags = BENCH_TUNER_WATCH_ARGUMENTS;
  const auto launch = [&] {
    for (float &each : setup.x) each += 1;
    setup.y.fill(4);
  };
  auto report = setup.tune(launch, 0, 0);
  REQUIRE(report.ok());
  const json warnings = report.value().at("warnings");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.at(0).get<std::string>().find("'x'") != std::string::npos);
  CHECK(setup.tune(launch, BENCH_ROLE_INOUT, 0).value().at("warnings").empty());
}

TEST_CASE("gaps of a strided view come back too") {
  Setup setup;
  const std::int64_t strides[1] = {2};
  auto tuner = Tuner::create(setup.context, setup.options).value();
  Arguments arguments(tuner);
  arguments
      .set("x", tensor(setup.x.data(), {size / 2}, cpu()).strides(strides).role(BENCH_ROLE_INOUT))
      .set("y", nullptr);
  const auto launch = [&] {
    for (std::int64_t at = 0; at + 1 < size; ++at) setup.x[std::size_t(at)] = -1;
  };
  CHECK(tuner.lookup(arguments, launch, Setup::call_options()).ok());
  setup.x.back() = float(size);
  CHECK(setup.x_is_intact());
}

TEST_CASE("a measurement gives its mean and its samples on request") {
  Setup setup;
  bench_callable_v1 callable{};
  callable.struct_size = sizeof callable;
  callable.flags = BENCH_CALLABLE_SYNCHRONOUS;
  callable.launch = [](void *, const bench_config_v1 *, const bench_stream_v1 *,
                       bench_error_v1 *) -> bench_status {
    volatile float sum = 0;
    for (int at = 0; at < 2000; ++at) sum = sum + 1.0f;
    return BENCH_OK;
  };
  std::array<double, 4> samples{};
  bench_measurement_v1 measurement{};
  measurement.struct_size = sizeof measurement;
  measurement.samples_ns = samples.data();
  measurement.sample_capacity = samples.size();
  const bench_device_v1 device{BENCH_DEVICE_CPU, 0};
  REQUIRE(bench_do_bench(setup.context.raw(), device, nullptr, &callable, nullptr, &setup.policy,
                         &measurement, nullptr) == BENCH_OK);
  CHECK(measurement.sample_count == samples.size());
  CHECK(measurement.samples_ns == samples.data());
  for (const double each : samples) CHECK(each > 0);
  CHECK(measurement.mean_ns >= measurement.minimum_ns);
  CHECK(measurement.mean_ns <= measurement.maximum_ns);
  // An older caller's struct is left alone beyond its size.
  bench_measurement_v1 older{};
  older.struct_size = offsetof(bench_measurement_v1, mean_ns);
  older.mean_ns = -1;
  REQUIRE(bench_do_bench(setup.context.raw(), device, nullptr, &callable, nullptr, &setup.policy,
                         &older, nullptr) == BENCH_OK);
  CHECK(older.mean_ns == -1);
}

TEST_CASE("a measurement that is told to stop ends with what it has") {
  Setup setup;
  bench_callable_v1 callable{};
  callable.struct_size = sizeof callable;
  callable.flags = BENCH_CALLABLE_SYNCHRONOUS;
  int launches = 0;
  callable.user = &launches;
  callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                       bench_error_v1 *) -> bench_status {
    ++*static_cast<int *>(user);
    return BENCH_OK;
  };
  setup.policy.max_samples = 0;
  setup.policy.relative_half_width = 1e-9;
  setup.policy.max_time_ns = 3'600'000'000'000;
  setup.policy.should_stop = [](void *user) -> std::int32_t {
    return *static_cast<int *>(user) > 0;
  };
  setup.policy.should_stop_user = &launches;
  bench_measurement_v1 measurement{};
  measurement.struct_size = sizeof measurement;
  CHECK(bench_do_bench(setup.context.raw(), {BENCH_DEVICE_CPU, 0}, nullptr, &callable, nullptr,
                       &setup.policy, &measurement, nullptr) == BENCH_OK);
  CHECK(std::string(measurement.stop_reason) == "cancelled");
}
