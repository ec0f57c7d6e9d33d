// SPDX-License-Identifier: Apache-2.0
// Whole tunes under a virtual clock: noise, bad timers, limits in virtual time, recorded spaces.
#include <time.h>

#include "sim_bed.hpp"

using bench::test::json;
using bench::test::sim_problem;
using bench::test::SimBed;
using bench::test::SimTune;

namespace {

const std::string valley = "time = 20000 + 1000 * abs(MODE - 5)\nelements = 256\n";

double real_seconds() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("the right winner is found through noise of every kind") {
  const json kinds[] = {{{"noise", {{"cv", 0.02}}}},
                        {{"noise", {{"cv", 0.02}, {"lognormal", false}}}},
                        {{"drift", {{"phi", 0.8}, {"sd", 0.01}}}},
                        {{"tail", {{"probability", 0.1}}}},
                        {{"first", {{"factor", 2.5}}}},
                        {{"first", {{"factor", 0.8}}}},
                        {{"warmup", {{"factor", 1.5}}}},
                        {{"ramp", {{"factor", 1.3}, {"over_ns", 5e6}}}},
                        {{"throttle", {{"factor", 1.3}, {"after_ns", 2e6}}}},
                        {{"visit", {{"sd", 0.01}}}}};
  for (const json &kind : kinds) {
    SimBed bed(sim_problem("list(range(0, 10))", 0), valley, kind);
    const SimTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    CHECK_MESSAGE(tune.winner() == 5, kind.dump());
  }
}

TEST_CASE("a bad timer is survived") {
  for (const json &timer :
       {json{{"resolution_ns", 1000}}, json{{"zero_every", 7}}, json{{"negative_every", 11}},
        json{{"wrap_ns", 4294967296.0}}, json{{"drift", 1e-4}}}) {
    SimBed bed(sim_problem("[0, 5, 9]", 0), valley, {{"timer", timer}});
    const SimTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    CHECK_MESSAGE(tune.winner() == 5, timer.dump());
  }
}

TEST_CASE("a timer that stands still never gives a winner") {
  SimBed bed(sim_problem("[0, 5]", 0), valley, {{"timer", {{"frozen", true}}}});
  CHECK(bed.tune().status != BENCH_OK);
}

TEST_CASE("limits count virtual time: hours of it pass in no time") {
  // Ten minutes a launch: a worker would be killed at its limit if real time were read.
  SimBed bed(sim_problem("[4, 5]", 4), "time = 6e11 + 1e11 * abs(MODE - 5)\nelements = 256\n");
  const double begun = real_seconds();
  const SimTune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.winner() == 5);
  CHECK(real_seconds() - begun < 60.0);  // in real time it were days
}

TEST_CASE("the tune's time limit is one of the virtual clock") {
  SimBed bed(sim_problem("list(range(0, 10))", 0),
             "time = 1e9 + 1e7 * abs(MODE - 5)\nelements = 256\n");
  const SimTune tune = bed.tune(20'000'000'000);
  CHECK(tune.extras()["stop_reason"] == "deadline");
}

TEST_CASE("a recorded space is replayed") {
  json rows;
  for (int mode = 0; mode < 6; ++mode) {
    json times = json::array();
    for (int sample = 0; sample < 8; ++sample)
      times.push_back(1.0 + 0.1 * ((mode + 3) % 6) + 0.001 * sample);
    rows[std::to_string(mode)] = {{"MODE", mode}, {"time", times[0]}, {"times", times}};
  }
  rows["3"]["time"] = "RuntimeFailedConfig";
  SimBed bed(sim_problem("list(range(0, 8))", 0), "elements = 256\nreplay = space.json\n");
  bed.folder.write("space.json", json{{"device_name", "d"},
                                      {"kernel_name", "k"},
                                      {"tune_params_keys", {"MODE"}},
                                      {"cache", rows}}
                                     .dump());
  const SimTune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.winner() == 4);  // 3 would be the fastest, had it run
  CHECK(tune.state("MODE", 3) == "out-of-resources");
  CHECK(tune.state("MODE", 7) == "rejected");  // not in the recording
}

TEST_CASE("a space that is too large is searched within its budget, and the best few raced") {
  json problem = sim_problem("list(range(0, 24))", 0);
  for (const char *name : {"B", "C"})
    problem["ConfigurationSpace"]["TuningParameters"].push_back(
        {{"Name", name}, {"Type", "int"}, {"Values", "list(range(0, 24))"}, {"Default", 0}});
  SimBed bed(problem,
             "time = 20000 + 500 * abs(MODE - 13) + 300 * abs(B - 5) + 200 * abs(C - 17)\n"
             "elements = 256\ncompile = 1e8\ncrash when MODE == 14 and B == 5\n");
  const auto limits = [](bench_problem_options_v1 &options) { options.max_evaluations = 120; };
  const SimTune tune = bed.tune(0, BENCH_PROBLEM_NO_STORE, limits);
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.document["x-bench"]["candidates"].size() == 120);
  CHECK(tune.extras()["winner"]["median_ns"].get<double>() < 22000);
  // The default is a part of the race: 33 us and more.
  CHECK(tune.extras()["default"]["configuration"]["MODE"] == 0);
  const SimTune other = bed.tune(0, BENCH_PROBLEM_NO_STORE, [](bench_problem_options_v1 &options) {
    options.strategy = "nonsense";
  });
  CHECK(other.status == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a wrong program is told by line and name") {
  SimBed bed(sim_problem("[0]", 0), "time = 10 +\n");
  const SimTune tune = bed.tune();
  CHECK(tune.status != BENCH_OK);
  CHECK(tune.text.find("line 1") != std::string::npos);
  SimBed other(sim_problem("[0]", 0), "time = NOPE\n");
  CHECK(other.tune().text.find("NOPE") != std::string::npos);
}
