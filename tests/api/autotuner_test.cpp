// SPDX-License-Identifier: Apache-2.0
// Pruning, models, hooks, modes, buckets and heuristics, on devices with scripted times.
#include <cstddef>
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
  explicit Fixture(const TunerOptions &options, const std::string &store = "")
      : context(Context::create(test::scripted_options(store)).value()),
        tuner(Tuner::create(context, options).value()) {}
  Context context;
  Tuner tuner;
};

/// Positions that were launched.
struct Launched {
  std::set<std::uint64_t> positions;
  void operator()(const ConfigView &config) { positions.insert(config.index()); }
};

}  // namespace

TEST_CASE("pruned configurations are never launched and end as pruned") {
  Fixture fixture(test::times_options({3000, 1000, 2000, 500}));
  TimesCall call(fixture.tuner, 1);
  Launched launched;
  CallOptions options;
  options.prune = [](std::vector<bool> &keep) { keep[3] = false; };
  CHECK(fixture.tuner.lookup(call.arguments, launched, options).value() == 1);
  CHECK(launched.positions == std::set<std::uint64_t>{0, 1, 2});
  const json report = json::parse(fixture.tuner.report_json(call.arguments).value());
  CHECK(report.at("states").at("pruned") == 1);
  CHECK(report.at("configurations").size() == 4);
}

TEST_CASE("pruning the default, all but one, and all") {
  Fixture fixture(test::times_options({3000, 1000, 2000}));
  TimesCall call(fixture.tuner, 1), single(fixture.tuner, 2), none(fixture.tuner, 3);
  Launched launched;
  CallOptions options;
  options.prune = [](std::vector<bool> &keep) { keep[0] = false; };
  CHECK(fixture.tuner.lookup(call.arguments, launched, options).value() == 1);
  launched.positions.clear();
  options.prune = [](std::vector<bool> &keep) { keep = {false, false, true}; };
  CHECK(fixture.tuner.lookup(single.arguments, launched, options).value() == 2);
  CHECK(launched.positions.empty());
  options.prune = [](std::vector<bool> &keep) { keep.assign(keep.size(), false); };
  const auto result = fixture.tuner.lookup(none.arguments, launched, options);
  CHECK(result.status() == BENCH_ERROR_NO_VALID_CONFIG);
  CHECK(has(result.error().what, "kept none"));
  options.prune = [](std::vector<bool> &) { throw std::out_of_range("mine"); };
  CHECK_THROWS_AS(fixture.tuner.lookup(none.arguments, launched, options).value(),
                  std::out_of_range);
}

TEST_CASE("of a model's costs the cheapest race, by count and by part") {
  for (const bool by_count : {true, false}) {
    TunerOptions options = test::times_options({4000, 3000, 2000, 1000});
    if (by_count)
      options.top_count = 2;
    else
      options.top_fraction = 0.6;  // 2.4, rounded down
    Fixture fixture(options);
    TimesCall call(fixture.tuner, 1);
    Launched launched;
    CallOptions model;
    // Wrong about the last one, on purpose: who does not race cannot win.
    model.estimate = [](const ConfigView &config) {
      return config.index() == 3 ? 1e9 : double(config.integer("time_ns"));
    };
    CHECK(fixture.tuner.lookup(call.arguments, launched, model).value() == 2);
    CHECK(launched.positions == std::set<std::uint64_t>{1, 2});
  }
  TunerOptions both = test::times_options({1000});
  both.top_count = 1;
  both.top_fraction = 0.5;
  const Context context = Context::create(test::scripted_options("")).value();
  CHECK(Tuner::create(context, both).status() == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("each launch of a tune is between its hooks, a failed one too") {
  Fixture fixture(test::times_options({3000, 1000, 2000}));
  TimesCall call(fixture.tuner, 1);
  int before = 0, after = 0, launches = 0, wrong = 0;
  CallOptions options;
  options.flags = BENCH_CALLABLE_REPEATABLE;
  options.pre_hook = [&](const ConfigView &, const bench_stream_v1 *) {
    wrong += before != after;
    ++before;
  };
  options.post_hook = [&](const ConfigView &, const bench_stream_v1 *) {
    ++after;
    wrong += before != after;
  };
  const auto launch = [&](const ConfigView &config) -> bench_status {
    ++launches;
    wrong += before != after + 1;
    return config.index() == 2 ? BENCH_ERROR_CONFIG_REJECTED : BENCH_OK;
  };
  CHECK(fixture.tuner.lookup(call.arguments, launch, options).value() == 1);
  CHECK(launches > 0);
  CHECK(before == launches);
  CHECK(after == launches);
  CHECK(wrong == 0);
}

TEST_CASE("a tune that is told to stop is cancelled, and the key stays cold") {
  Fixture fixture(test::times_options({3000, 1000, 2000}));
  TimesCall call(fixture.tuner, 1);
  bool stop = false;
  CallOptions options;
  options.should_stop = [&] { return stop; };
  CHECK(fixture.tuner
            .lookup(
                call.arguments, [&] { stop = true; }, options)
            .status() == BENCH_ERROR_CANCELLED);
  CHECK(fixture.tuner.lookup(call.arguments).status() == BENCH_ERROR_NOT_TUNED);
  stop = false;
  CHECK(fixture.tuner
            .lookup(
                call.arguments, [] {}, options)
            .value() == 1);
}

TEST_CASE("incremental: one configuration a call, the best so far meanwhile") {
  const test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  TunerOptions options = test::times_options({4000, 2000, 1000, 3000});
  options.mode = BENCH_TUNER_MODE_INCREMENTAL;
  Fixture fixture(options, store);
  TimesCall call(fixture.tuner, 1);
  std::vector<std::uint64_t> answers;
  for (int at = 0; at < 3; ++at) {
    Launched launched;
    answers.push_back(fixture.tuner.lookup(call.arguments, launched).value());
    CHECK(launched.positions.size() == 2);
    CHECK(fixture.tuner.report_json(call.arguments).ok() == (at == 2));
  }
  CHECK(answers == std::vector<std::uint64_t>{1, 2, 2});
  Launched launched;
  CHECK(fixture.tuner.lookup(call.arguments, launched).value() == 2);
  CHECK(launched.positions.empty());
  const json report = json::parse(fixture.tuner.report_json(call.arguments).value());
  CHECK(report.at("configurations").size() == 4);
  // The result was stored like any other.
  Fixture later(test::times_options({4000, 2000, 1000, 3000}), store);
  TimesCall same(later.tuner, 1);
  CHECK(later.tuner.lookup(same.arguments, launched).value() == 2);
  CHECK(launched.positions.empty());
}

TEST_CASE("cached only and pinned launch nothing") {
  const test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  TunerOptions options = test::times_options({3000, 1000, 2000});
  {
    Fixture first(options, store);
    TimesCall call(first.tuner, 1);
    CHECK(first.tuner.lookup(call.arguments, [] {}).value() == 1);
  }
  options.mode = BENCH_TUNER_MODE_CACHED_ONLY;
  options.default_config = 2;
  Fixture cached(options, store);
  TimesCall known(cached.tuner, 1), unknown(cached.tuner, 2);
  Launched launched;
  CHECK(cached.tuner.lookup(known.arguments, launched).value() == 1);
  CHECK(cached.tuner.lookup(unknown.arguments, launched).value() == 2);
  CHECK(cached.tuner.lookup(unknown.arguments).value() == 2);
  options.mode = BENCH_TUNER_MODE_PINNED;
  options.pinned_config = 2;
  Fixture pinned(options);
  Arguments nothing(pinned.tuner);
  CHECK(pinned.tuner.lookup(nothing, launched).value() == 2);
  CHECK(has(pinned.tuner.report_json(nothing).value(), "pinned"));
  CHECK(launched.positions.empty());
  options.pinned_config = 3;
  CHECK(Tuner::create(pinned.context, options).status() == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("sizes in one bucket share a choice") {
  TunerOptions options = test::times_options({3000, 1000});
  options.key_buckets = {BENCH_BUCKET_POWER_OF_TWO};
  Fixture fixture(options);
  TimesCall first(fixture.tuner, 600), same(fixture.tuner, 1024), other(fixture.tuner, 1025);
  CHECK(fixture.tuner.lookup(first.arguments, [] {}).value() == 1);
  CHECK(fixture.tuner.lookup(same.arguments).value() == 1);
  CHECK(fixture.tuner.lookup(other.arguments).status() == BENCH_ERROR_NOT_TUNED);
  CHECK(has(fixture.tuner.report_json(first.arguments).value(), "n<=1024"));
  options.key_buckets = {0, 0};
  CHECK(Tuner::create(fixture.context, options).status() == BENCH_ERROR_INVALID_ARGUMENT);
  options.key_buckets = {9};
  CHECK(Tuner::create(fixture.context, options).status() == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a choice from elsewhere settles a key once") {
  Fixture fixture(test::times_options({3000, 1000, 2000}));
  TimesCall call(fixture.tuner, 1);
  CHECK(fixture.tuner.choose(call.arguments, 2).ok());
  Launched launched;
  CHECK(fixture.tuner.lookup(call.arguments, launched).value() == 2);
  CHECK(launched.positions.empty());
  CHECK(fixture.tuner.choose(call.arguments, 2).ok());
  CHECK(fixture.tuner.choose(call.arguments, 1).status() == BENCH_ERROR_BUSY);
  CHECK(fixture.tuner.choose(call.arguments, 7).status() == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("whoever must not wait takes the default while another thread tunes") {
  TunerOptions options = test::times_options({3000, 1000, 2000});
  options.flags = BENCH_TUNER_NO_WAIT;
  Fixture fixture(options);
  TimesCall call(fixture.tuner, 1);
  bool asked = false;
  const auto launch = [&] {
    if (asked) return;
    asked = true;
    // Another thread, while this one is inside its tune.
    std::thread other([&] {
      TimesCall same(fixture.tuner, 1);
      CHECK(fixture.tuner.lookup(same.arguments, [] {}).value() == 0);
    });
    other.join();
  };
  CHECK(fixture.tuner.lookup(call.arguments, launch).value() == 1);
}

TEST_CASE("the autotuner launches the choice with what heuristics compute") {
  const Context context = Context::create(test::scripted_options("")).value();
  AutotunerOptions options(test::times_options({3000, 1000, 2000}));
  options.heuristics.push_back({"even", [](const Arguments &arguments, const ConfigView &) {
                                  return Value(arguments.data()[1]->integer % 2 == 0);
                                }});
  options.heuristics.push_back({"label", [](const Arguments &, const ConfigView &config) {
                                  return Value(config.integer("even") ? "e" : "o");
                                }});
  std::string seen;
  std::uint64_t last = 99;
  const auto kernel = [&](const Arguments &, const ConfigView &config, const bench_stream_v1 *) {
    last = config.index();
    seen = config.text("label") + std::to_string(config.integer("time_ns"));
  };
  auto autotuner = Autotuner<decltype(kernel)>::create(context, options, kernel).value();
  TimesCall even(autotuner->tuner(), 4), odd(autotuner->tuner(), 5);
  CHECK((*autotuner)(even.arguments).ok());
  CHECK(last == 1);
  CHECK(seen == "e1000");
  CHECK((*autotuner)(odd.arguments).ok());
  CHECK(seen == "o1000");
}

TEST_CASE("a cold key inside another tune's launch takes the default and stays cold") {
  Fixture fixture(test::times_options({3000, 1000, 2000}));
  TimesCall outer(fixture.tuner, 1), inner(fixture.tuner, 2);
  int inner_launches = 0;
  std::set<std::uint64_t> answers;
  const auto launch = [&] {
    answers.insert(fixture.tuner.lookup(inner.arguments, [&] { ++inner_launches; }).value());
  };
  CHECK(fixture.tuner.lookup(outer.arguments, launch).value() == 1);
  CHECK(answers == std::set<std::uint64_t>{0});
  CHECK(inner_launches == 0);
  CHECK(fixture.tuner.lookup(inner.arguments).status() == BENCH_ERROR_NOT_TUNED);
  CHECK(fixture.tuner.lookup(inner.arguments, [] {}).value() == 1);
}

TEST_CASE("a measurement inside a measurement is refused, not waited for") {
  Fixture fixture(test::times_options({3000, 1000}));
  const bench_device_v1 device = fixture.context.device("scripted:0").value();
  bench_status inner = BENCH_OK;
  const auto measures = [&] { inner = fixture.context.do_bench(device, [] {}).status(); };
  CHECK(fixture.context.do_bench(device, measures).ok());
  CHECK(inner == BENCH_ERROR_BUSY);
  CHECK(fixture.context.do_bench(device, [] {}).ok());
}

TEST_CASE("an older caller's call without callbacks is taken as it is") {
  Fixture fixture(test::times_options({3000, 1000}));
  TimesCall given(fixture.tuner, 1);
  bench_callable_v1 callable{};
  callable.struct_size = sizeof callable;
  callable.launch = [](void *, const bench_config_v1 *, const bench_stream_v1 *,
                       bench_error_v1 *) -> bench_status { return BENCH_OK; };
  bench_tune_callbacks_v1 nonsense{};  // struct_size 0: an error if it were read
  bench_call_v1 call{offsetof(bench_call_v1, callbacks), 0, &callable, nullptr, &nonsense};
  std::uint64_t index = 99;
  CHECK(bench_tuner_lookup(fixture.tuner.raw(), given.arguments.data(), given.arguments.size(),
                           &call, &index, nullptr) == BENCH_OK);
  CHECK(index == 1);
  TimesCall other(fixture.tuner, 2);
  call.struct_size = sizeof call;
  CHECK(bench_tuner_lookup(fixture.tuner.raw(), other.arguments.data(), other.arguments.size(),
                           &call, &index, nullptr) == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("the choice is told to the log") {
  static std::string lines;
  lines.clear();
  ContextOptions options = test::scripted_options("");
  bench_context_options_v1 raw{};
  raw.struct_size = sizeof raw;
  raw.flags = options.flags;
  const char *path = options.plugin_paths.front().c_str();
  raw.plugin_paths = &path;
  raw.plugin_path_count = 1;
  raw.log = [](void *, std::uint32_t, const char *message) {
    lines += std::string(message) + "\n";
  };
  bench_context *context = nullptr;
  REQUIRE(bench_context_create(&raw, &context, nullptr) == BENCH_OK);
  const auto tune = [&] {
    bench_value_v1 times[2]{};
    const bench_value_v1 *values[2][1] = {{&times[0]}, {&times[1]}};
    const char *names[1] = {"time_ns"}, *arguments[1] = {"x"};
    bench_config_v1 configs[2]{};
    const bench_config_v1 *pointers[2] = {&configs[0], &configs[1]};
    for (int at = 0; at < 2; ++at) {
      times[at].struct_size = sizeof times[at];
      times[at].type = BENCH_VALUE_INTEGER;
      times[at].integer = 2000 - 1000 * at;
      configs[at].struct_size = sizeof configs[at];
      configs[at].count = 1;
      configs[at].names = names;
      configs[at].values = values[at];
    }
    bench_tuner_options_v1 tuner_options{};
    tuner_options.struct_size = sizeof tuner_options;
    tuner_options.name = "logged/1";
    tuner_options.configs = pointers;
    tuner_options.config_count = 2;
    tuner_options.argument_names = arguments;
    tuner_options.argument_count = 1;
    bench_tuner *tuner = nullptr;
    REQUIRE(bench_tuner_create(context, &tuner_options, &tuner, nullptr) == BENCH_OK);
    float data[4];
    const Argument x = tensor(data, {4}, device("scripted", 0));
    const bench_argument_v1 *given[1] = {x.raw()};
    bench_callable_v1 callable{};
    callable.struct_size = sizeof callable;
    callable.launch = [](void *, const bench_config_v1 *, const bench_stream_v1 *,
                         bench_error_v1 *) -> bench_status { return BENCH_OK; };
    const bench_call_v1 call{sizeof call, 0, &callable, nullptr, nullptr};
    std::uint64_t index = 99;
    CHECK(bench_tuner_lookup(tuner, given, 1, &call, &index, nullptr) == BENCH_OK);
    bench_tuner_destroy(tuner);
  };
  tune();
  bench_context_destroy(context);
  CHECK(has(lines, "tuned 'logged/1'"));
  CHECK(has(lines, "on scripted:0"));
  CHECK(has(lines, "time_ns=1000"));
}
