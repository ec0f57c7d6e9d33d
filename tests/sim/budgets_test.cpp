// SPDX-License-Identifier: Apache-2.0
// No budget is exceeded by more than a tenth: time, evaluations, a fraction of the space; given by
// an option or by the problem file. Time is the virtual clock's.
#include "sim_bed.hpp"

using bench::test::json;
using bench::test::sim_problem;
using bench::test::SimBed;
using bench::test::SimTune;

namespace {

// 13824 configurations: more than are tried out one by one.
json large_problem() {
  json problem = sim_problem("list(range(0, 24))", 0);
  for (const char *name : {"B", "C"})
    problem["ConfigurationSpace"]["TuningParameters"].push_back(
        {{"Name", name}, {"Type", "int"}, {"Values", "list(range(0, 24))"}, {"Default", 0}});
  return problem;
}

constexpr const char *program =
    "time = 20000 + 500 * abs(MODE - 13) + 300 * abs(B - 5) + 200 * abs(C - 17)\n"
    "elements = 256\ncompile = 1e8\n";

void add_budget(json &problem, const char *type, double value) {
  problem["Budget"] = {{{"Type", type}, {"BudgetValue", value}}};
}

std::size_t tried(const SimTune &tune) {
  return tune.document["x-bench"]["candidates"].size();
}

double total_s(const SimTune &tune) {
  return tune.document["x-bench"]["cost_s"]["total"];
}

}  // namespace

TEST_CASE("evaluations, by an option") {
  SimBed bed(large_problem(), program);
  for (const std::uint64_t evaluations : {1, 7, 100}) {
    const SimTune tune =
        bed.tune(0, BENCH_PROBLEM_NO_STORE,
                 [&](bench_problem_options_v1 &options) { options.max_evaluations = evaluations; });
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    CHECK(tried(tune) == evaluations);
  }
}

TEST_CASE("evaluations and a fraction, by the problem file") {
  json problem = large_problem();
  add_budget(problem, "ConfigurationCount", 60);
  SimBed by_count(problem, program);
  const SimTune counted = by_count.tune();
  REQUIRE_MESSAGE(counted.status == BENCH_OK, counted.error.what);
  CHECK(tried(counted) == 60);
  add_budget(problem, "ConfigurationFraction", 0.01);
  SimBed by_fraction(problem, program);
  const SimTune part = by_fraction.tune();
  REQUIRE_MESSAGE(part.status == BENCH_OK, part.error.what);
  CHECK(tried(part) <= 138);  // of 13824
  CHECK(tried(part) >= 130);
}

TEST_CASE("time, of a search with its race, of a list, and by the problem file") {
  for (const double limit_s : {2.0, 10.0, 40.0}) {
    CAPTURE(limit_s);
    SimBed bed(large_problem(), program);
    const SimTune tune = bed.tune(static_cast<std::int64_t>(limit_s * 1e9), BENCH_PROBLEM_NO_STORE);
    CHECK(total_s(tune) <= 1.1 * limit_s);
    CHECK(tune.winner() >= 0);
  }
  json problem = large_problem();
  add_budget(problem, "TuningDuration", 10);
  SimBed by_file(problem, program);
  CHECK(total_s(by_file.tune()) <= 11.0);
  // Launches of a hundredth of the limit each, so that a visit may not begin where it would not
  // end.
  SimBed list(sim_problem("list(range(0, 40))", 0),
              "time = 2e8 + 1e7 * abs(MODE - 5)\nelements = 256\n");
  const SimTune listed = list.tune(20'000'000'000, BENCH_PROBLEM_NO_STORE);
  CHECK(total_s(listed) <= 22.0);
}
