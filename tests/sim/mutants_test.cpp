// SPDX-License-Identifier: Apache-2.0
// Verification that cannot be fooled: mutants of a right kernel in every type are caught, and right
// ones are not.
#include "sim_bed.hpp"

using bench::test::sim_problem;
using bench::test::SimBed;
using bench::test::SimTune;

namespace {

constexpr const char *types[] = {"int8",  "uint8",  "int16", "uint16", "int32", "uint32",
                                 "int64", "uint64", "half",  "float",  "double"};
constexpr const char *mutants[] = {"off_by_one", "partial",    "overflow", "wrong",
                                   "stale",      "accumulate", "race"};
constexpr int mutant_count = 7;

bool is_float(const std::string &type) {
  return type == "half" || type == "float" || type == "double";
}

}  // namespace

TEST_CASE("every mutant is caught in every type") {
  for (const std::string type : types) {
    CAPTURE(type);
    std::string program =
        "time = 30000 if MODE < 2 else 5000\nelements = 256\nnan when MODE == 20\n";
    for (int i = 0; i < mutant_count; ++i)
      program += std::string(mutants[i]) + " when MODE == " + std::to_string(10 + i) + "\n";
    const std::string modes =
        std::string("[0, 1, 10, 11, 12, 13, 14, 15, 16") + (is_float(type) ? ", 20]" : "]");
    SimBed bed(sim_problem(modes, 0, type), program);
    const SimTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    CHECK(tune.winner() < 2);
    CHECK(tune.state("MODE", 0) == "measured");
    CHECK(tune.state("MODE", 1) == "measured");
    for (int i = 0; i < mutant_count; ++i) {
      CAPTURE(mutants[i]);
      const std::string state = tune.state("MODE", 10 + i);
      CHECK((state == "wrong-output" || state == "non-finite"));
    }
    if (is_float(type)) CHECK(tune.state("MODE", 20) == "non-finite");
  }
}

TEST_CASE("a thousand right kernels raise no alarm") {
  // Some 90 in each type: each is compiled, run on poisoned outputs and compared.
  int right = 0;
  for (const std::string type : types) {
    CAPTURE(type);
    SimBed bed(sim_problem("list(range(0, 92))", 0, type),
               "time = 20000 + 400 * MODE\nelements = 256\n");
    const SimTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    for (const auto &row : tune.document["x-bench"]["candidates"])
      right += row["state"] == "measured";
  }
  CHECK(right == 11 * 92);
}
