// SPDX-License-Identifier: Apache-2.0
// The program as a user runs it: what goes to stdout, what to stderr, and the exit code.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "temp_dir.hpp"

using bench::test::TempDir;
using nlohmann::json;

namespace {

struct Result {
  int exit_code = -1;
  std::string out, err;
};

std::string read_all(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs `bench` with a home, a store and a plugin folder of its own.
class Shell {
 public:
  /// Of the build tree's plugins the cpu's alone: what the others say depends on the machine.
  Shell() {
    std::filesystem::create_directory(folder.path() / "plugins");
    std::filesystem::create_symlink(BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_cpu.so",
                                    folder.path() / "plugins" / "libbench_cpu.so");
  }
  Result run(const std::string &arguments, const std::string &environment = "") {
    const std::string command =
        "env -u BENCH_PLUGIN_PATH -u BENCH_PLUGINS XDG_CACHE_HOME=" +
        (folder.path() / "cache").string() +
        " BENCH_PLUGIN_SYSTEM_PATH=" + (folder.path() / "plugins").string() + " " + environment +
        " " + program + " " + arguments + " >" + (folder.path() / "out").string() + " 2>" +
        (folder.path() / "err").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_all(folder.path() / "out"), read_all(folder.path() / "err")};
  }
  std::string problem(const std::string &values, const std::string &condition = "") {
    folder.write("k.c",
                 "void fill(float *y) { for (int r = 0; r < REPEAT; ++r) for (int i = 0; i < 2000; "
                 "++i) { volatile float v = (float)i; y[i] = v; } }\n");
    json document{{"ConfigurationSpace",
                   {{"TuningParameters",
                     {{{"Name", "REPEAT"}, {"Type", "int"}, {"Values", values}, {"Default", 4}}}}}},
                  {"KernelSpecification",
                   {{"Language", "C"},
                    {"KernelName", "fill"},
                    {"KernelFile", "k.c"},
                    {"GlobalSize", {{"X", "1"}}},
                    {"Arguments",
                     {{{"Name", "y"},
                       {"Type", "float"},
                       {"MemoryType", "Vector"},
                       {"AccessType", "WriteOnly"},
                       {"Size", 2000},
                       {"Output", 1}}}}}}};
    if (!condition.empty())
      document["ConfigurationSpace"]["Conditions"] = {
          {{"Expression", condition}, {"Parameters", {"REPEAT"}}}};
    return folder.write("p.json", document.dump()).string();
  }
  TempDir folder;
  const std::string program = BENCH_TEST_BINARY_DIR "/bin/bench";
};

/// Workers of this build that are alive.
int running_workers() {
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    const std::string command = read_all(entry.path() / "cmdline");
    count += command.rfind(BENCH_TEST_BINARY_DIR "/lib/bench-worker", 0) == 0;
  }
  return count;
}

/// Three lines: what, where, what to do.
void check_three_parts(const std::string &err) {
  CHECK_MESSAGE(err.rfind("bench: ", 0) == 0, err);
  CHECK_MESSAGE(err.find("\n  where: ") != std::string::npos, err);
  CHECK_MESSAGE(err.find("\n  do: ") != std::string::npos, err);
}

}  // namespace

TEST_CASE("devices: JSON has the promised members, stderr is silent") {
  Shell shell;
  const Result result = shell.run("devices --json");
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  const json list = json::parse(result.out);
  REQUIRE(list.size() == 1);
  for (const char *member : {"tag", "class", "name", "plugin", "state", "reason"})
    CHECK(list[0].contains(member));
  CHECK(list[0]["tag"] == "cpu:0");
  CHECK(shell.run("devices").out.find("cpu:0") != std::string::npos);
}

TEST_CASE("plugins: JSON has the promised members; a healthy story is calm") {
  Shell shell;
  const json list = json::parse(shell.run("plugins --json").out);
  REQUIRE(list.size() == 1);
  for (const char *member : {"path", "classes", "state", "code", "reason"})
    CHECK(list[0].contains(member));
  std::string story = shell.run("plugins --why").out;
  CHECK(story.find("BENCH-L001") != std::string::npos);
  for (char &c : story) c = static_cast<char>(std::tolower(c));
  for (const char *word : {"error", "fail", "not found"})
    CHECK_MESSAGE(story.find(word) == std::string::npos, story);
}

TEST_CASE("no plugin at all is no crash: an empty list and where to look") {
  Shell shell;
  const Result result = shell.run("devices", "BENCH_PLUGIN_SYSTEM_PATH=");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("--why") != std::string::npos);
  const Result tune = shell.run("tune " + shell.problem("[1, 4]"), "BENCH_PLUGIN_SYSTEM_PATH=");
  CHECK(tune.exit_code == 3);
  check_three_parts(tune.err);
}

TEST_CASE("tune: JSON is the T4 document with x-bench; the second run measures nothing") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 4]");
  const Result first = shell.run("tune " + file + " --json");
  REQUIRE_MESSAGE(first.exit_code == 0, first.err);
  const json document = json::parse(first.out);
  CHECK(document["schema_version"] == "1.0.0");
  CHECK(document["results"].size() == 3);
  const json &extras = document["x-bench"];
  CHECK(extras["space"]["raw"] == 3);
  CHECK(extras["space"]["valid"] == 3);
  for (const char *member : {"winner", "default", "tie_set", "stop_reason", "measured",
                             "from_store", "states", "cost_s"})
    CHECK(extras.contains(member));
  // Which one wins is a matter of real time; that it is among its own ties is not.
  const json &ties = extras["tie_set"];
  CHECK(std::find(ties.begin(), ties.end(), extras["winner"]["configuration"]) != ties.end());
  CHECK(extras["winner"].contains("interval_ns"));
  for (const char *part : {"compile", "warmup", "flush", "timed", "idle", "total"})
    CHECK(extras["cost_s"].contains(part));
  std::uint64_t total = 0;
  for (const auto &[name, count] : extras["states"].items()) total += count.get<std::uint64_t>();
  CHECK(total == 3);
  const Result second = shell.run("tune " + file);
  CHECK(second.exit_code == 0);
  CHECK(second.out.find("measured nothing") != std::string::npos);
  CHECK(json::parse(shell.run("tune " + file + " --json").out)["x-bench"]["measured"] == 0);
}

TEST_CASE("tune for people: table, winner, interval, tie set, gain, and where it is kept") {
  Shell shell;
  const Result result = shell.run("tune " + shell.problem("[1, 4]"));
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  for (const char *part :
       {"configuration", "winner: REPEAT=", "tie set: ", "gain over the default: ", "kept in: "})
    CHECK_MESSAGE(result.out.find(part) != std::string::npos, part);
  CHECK(result.err.empty());  // no progress line in a pipe
}

TEST_CASE("dry run fills the space and measures nothing") {
  Shell shell;
  const json extras = json::parse(
      shell.run("tune " + shell.problem("[1, 2, 4]", "REPEAT > 1") + " --dry-run --json")
          .out)["x-bench"];
  CHECK(extras["space"]["raw"] == 3);
  CHECK(extras["space"]["valid"] == 2);
  CHECK(extras["measured"] == 0);
  CHECK(extras["winner"].is_null());
}

TEST_CASE("run measures one configuration") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 4]");
  const Result result = shell.run("run " + file + " --config REPEAT=2 --json");
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const json document = json::parse(result.out);
  CHECK(document["configuration"]["REPEAT"] == 2);
  CHECK(document["device"] == "cpu:0");
  CHECK(document["measurement"]["median_ns"].get<double>() > 0);
}

TEST_CASE("run reports cycles, or null with the reason; a core that is not there is refused") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 4]");
  const Result result = shell.run("run " + file + " --pin 0 --json");
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const json measurement = json::parse(result.out)["measurement"];
  REQUIRE(measurement.contains("cycles_per_launch"));
  if (measurement["cycles_per_launch"].is_null()) {
    CHECK_FALSE(measurement["cycles_reason"].get<std::string>().empty());
  } else {
    CHECK(measurement["cycles_per_launch"].get<double>() > 2000);  // at least one a stored element
  }
  const Result absent = shell.run("run " + file + " --pin 9999");
  CHECK(absent.exit_code == 2);
  check_three_parts(absent.err);
}

TEST_CASE("a clock that cannot be locked is refused, energy that cannot be counted has a reason") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 4]");
  const Result locked = shell.run("run " + file + " --device cpu:0 --lock-clock 1500");
  CHECK(locked.exit_code == 3);
  CHECK(locked.err.find("cannot lock clocks") != std::string::npos);
  check_three_parts(locked.err);
  const Result energy = shell.run("run " + file + " --device cpu:0 --energy --json");
  REQUIRE_MESSAGE(energy.exit_code == 0, energy.err);
  const json measurement = json::parse(energy.out)["measurement"];
  CHECK(measurement["energy"]["joules_per_launch"].is_null());
  CHECK(measurement["energy"]["reason"] == "the device's plugin has no telemetry");
  CHECK(measurement["telemetry"]["before"].contains("reason"));
}

TEST_CASE("bad input: exit code, what, where, and what to do") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 4]");
  struct Case {
    std::string arguments;
    int exit_code;
    const char *says;
  };
  const Case cases[] = {
      {"tune " + (shell.folder.path() / "absent.json").string(), 2, "cannot read"},
      {"tune " + shell.folder.write("broken.json", "{\n  \"a\": 1,\n}\n").string(), 2, "line 3"},
      {"run " + file + " --config REPEET=2", 2, "did you mean REPEAT?"},
      {"run " + file + " --config REPEAT=3", 2, "1, 2, 4"},
      {"tune " + file + " --device npu:0", 3, "class npu"},
      {"tune " + file + " --device cpu:7", 3, "cpu:7"},
      {"tune " + file + " --device cpu:x", 2, "class:number"},
  };
  for (const Case &one : cases) {
    const Result result = shell.run(one.arguments);
    CHECK_MESSAGE(result.exit_code == one.exit_code, (one.arguments + ": " + result.err));
    CHECK_MESSAGE(result.err.find(one.says) != std::string::npos,
                  (one.arguments + ": " + result.err));
    check_three_parts(result.err);
    CHECK(result.out.empty());
  }
  CHECK(shell.run("tune").exit_code == 2);
  CHECK(shell.run("tune " + file + " --eps -1").exit_code == 2);
  CHECK(shell.run("no-such-command").exit_code == 2);
  CHECK(shell.run("--help").exit_code == 0);
}

TEST_CASE("an empty space names the condition that emptied it") {
  Shell shell;
  const Result result = shell.run("tune " + shell.problem("[1, 2, 4]", "REPEAT > 9"));
  CHECK(result.exit_code == 2);
  CHECK_MESSAGE(result.err.find("REPEAT > 9") != std::string::npos, result.err);
  check_three_parts(result.err);
}

TEST_CASE("a full stdout is no success") {
  Shell shell;
  const std::string command = "env BENCH_PLUGIN_SYSTEM_PATH=" BENCH_TEST_BINARY_DIR
                              "/lib/bench/plugins-1 XDG_CACHE_HOME=" +
                              (shell.folder.path() / "cache").string() + " " + shell.program +
                              " devices --json >/dev/full 2>/dev/null";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 3);
}

TEST_CASE(
    "killing the tuner at any moment leaves no worker behind, and the next tune ends as if nothing "
    "was") {
  Shell shell;
  const std::string file = shell.problem("[1, 2, 3, 4, 5, 6]");
  for (const int delay_ms : {30, 120, 250, 400}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, 1);
      ::dup2(null, 2);
      ::setenv("XDG_CACHE_HOME", (shell.folder.path() / "cache").c_str(), 1);
      ::setenv("BENCH_PLUGIN_SYSTEM_PATH", BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1", 1);
      ::execl(shell.program.c_str(), "bench", "tune", file.c_str(), "--quiet",
              static_cast<char *>(nullptr));
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(running_workers() == 0);
  const Result result = shell.run("tune " + file + " --json");
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  const json extras = json::parse(result.out)["x-bench"];
  CHECK(extras["winner"]["configuration"].contains("REPEAT"));
  CHECK(extras["states"]["measured"] == 6);
}
