// SPDX-License-Identifier: Apache-2.0
// Every fault at every place of the list: the tune ends, the culprit alone is lost, the winner is
// right, no process is left.
#include "sim_bed.hpp"

using bench::test::child_processes;
using bench::test::sim_problem;
using bench::test::SimBed;
using bench::test::SimTune;

namespace {

struct Fault {
  const char *name;
  const char *state;
};

constexpr Fault faults[] = {{"reject", "rejected"},
                            {"compile_fails", "compile-failed"},
                            {"out_of_memory", "out-of-resources"},
                            {"leak", "out-of-resources"},
                            {"crash", "crashed"},
                            {"abort", "crashed"},
                            {"exit", "crashed"},
                            {"hang", "timeout"},
                            {"hang_host", "timeout"},
                            {"lost", "device-lost"},
                            {"overflow", "wrong-output"},
                            {"wrong", "wrong-output"}};

/// Five candidates; the culprit would be the fastest by far, were it let.
void check_matrix(int culprit) {
  for (const Fault &fault : faults) {
    CAPTURE(fault.name);
    CAPTURE(culprit);
    const std::string place = std::to_string(culprit);
    SimBed bed(sim_problem("[0, 1, 2, 3, 4]", 0),
               "time = 1000 if MODE == " + place +
                   " else 20000 + 5000 * abs(MODE - 1)\nelements = 256\n" + fault.name +
                   " when MODE == " + place + "\n",
               {{"noise", {{"cv", 0.005}}}});
    if (std::string(fault.state) == "timeout") bed.timeout_ns = 1'000'000'000;
    const SimTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    CHECK(tune.state("MODE", culprit) == fault.state);
    for (int mode = 0; mode < 5; ++mode) {
      if (mode != culprit) CHECK(tune.state("MODE", mode) == "measured");
    }
    CHECK(tune.winner() == 1);
    CHECK(child_processes() == 0);
  }
}

}  // namespace

TEST_CASE("a fault of the first candidate, the default") {
  check_matrix(0);
}

TEST_CASE("a fault of one in the middle") {
  check_matrix(2);
}

TEST_CASE("a fault of the last candidate") {
  check_matrix(4);
}

TEST_CASE("where all fail there is no winner, and each has its reason") {
  SimBed bed(sim_problem("[0, 1, 2]", 0),
             "time = 1000\nelements = 256\ncrash when MODE == 0\nwrong when MODE == 1\n"
             "reject when MODE == 2\n");
  const SimTune tune = bed.tune();
  CHECK(tune.status != BENCH_OK);
  CHECK(tune.winner() == -1);
  CHECK(tune.state("MODE", 0) == "crashed");
  CHECK(tune.state("MODE", 1) == "wrong-output");
  CHECK(tune.state("MODE", 2) == "rejected");
}
