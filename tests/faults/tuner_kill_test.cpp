// SPDX-License-Identifier: Apache-2.0
// `bench tune` killed at random moments, again and again: no process is left, what a search has
// tried is not tried again, and the run that is let finish ends as if nothing had been.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <random>
#include <thread>

#include "cpu_bed.hpp"
#include "sim_bed.hpp"

using bench::test::json;
using bench::test::sim_problem;
using bench::test::TempDir;

namespace {

constexpr const char *program = BENCH_TEST_BINARY_DIR "/bin/bench";

struct Folder {
  Folder(const json &problem, const std::string &kernel)
      : file(folder.write("p.json", problem.dump())) {
    folder.write("kernel.sim", kernel);
    folder.write("reference.sim", "time = 50000\nelements = 256\n");
  }

  /// Starts `bench tune --json` into `out`.
  pid_t start(const std::string &evaluations) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int out = ::open((folder.path() / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, 1);
    ::dup2(::open("/dev/null", O_WRONLY), 2);
    ::setenv("BENCH_SIM_DEVICES", "default", 1);
    ::setenv("BENCH_PLUGIN_SYSTEM_PATH", BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1", 1);
    ::setenv("BENCH_PLUGINS", "sim", 1);
    ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    ::unsetenv("BENCH_PLUGIN_PATH");
    const std::string store = (folder.path() / "store.db").string();
    ::execl(program, "bench", "tune", file.c_str(), "--json", "--store", store.c_str(),
            "--evaluations", evaluations.c_str(), "--jobs", "2", static_cast<char *>(nullptr));
    ::_exit(127);
  }

  json finish(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    std::ifstream in(folder.path() / "out");
    return json::parse(in)["x-bench"];
  }

  bool keeps() const { return std::filesystem::exists(folder.path() / "store.db"); }

  TempDir folder;
  const std::filesystem::path file;
};

/// Processes with this folder in their environment: workers of its tunes. They may take a moment.
int left_over(const std::filesystem::path &folder) {
  int count = 0;
  for (int trial = 0; trial < 40; ++trial) {
    count = 0;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream environment(entry.path() / "environ", std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(environment), {}};
      count += text.find("XDG_CACHE_HOME=" + folder.string()) != std::string::npos;
    }
    if (count == 0) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return count;
}

/// "N configurations were tried in an unfinished run": N, or 0.
int recalled(const json &extras) {
  for (const std::string note : extras["notes"]) {
    if (note.find("unfinished run") != std::string::npos) return std::stoi(note);
  }
  return 0;
}

/// False where one of them had ended before it was killed.
bool kill_at_random(Folder &folder, const std::string &evaluations, std::mt19937_64 &random,
                    int kills) {
  bool all_killed = true;
  for (int i = 0; i < kills; ++i) {
    const pid_t child = folder.start(evaluations);
    // The first time anywhere, then when something is being kept.
    for (int wait = 0; i > 0 && wait < 1000 && !folder.keeps(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 200));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    all_killed = all_killed && WIFSIGNALED(status);
    CHECK(left_over(folder.folder.path()) == 0);
  }
  return all_killed;
}

}  // namespace

TEST_CASE("a search that is killed goes on where it was") {
  json problem = sim_problem("list(range(0, 30))", 0);
  for (const char *name : {"B", "C"})
    problem["ConfigurationSpace"]["TuningParameters"].push_back(
        {{"Name", name}, {"Type", "int"}, {"Values", "list(range(0, 30))"}, {"Default", 0}});
  const std::string kernel =
      "time = 20000 + 500 * abs(MODE - 13) + 300 * abs(B - 5) + 200 * abs(C - 17)\n"
      "elements = 256\ncrash when MODE == 13 and B == 6\n";
  std::mt19937_64 random(1);
  const int runs = bench::test::long_run() ? 20 : 2;
  for (int run = 0; run < runs; ++run) {
    CAPTURE(run);
    Folder folder(problem, kernel);
    const bool all_killed = kill_at_random(folder, "2000", random, 5);
    const json extras = folder.finish(folder.start("2000"));
    CHECK(extras["candidates"].size() == 2000);
    for (const auto &row : extras["candidates"]) CHECK(row["state"] != "not-tested");
    if (all_killed) CHECK(recalled(extras) > 0);
    CHECK(extras["winner"]["median_ns"].get<double>() < 21500);
    CHECK(extras["stop_reason"] != "cancelled");
    // Done: the next one measures nothing, and nothing unfinished is left.
    const json again = folder.finish(folder.start("2000"));
    CHECK(again["measured"] == 0);
    CHECK(again["winner"]["configuration"] == extras["winner"]["configuration"]);
  }
}

TEST_CASE("a list that is killed loses no failure it has found, and races again") {
  std::mt19937_64 random(2);
  const int runs = bench::test::long_run() ? 20 : 2;
  for (int run = 0; run < runs; ++run) {
    CAPTURE(run);
    Folder folder(sim_problem("list(range(0, 60))", 0),
                  "time = 20000 + 5000 * abs(MODE - 41)\nelements = 256\n"
                  "crash when MODE % 10 == 3\nwrong when MODE % 10 == 7\n");
    kill_at_random(folder, "100", random, 4);
    const json extras = folder.finish(folder.start("100"));
    CHECK(extras["states"]["crashed"] == 6);
    CHECK(extras["states"]["wrong-output"] == 6);
    CHECK(extras["states"]["measured"] == 48);
    CHECK(extras["winner"]["configuration"]["MODE"] == 41);
    CHECK(left_over(folder.folder.path()) == 0);
  }
}
