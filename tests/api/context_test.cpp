// SPDX-License-Identifier: Apache-2.0
// Context, devices, dispatch and do_bench through libbench.so.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "scripted.hpp"

using namespace bench;
using nlohmann::json;
using test::has;

namespace {

Context scripted() {
  return Context::create(test::scripted_options("")).value();
}

std::string plugins(const Context &context, std::uint32_t story) {
  std::string text;
  const bench_writer_v1 writer{
      sizeof writer, 0, &text, [](void *user, const void *bytes, std::uint64_t size) {
        static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
        return bench_status{BENCH_OK};
      }};
  REQUIRE(bench_plugins_json(context.raw(), story, &writer, nullptr) == BENCH_OK);
  return text;
}

}  // namespace

TEST_CASE("version and status names") {
  CHECK(std::string(bench_version()) == BENCH_EXPECTED_VERSION);
  CHECK(std::string(bench_status_name(BENCH_ERROR_OUT_OF_RESOURCES)) == "out-of-resources");
  CHECK(std::string(bench_status_name(BENCH_ERROR_NOT_TUNED)) == "not-tuned");
  CHECK(std::string(bench_status_name(-999)) == "internal");
}

TEST_CASE("devices are parsed, described and listed") {
  const Context context = scripted();
  const bench_device_v1 device = context.device("scripted:1").value();
  CHECK(device.id == 1);
  CHECK(context.device("scripted").value().id == 0);
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  REQUIRE(bench_device_info(context.raw(), device, &info, nullptr) == BENCH_OK);
  CHECK(std::string(info.class_name) == "scripted");
  CHECK(info.device.id == 1);
  CHECK(info.device.type == device.type);
  const json list = json::parse(context.devices_json().value());
  int seen = 0;
  for (const json &each : list)
    if (each.at("class") == "scripted") ++seen;
  CHECK(seen == 3);
  for (const char *wrong : {"scripted:7", "scripted:x", "", ":0", "nothing:0"})
    CHECK_MESSAGE(!context.device(wrong).ok(), wrong);
}

TEST_CASE("an info struct of an older caller is filled up to its size") {
  const Context context = scripted();
  bench_device_info_v1 info{};
  info.struct_size = offsetof(bench_device_info_v1, peak_flops_per_second);
  info.peak_flops_per_second = -7;
  const bench_device_v1 device = context.device("scripted:0").value();
  const bench_status status = bench_device_info(context.raw(), device, &info, nullptr);
  CHECK((status == BENCH_OK || status == BENCH_ERROR_INVALID_ARGUMENT));
  CHECK(info.peak_flops_per_second == -7);
}

TEST_CASE("plugins are listed, with their story on request") {
  const Context context = scripted();
  const json list = json::parse(plugins(context, 0));
  REQUIRE(list.is_array());
  CHECK(has(list.dump(), "scripted"));
  const json story = json::parse(plugins(context, 1));
  CHECK(story.at("plugins").is_array());
  CHECK(story.at("story").size() > 0);
}

TEST_CASE("arguments are dispatched through the context") {
  const Context context = scripted();
  float data[4];
  const Argument one = tensor(data, {4}, device("scripted", 0));
  const Argument two = tensor(data, {4}, device("scripted", 1));
  const bench_argument_v1 *arguments[] = {one.raw(), two.raw()};
  bench_device_v1 found{};
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  CHECK(bench_dispatch(context.raw(), arguments, 1, nullptr, &found, &error) == BENCH_OK);
  CHECK(found.id == 0);
  CHECK(bench_dispatch(context.raw(), arguments, 2, nullptr, &found, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(has(error.what, "argument 1: scripted:1 float32[4]"));
  CHECK(bench_dispatch(context.raw(), arguments, 2, "scripted:1", &found, &error) == BENCH_OK);
  CHECK(found.id == 1);
}

TEST_CASE("do_bench measures, and an exception of the callable comes out unchanged") {
  const Context context = scripted();
  const bench_device_v1 device = context.device("scripted:0").value();
  int launches = 0;
  const bench_measurement_v1 measurement = context.do_bench(device, [&] { ++launches; }).value();
  CHECK(launches > 0);
  CHECK(measurement.samples > 0);
  CHECK(measurement.median_ns == doctest::Approx(1000).epsilon(0.01));
  CHECK(measurement.minimum_ns <= measurement.median_ns);
  CHECK_THROWS_AS((void)context.do_bench(device, [] { throw std::out_of_range("mine"); }).value(),
                  std::out_of_range);
  CHECK(context.do_bench(device, [] { return BENCH_ERROR_OUT_OF_RESOURCES; }).status() ==
        BENCH_ERROR_OUT_OF_RESOURCES);
}

TEST_CASE("null pointers and foreign sizes are refused in words") {
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  CHECK(bench_context_create(nullptr, nullptr, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(error.what) != "");
  CHECK(bench_devices_json(nullptr, nullptr, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  bench_context_options_v1 options{};
  options.struct_size = 4;
  bench_context *context = nullptr;
  CHECK(bench_context_create(&options, &context, &error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(context == nullptr);
  bench_context_destroy(nullptr);
  bench_tuner_destroy(nullptr);
}
