// SPDX-License-Identifier: Apache-2.0
// The tuner through libbench.so, as an embedder uses it, on devices with scripted times.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "scripted.hpp"

using namespace bench;
using nlohmann::json;
using test::has;
using test::TimesCall;

namespace {

struct Fixture {
  explicit Fixture(std::vector<std::int64_t> times_ns = {3000, 1000, 2000},
                   const std::string &store = "")
      : context(Context::create(test::scripted_options(store)).value()),
        tuner(Tuner::create(context, test::times_options(times_ns)).value()) {}
  Context context;
  Tuner tuner;
};

}  // namespace

TEST_CASE("a cold key is tuned once and found again without a launch") {
  Fixture fixture;
  TimesCall call(fixture.tuner, 64);
  int launches = 0;
  const auto launch = [&](const ConfigView &) { ++launches; };
  CHECK(fixture.tuner.lookup(call.arguments).status() == BENCH_ERROR_NOT_TUNED);
  CHECK(fixture.tuner.lookup(call.arguments, launch).value() == 1);
  CHECK(launches > 0);
  launches = 0;
  CHECK(fixture.tuner.lookup(call.arguments, launch).value() == 1);
  CHECK(fixture.tuner.lookup(call.arguments).value() == 1);
  CHECK(launches == 0);
  TimesCall other(fixture.tuner, 65);
  CHECK(fixture.tuner.lookup(other.arguments).status() == BENCH_ERROR_NOT_TUNED);
  TimesCall other_device(fixture.tuner, 64, 1);
  CHECK(fixture.tuner.lookup(other_device.arguments).status() == BENCH_ERROR_NOT_TUNED);
}

TEST_CASE("the order in which a call names its arguments does not matter") {
  Fixture fixture;
  TimesCall call(fixture.tuner, 64);
  (void)fixture.tuner.lookup(call.arguments, [] {}).value();
  float data[4];
  Arguments reversed(fixture.tuner);
  reversed.set("n", 64).set("x", tensor(data, {4}, device("scripted", 0)));
  CHECK(fixture.tuner.lookup(reversed).value() == 1);
}

TEST_CASE("mixed devices are an error though a key of one exists") {
  const Context context = Context::create(test::scripted_options("")).value();
  TunerOptions options = test::times_options({2000, 1000});
  options.argument_names = {"x", "y", "n"};
  const Tuner tuner = Tuner::create(context, options).value();
  float data[4];
  Arguments arguments(tuner);
  arguments.set("x", tensor(data, {4}, device("scripted", 0)))
      .set("y", tensor(data, {4}, device("scripted", 0)))
      .set("n", 64);
  CHECK(tuner.lookup(arguments, [] {}).value() == 1);
  arguments.set("y", tensor(data, {4}, device("scripted", 1)));
  const auto two = tuner.lookup(arguments, [] {});
  CHECK(two.status() == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(has(two.error().what, "different devices"));
  CHECK(has(two.error().what, "'y': scripted:1"));
  arguments.set("y", tensor(data, {4}, cpu()));
  CHECK(has(tuner.lookup(arguments, [] {}).error().what, "host tensor"));
}

TEST_CASE("a named device needs no vote") {
  const Context context = Context::create(test::scripted_options("")).value();
  TunerOptions options = test::times_options({2000, 1000});
  options.device_name = "scripted:1";
  const Tuner tuner = Tuner::create(context, options).value();
  Arguments arguments(tuner);
  arguments.set("n", 64);
  CHECK(tuner.lookup(arguments, [] {}).value() == 1);
  CHECK(tuner.lookup(arguments).value() == 1);
  options.device_name = "nonsense:0";
  const Tuner wrong = Tuner::create(context, options).value();
  Arguments same(wrong);
  const auto result = wrong.lookup(same, [] {});
  CHECK_FALSE(result.ok());
  CHECK(has(result.error().line(), "nonsense"));
}

TEST_CASE("the default is left for a proven gain only, and the report says why") {
  Fixture fixture({1000, 997, 2000});
  TimesCall call(fixture.tuner, 1);
  CHECK(fixture.tuner.lookup(call.arguments, [] {}).value() == 0);
  const json report = json::parse(fixture.tuner.report_json(call.arguments).value());
  CHECK(report.at("winner").at("index") == 0);
  CHECK(report.at("default").at("index") == 0);
  CHECK(report.at("from_store") == false);
  CHECK(report.at("states").at("measured") == 3);
  CHECK(report.at("configurations").size() == 3);
  CHECK(report.at("stop_reason").is_string());
  CHECK(report.contains("tie_set"));
}

TEST_CASE("failures of callbacks end in states of their own and cannot win") {
  Fixture fixture({4000, 1000, 1100, 1200, 3000});
  TimesCall call(fixture.tuner, 1);
  const auto launch = [&](const ConfigView &config) -> bench_status {
    switch (config.index()) {
      case 1:
        return BENCH_ERROR_CONFIG_REJECTED;
      case 2:
        return BENCH_ERROR_OUT_OF_RESOURCES;
      case 3:
        throw std::runtime_error("bad tile");
      default:
        return BENCH_OK;
    }
  };
  CHECK(fixture.tuner.lookup(call.arguments, launch).value() == 4);
  const json report = json::parse(fixture.tuner.report_json(call.arguments).value());
  CHECK(report.at("states").at("measured") == 2);
  CHECK(report.at("states").at("rejected") == 1);
  CHECK(report.at("states").at("out-of-resources") == 1);
  CHECK(report.at("states").at("launch-failed") == 1);
  CHECK(has(report.dump(), "bad tile"));
}

TEST_CASE("nothing valid is NO_VALID_CONFIG with a count and a message per reason") {
  Fixture fixture({1000, 1100, 1200});
  TimesCall call(fixture.tuner, 1);
  const auto result =
      fixture.tuner.lookup(call.arguments, [](const ConfigView &config) -> bench_status {
        if (config.index() == 0) return BENCH_ERROR_CONFIG_REJECTED;
        throw std::runtime_error("no such kernel");
      });
  CHECK(result.status() == BENCH_ERROR_NO_VALID_CONFIG);
  CHECK(has(result.error().what, "1 rejected"));
  CHECK(has(result.error().what, "2 launch-failed"));
  CHECK(has(result.error().what, "no such kernel"));
  CHECK_FALSE(result.error().hint.empty());
  // The key is cold again: the next call may do better.
  CHECK(fixture.tuner.lookup(call.arguments, [] {}).ok());
}

TEST_CASE("run launches the choice once") {
  Fixture fixture;
  TimesCall call(fixture.tuner, 1);
  (void)fixture.tuner.lookup(call.arguments, [] {}).value();
  std::vector<std::uint64_t> launched;
  fixture.tuner
      .run(call.arguments, [&](const ConfigView &config) { launched.push_back(config.index()); })
      .value();
  CHECK(launched == std::vector<std::uint64_t>{1});
  CHECK_THROWS_AS(
      fixture.tuner.run(call.arguments, [] { throw std::out_of_range("mine"); }).value(),
      std::out_of_range);
}

TEST_CASE("16 threads on 2 devices tune each key once and agree") {
  Fixture fixture;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int at = 0; at < 16; ++at) {
    threads.emplace_back([&, at] {
      for (int round = 0; round < 20; ++round) {
        TimesCall call(fixture.tuner, (round + at) % 4, at % 2);
        const auto result = fixture.tuner.lookup(call.arguments, [] {});
        if (!result.ok() || result.value_or(0) != 1) ++wrong;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("in a forked child tuned keys are found and cold ones are a typed error") {
  Fixture fixture;
  TimesCall warm(fixture.tuner, 1), cold(fixture.tuner, 2);
  (void)fixture.tuner.lookup(warm.arguments, [] {}).value();
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 0;
    if (fixture.tuner.lookup(warm.arguments).value_or(99) != 1) code |= 1;
    if (fixture.tuner.report_json(warm.arguments).status() != BENCH_OK) code |= 2;
    if (fixture.tuner.lookup(cold.arguments, [] {}).status() != BENCH_ERROR_UNSUPPORTED) code |= 4;
    ::_exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a second tuner finds the choice in the store and launches nothing") {
  const test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  {
    Fixture first({3000, 1000, 2000}, store);
    TimesCall call(first.tuner, 64);
    CHECK(first.tuner.lookup(call.arguments, [] {}).value() == 1);
  }
  Fixture second({3000, 1000, 2000}, store);
  int launches = 0;
  TimesCall call(second.tuner, 64);
  CHECK(second.tuner.lookup(call.arguments, [&] { ++launches; }).value() == 1);
  CHECK(launches == 0);
  const json report = json::parse(second.tuner.report_json(call.arguments).value());
  CHECK(report.at("from_store") == true);
  // Another space is another problem.
  Fixture third({3000, 1000, 500}, store);
  TimesCall other(third.tuner, 64);
  CHECK(third.tuner.lookup(other.arguments, [&] { ++launches; }).value() == 2);
  CHECK(launches > 0);
}

TEST_CASE("wrong options and arguments are typed errors") {
  const Context context = Context::create(test::scripted_options("")).value();
  TunerOptions options = test::times_options({1000});
  options.key_names = {"size"};
  CHECK(has(Tuner::create(context, options).error().what, "'size', which is no argument"));
  options.key_names = {"n"};
  options.default_config = 7;
  CHECK(Tuner::create(context, options).status() == BENCH_ERROR_INVALID_ARGUMENT);
  Fixture fixture;
  Arguments arguments(fixture.tuner);
  arguments.set("m", 1);
  CHECK(has(fixture.tuner.lookup(arguments).error().what, "no argument 'm'"));
  std::uint64_t index = 77;
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  CHECK(bench_tuner_lookup(fixture.tuner.raw(), nullptr, 1, nullptr, &index, &error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a cold lookup without a call gives the default's index") {
  Fixture fixture;
  TimesCall call(fixture.tuner, 9);
  std::uint64_t index = 77;
  CHECK(bench_tuner_lookup(fixture.tuner.raw(), call.arguments.data(), call.arguments.size(),
                           nullptr, &index, nullptr) == BENCH_ERROR_NOT_TUNED);
  CHECK(index == 0);
}

TEST_CASE("after a change of driver the stored best few are raced again, not all and not none") {
  const test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  const std::vector<std::int64_t> times = {9000, 5000, 1000, 2000, 8000, 3000, 7000, 6000, 4000};
  {
    Fixture first(times, store);
    TimesCall call(first.tuner, 64);
    CHECK(first.tuner.lookup(call.arguments, [] {}).value() == 2);
  }
  ::setenv("BENCH_SCRIPTED_DRIVER", "2.0", 1);
  Fixture second(times, store);
  TimesCall call(second.tuner, 64);
  std::set<std::uint64_t> launched;
  const auto launch = [&](const ConfigView &config) { launched.insert(config.index()); };
  CHECK(second.tuner.lookup(call.arguments, launch).value() == 2);
  ::unsetenv("BENCH_SCRIPTED_DRIVER");
  // The four fastest, and the default.
  CHECK(launched == std::set<std::uint64_t>{0, 2, 3, 5, 8});
  const json report = json::parse(second.tuner.report_json(call.arguments).value());
  CHECK(report.at("from_store") == false);
  CHECK(has(report.at("revalidated").dump(), "driver"));
}

TEST_CASE("where none of the stored best few runs any more, all are raced") {
  const test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  const std::vector<std::int64_t> times = {9000, 1000, 2000, 3000, 4000, 5000, 6000};
  {
    Fixture first(times, store);
    TimesCall call(first.tuner, 64);
    CHECK(first.tuner.lookup(call.arguments, [] {}).value() == 1);
  }
  ::setenv("BENCH_SCRIPTED_DRIVER", "3.0", 1);
  Fixture second(times, store);
  TimesCall call(second.tuner, 64);
  const auto result =
      second.tuner.lookup(call.arguments, [](const ConfigView &config) -> bench_status {
        return config.index() == 6 ? BENCH_OK : BENCH_ERROR_CONFIG_REJECTED;
      });
  ::unsetenv("BENCH_SCRIPTED_DRIVER");
  REQUIRE_MESSAGE(result.ok(), result.error().line());
  CHECK(result.value_or(99) == 6);
}

TEST_CASE("a lost device ends the tune, and later tunes are refused without a launch") {
  Fixture fixture({3000, 1000, 2000});
  TimesCall call(fixture.tuner, 1, 2);
  const auto result =
      fixture.tuner.lookup(call.arguments, [](const ConfigView &config) -> bench_status {
        return config.index() == 1 ? BENCH_ERROR_DEVICE_LOST : BENCH_OK;
      });
  CHECK(result.status() == BENCH_ERROR_DEVICE_LOST);
  int launches = 0;
  TimesCall later(fixture.tuner, 2, 2);
  CHECK(fixture.tuner.lookup(later.arguments, [&] { ++launches; }).status() ==
        BENCH_ERROR_DEVICE_LOST);
  CHECK(launches == 0);
  TimesCall other(fixture.tuner, 2, 0);
  CHECK(fixture.tuner.lookup(other.arguments, [] {}).value() == 1);
}

TEST_CASE("a single configuration, and a single survivor, are an answer") {
  Fixture one({1000});
  TimesCall call(one.tuner, 1);
  CHECK(one.tuner.lookup(call.arguments, [] {}).value() == 0);
  Fixture three({3000, 1000, 2000});
  TimesCall same(three.tuner, 1);
  const auto launch = [](const ConfigView &config) -> bench_status {
    return config.index() == 2 ? BENCH_OK : BENCH_ERROR_CONFIG_REJECTED;
  };
  CHECK(three.tuner.lookup(same.arguments, launch).value() == 2);
}

TEST_CASE("a tune whose time passes before anything is measured is a typed error") {
  const Context context = Context::create(test::scripted_options("")).value();
  TunerOptions options = test::times_options({3000, 1000, 2000});
  options.max_time_ns = 1;
  const Tuner tuner = Tuner::create(context, options).value();
  TimesCall call(tuner, 1);
  const auto result = tuner.lookup(call.arguments, [] {});
  REQUIRE(result.status() == BENCH_ERROR_TIMEOUT);
  CHECK(has(result.error().hint, "max_time_ns"));
}
