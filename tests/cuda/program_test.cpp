// SPDX-License-Identifier: Apache-2.0
// The whole way: the program, its workers, the plugin, NVRTC where it is found, the software
// driver.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

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

std::string setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Runs `bench` over the stand-in as scripted, with a cache of its own.
class Shell {
 public:
  explicit Shell(std::string script, bool has_driver = true)
      : environment_("BENCH_FAKE_CUDA=" + script +
                     (has_driver ? " LD_LIBRARY_PATH=" + setting("BENCH_FAKE_CUDA_DIR") : "")) {}

  Result run(const std::string &arguments) {
    const std::string command =
        "env -u BENCH_PLUGIN_PATH XDG_CACHE_HOME=" + (folder.path() / "cache").string() +
        " BENCH_PLUGINS=cuda BENCH_PLUGIN_SYSTEM_PATH=" BENCH_TEST_BINARY_DIR
        "/lib/bench/plugins-1 " +
        environment_ + " " BENCH_TEST_BINARY_DIR "/bin/bench " + arguments + " >" +
        (folder.path() / "out").string() + " 2>" + (folder.path() / "err").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_all(folder.path() / "out"), read_all(folder.path() / "err")};
  }
  json devices() {
    const Result result = run("devices --json");
    return json::parse(result.out);
  }
  /// The one line of class cuda where there is no device.
  std::string reason() {
    for (const json &device : devices())
      if (device["class"] == "cuda") return device["reason"].get<std::string>();
    return "no line of class cuda";
  }

  /// Vector addition over blocks of 128, 256 and 512, with a reference.
  std::string problem(const std::string &kernel) {
    // PTX, which needs no compiler: the stand-in runs host functions of these names.
    const auto ptx = [](const std::string &name) {
      return ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry " + name +
             "() { ret; }\n";
    };
    folder.write("kernel.ptx", ptx(kernel));
    folder.write("reference.ptx", ptx("vector_add_reference"));
    const auto vector = [](const char *name, const char *access, const char *fill) {
      return json{
          {"Name", name},     {"Type", "float"},  {"MemoryType", "Vector"},  {"AccessType", access},
          {"FillType", fill}, {"FillValue", 1.0}, {"Size", "ProblemSize[0]"}};
    };
    json c = vector("c", "WriteOnly", "Constant");
    c["Output"] = 1;
    const json document{
        {"General", {{"BenchmarkName", kernel}, {"FormatVersion", "1.0.0"}}},
        {"ConfigurationSpace",
         {{"TuningParameters",
           {{{"Name", "BLOCK"}, {"Type", "int"}, {"Values", "[128, 256, 512]"}, {"Default", 128}}}},
          {"Conditions", json::array()}}},
        {"KernelSpecification",
         {{"Language", "PTX"},
          {"KernelName", kernel},
          {"KernelFile", "kernel.ptx"},
          {"ProblemSize", {1000}},
          {"GlobalSizeType", "OpenCL"},
          {"GlobalSize", {{"X", "ProblemSize[0]"}, {"Y", "1"}, {"Z", "1"}}},
          {"LocalSize", {{"X", "BLOCK"}, {"Y", "1"}, {"Z", "1"}}},
          {"Arguments",
           {vector("a", "ReadOnly", "Random"),
            vector("b", "ReadOnly", "Random"),
            c,
            {{"Name", "n"},
             {"Type", "int32"},
             {"MemoryType", "Scalar"},
             {"AccessType", "ReadOnly"},
             {"FillType", "Constant"},
             {"FillValue", 1000}}}}}},
        {"x-bench",
         {{"ReferenceKernel",
           {{"KernelName", "vector_add_reference"}, {"KernelFile", "reference.ptx"}}}}}};
    folder.write("problem.json", document.dump());
    return (folder.path() / "problem.json").string();
  }

  TempDir folder;

 private:
  const std::string environment_;
};

json tune(Shell &shell, const std::string &kernel, const std::string &options = "") {
  const Result result =
      shell.run("tune " + shell.problem(kernel) + " --json --no-store --quiet" + options);
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  return json::parse(result.out)["x-bench"];
}

std::string state_of(const json &extras, int block) {
  for (const json &candidate : extras["candidates"])
    if (candidate["configuration"]["BLOCK"] == block) return candidate["state"];
  return "absent";
}

}  // namespace

TEST_CASE("devices are listed with what they are, two of them apart") {
  Shell one("");
  REQUIRE(one.devices().size() == 1);
  CHECK(one.devices()[0]["tag"] == "cuda:0");
  CHECK(one.devices()[0]["name"] == "Stand-in 0");
  CHECK(one.devices()[0]["state"] == "usable");
  Shell two("devices=2");
  REQUIRE(two.devices().size() == 2);
  CHECK(two.devices()[1]["tag"] == "cuda:1");
}

TEST_CASE("no driver, an old one, one that does not start, no device: each says so") {
  CHECK(Shell("", false).reason().find("libcuda.so.1: cannot open shared object file") !=
        std::string::npos);
  const std::string old = Shell("version=11040").reason();
  CHECK(old.find("11.4") != std::string::npos);
  CHECK(old.find("12.0") != std::string::npos);
  CHECK(Shell("init=803").reason().find("unsupported display driver") != std::string::npos);
  CHECK(Shell("init=999").reason().find("does not start") != std::string::npos);
  Shell none("devices=0");
  for (const json &device : none.devices()) CHECK(device["state"] != "usable");
}

TEST_CASE("a tune loads, checks, measures, and keeps what is right") {
  SUBCASE("all are right") {
    Shell shell("");
    const json extras = tune(shell, "vector_add");
    CHECK(extras["device"] == "cuda:0");
    for (const int block : {128, 256, 512}) CHECK(state_of(extras, block) == "measured");
    CHECK(extras["candidates"][0]["resources"]["registers_per_thread"] == 32);
  }
  SUBCASE("one that damages its context is lost alone") {
    Shell shell("");
    const json extras = tune(shell, "vector_add_or_die");
    CHECK(state_of(extras, 128) == "measured");
    CHECK(state_of(extras, 256) == "measured");
    CHECK(state_of(extras, 512) == "device-lost");
  }
  SUBCASE("so are those that misalign and fail, with the driver's names") {
    for (const auto &[kernel, name] :
         {std::pair{"vector_add_or_misalign", "CUDA_ERROR_MISALIGNED_ADDRESS"},
          {"vector_add_or_fail", "CUDA_ERROR_LAUNCH_FAILED"}}) {
      CAPTURE(kernel);
      Shell shell("");
      const json extras = tune(shell, kernel);
      CHECK(state_of(extras, 128) == "measured");
      CHECK(state_of(extras, 256) == "measured");
      CHECK(state_of(extras, 512) == "device-lost");
      CHECK(extras.dump().find(name) != std::string::npos);
    }
  }
  SUBCASE("one that never ends is killed alone") {
    Shell shell("");
    const json extras = tune(shell, "vector_add_or_hang", " --timeout 2");
    CHECK(state_of(extras, 128) == "measured");
    CHECK(state_of(extras, 256) == "measured");
    CHECK(state_of(extras, 512) == "timeout");
  }
  SUBCASE("one that writes NaN is told apart from those that are only wrong") {
    Shell shell("");
    const json extras = tune(shell, "vector_add_or_nan");
    CHECK(state_of(extras, 128) == "measured");
    CHECK(state_of(extras, 256) == "measured");
    CHECK(state_of(extras, 512) == "non-finite");
  }
  SUBCASE("wrong ones never win") {
    Shell shell("");
    const Result result =
        shell.run("tune " + shell.problem("vector_add_wrong") + " --json --no-store --quiet");
    CHECK(result.exit_code == 3);
    CHECK(state_of(json::parse(result.out)["x-bench"], 256) == "wrong-output");
  }
  SUBCASE("a problem larger than the memory says so") {
    Shell shell("memory=2000");
    const Result result = shell.run("tune " + shell.problem("vector_add") + " --no-store --quiet");
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos);
  }
}

TEST_CASE("a run locks the clock for those who time, and gives it back once at the end") {
  Shell shell("");
  const auto log = shell.folder.path() / "nvml";
  ::setenv("BENCH_FAKE_NVML_LOG", log.c_str(), 1);
  const Result run = shell.run("run " + shell.problem("vector_add") +
                               " --json --no-store --quiet --lock-clock 1500 --energy");
  const Result tune = shell.run("tune " + shell.problem("vector_add") +
                                " --json --no-store --quiet --lock-clock 1000 --jobs 2");
  ::unsetenv("BENCH_FAKE_NVML_LOG");
  REQUIRE_MESSAGE(run.exit_code == 0, run.err);
  REQUIRE_MESSAGE(tune.exit_code == 0, tune.err);
  CHECK(read_all(log) == "lock 1500\nreset\nlock 1005\nreset\n");
  const json energy = json::parse(run.out)["measurement"]["energy"];
  // What the stand-in's kernel takes: 2 us of 300 W.
  CHECK(energy["joules_per_launch"].get<double>() == doctest::Approx(6e-4).epsilon(0.01));
  CHECK(energy["idle_watts"].is_number());
}

TEST_CASE("a tune for energy leaves the quickest where it takes more") {
  Shell shell("");
  // Blocks of 512 take 0.6 of the time at twice the power.
  const std::string problem = shell.problem("vector_add_or_save");
  const auto winner_of = [&](const std::string &options) {
    const Result result = shell.run("tune " + problem + " --json --quiet" + options);
    REQUIRE_MESSAGE(result.exit_code == 0, result.err);
    return json::parse(result.out)["x-bench"];
  };
  CHECK(winner_of("")["winner"]["configuration"]["BLOCK"] == 512);
  const json energy = winner_of(" --objective energy");
  CHECK(energy["objective"] == "energy");
  CHECK(energy["winner"]["configuration"]["BLOCK"] != 512);
  CHECK(energy["tie_set"].size() == 2);
  for (const json &row : energy["candidates"]) {
    CAPTURE(row.dump());
    const bool hungry = row["configuration"]["BLOCK"] == 512;
    CHECK(row["joules_per_launch"].get<double>() ==
          doctest::Approx(hungry ? 7.2e-4 : 6e-4).epsilon(0.02));
    CHECK(row["median_ns"].get<double>() == doctest::Approx(hungry ? 1200 : 2000).epsilon(0.02));
  }
  // Kept apart from the tune for time, with its energies.
  const json again = winner_of(" --objective energy");
  CHECK(again["measured"] == 0);
  CHECK(again["candidates"][0]["joules_per_launch"] ==
        energy["candidates"][0]["joules_per_launch"]);
  const Result table = shell.run("tune " + problem + " --quiet --objective energy");
  CHECK(table.out.find("uJ per launch") != std::string::npos);
}

TEST_CASE("a tune for energy that cannot be counted says why, and runs no race") {
  Shell shell("");
  ::setenv("BENCH_FAKE_NVML", "others", 1);
  const Result result = shell.run("tune " + shell.problem("vector_add") +
                                  " --json --quiet --no-store --objective energy");
  ::unsetenv("BENCH_FAKE_NVML");
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("another process uses the device") != std::string::npos);
}
