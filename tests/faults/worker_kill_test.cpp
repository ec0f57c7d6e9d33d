// SPDX-License-Identifier: Apache-2.0
// Workers that are killed from outside at random moments: the tune ends, with the right winner, and
// at most the candidate that a worker had in hand is lost.
#include <signal.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "cpu_bed.hpp"
#include "sim_bed.hpp"

using bench::test::child_processes;
using bench::test::sim_problem;
using bench::test::SimBed;
using bench::test::SimTune;

namespace {

/// One of this process's workers; 0 where there is none.
pid_t a_worker(std::mt19937_64 &random) {
  std::vector<pid_t> found;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string pid, name, state, parent;
    if (stat >> pid >> name >> state >> parent && parent == std::to_string(::getpid()) &&
        name == "(bench-worker)" && state != "Z")
      found.push_back(static_cast<pid_t>(std::stol(pid)));
  }
  return found.empty() ? 0 : found[random() % found.size()];
}

struct Kills {
  SimTune tune;
  int count = 0;
};

Kills tune_under_fire(SimBed &bed, std::uint64_t seed) {
  constexpr int max_kills = 4;
  Kills kills;
  std::atomic<bool> over{false};
  std::thread killer([&] {
    std::mt19937_64 random(seed);
    while (!over && kills.count < max_kills) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 12));
      if (const pid_t worker = a_worker(random); worker > 0)
        kills.count += ::kill(worker, SIGKILL) == 0;
    }
  });
  kills.tune = bed.tune();
  over = true;
  killer.join();
  return kills;
}

}  // namespace

TEST_CASE("killed workers cost at most what they had in hand") {
  const int runs = bench::test::long_run() ? 200 : 20;
  int kills = 0, ended = 0;
  for (int run = 1; run <= runs; ++run) {
    CAPTURE(run);
    SimBed bed(sim_problem("list(range(0, 60))", 0),
               "time = 20000 + 5000 * abs(MODE - 17)\nelements = 256\n");
    const Kills fired = tune_under_fire(bed, static_cast<std::uint64_t>(run));
    kills += fired.count;
    // Kills of one start after another look like a reference, or a device, that always ends its process.
    if (fired.tune.status != BENCH_OK && fired.count >= 2) {
      const std::string what = fired.tune.error.what;
      CHECK_MESSAGE(what.find("SIGKILL") != std::string::npos, what);
      ++ended;
      continue;
    }
    REQUIRE_MESSAGE(fired.tune.status == BENCH_OK, fired.tune.error.what);
    int lost = 0;
    for (int mode = 0; mode < 60; ++mode) lost += fired.tune.state("MODE", mode) != "measured";
    CHECK(lost <= fired.count);
    if (fired.tune.state("MODE", 17) == "measured") CHECK(fired.tune.winner() == 17);
    CHECK(child_processes() == 0);
  }
  CHECK(ended <= runs / 4);
  CHECK(kills > runs / 2);  // it was under fire indeed
}
