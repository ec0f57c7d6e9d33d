// SPDX-License-Identifier: Apache-2.0
// A program with copies of its own of what the core holds, of another make: json with another
// layout, fmt, spdlog and SQLite as shared libraries. Both keep working, side by side.
#define JSON_DIAGNOSTICS 1  // adds a member to each value: not the core's layout
#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sqlite3.h>

#include <bench/bench.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "temp_dir.hpp"

namespace {

/// A tune with a store: json, spdlog, fmt and SQLite inside the core all work.
std::uint64_t tune(const std::string &store) {
  bench::ContextOptions options;
  options.store_path = store;
  options.plugin_paths = {BENCH_TEST_CPU_PLUGIN};
  const bench::Context context = bench::Context::create(options).value();
  bench::TunerOptions tuner_options;
  tuner_options.name = "copies/1";
  for (const int count : {1000, 10}) tuner_options.configs.push_back({{"count", count}});
  tuner_options.argument_names = {"out"};
  tuner_options.key_names = {};
  const bench::Tuner tuner = bench::Tuner::create(context, tuner_options).value();
  float out = 0;
  bench::Arguments arguments(tuner);
  arguments.set("out", bench::tensor(&out, {1}, bench::cpu()).role(BENCH_ROLE_OUT));
  const auto launch = [&](const bench::ConfigView &config) {
    for (std::int64_t i = 0; i < config.integer("count"); ++i) {
      const volatile float one = 1.0f;
      out = one;
    }
  };
  const bench::CallOptions call{BENCH_CALLABLE_SYNCHRONOUS | BENCH_CALLABLE_REPEATABLE};
  const std::uint64_t index = tuner.lookup(arguments, launch, call).value();
  CHECK(nlohmann::json::parse(tuner.report_json(arguments).value())["tuner"] == "copies/1");
  return index;
}

}  // namespace

TEST_CASE("the program's copies and the core's do not know each other") {
  bench::test::TempDir folder;
  // The program's own are busy before, meanwhile and after.
  std::ostringstream text;
  const auto logger = std::make_shared<spdlog::logger>(
      "bench", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  spdlog::register_logger(logger);  // the core's logger has this name, in a registry of its own
  sqlite3 *database = nullptr;
  REQUIRE(sqlite3_open((folder.path() / "own.sqlite").c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, "create table t (x); begin; insert into t values (1)", nullptr,
                       nullptr, nullptr) == SQLITE_OK);

  const std::string store = (folder.path() / "store.sqlite").string();
  const std::uint64_t index = tune(store);
  CHECK(tune(store) == index);

  REQUIRE(sqlite3_exec(database, "commit", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  logger->info("{:>8}", "own");
  logger->flush();
  CHECK(text.str().find("     own") != std::string::npos);
  CHECK(spdlog::get("bench") == logger);
  nlohmann::json own = {{"a", {1, 2}}};
  CHECK_THROWS_WITH_AS(own.at("a").at("b"), doctest::Contains("/a"), nlohmann::json::exception);
}
