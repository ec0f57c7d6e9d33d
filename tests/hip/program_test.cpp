// SPDX-License-Identifier: Apache-2.0
// The whole way: the program, its workers, the plugin, the compiler and the runtime in software.
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
  explicit Shell(std::string script, std::string own = "")
      : environment_("BENCH_FAKE_CUDA=" + script + " BENCH_FAKE_HIP=" + own +
                     " LD_LIBRARY_PATH=" + setting("BENCH_HIP_PATH")) {}

  Result run(const std::string &arguments) {
    const std::string command =
        "env -u BENCH_PLUGIN_PATH XDG_CACHE_HOME=" + (folder.path() / "cache").string() +
        " BENCH_PLUGINS=hip BENCH_PLUGIN_SYSTEM_PATH=" BENCH_TEST_BINARY_DIR
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
  /// Vector addition over blocks of 128, 256 and 512, with a reference.
  std::string problem(const std::string &kernel) {
    const auto source = [](const std::string &name) {
      return "extern \"C\" __global__ void " + name +
             "(const float *a, const float *b, float *c, int n) {}\n";
    };
    folder.write("kernel.hip", kernel == "broken" ? "#error this is no kernel\n" : source(kernel));
    folder.write("reference.hip", source("vector_add_reference"));
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
         {{"Language", "HIP"},
          {"KernelName", kernel},
          {"KernelFile", "kernel.hip"},
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
           {{"KernelName", "vector_add_reference"}, {"KernelFile", "reference.hip"}}}}}};
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
  CHECK(one.devices()[0]["tag"] == "hip:0");
  CHECK(one.devices()[0]["state"] == "usable");
  Shell two("devices=2");
  REQUIRE(two.devices().size() == 2);
  CHECK(two.devices()[1]["tag"] == "hip:1");
}

TEST_CASE("a runtime that prints spoils no JSON, of devices or of a tune") {
  Shell shell("", "print=1");
  REQUIRE(shell.devices().size() == 1);  // parsed
  CHECK(shell.devices()[0]["state"] == "usable");
  const json extras = tune(shell, "vector_add");
  CHECK(extras["device"] == "hip:0");
}

TEST_CASE("a tune compiles, checks, measures, and keeps what is right") {
  SUBCASE("all are right") {
    Shell shell("");
    const json extras = tune(shell, "vector_add");
    CHECK(extras["device"] == "hip:0");
    for (const int block : {128, 256, 512}) CHECK(state_of(extras, block) == "measured");
    CHECK(extras["candidates"][0]["resources"]["registers_per_thread"] == 32);
  }
  SUBCASE("one that damages the device is lost alone, with HIP's name for it") {
    Shell shell("");
    const json extras = tune(shell, "vector_add_or_die");
    CHECK(state_of(extras, 128) == "measured");
    CHECK(state_of(extras, 256) == "measured");
    CHECK(state_of(extras, 512) == "device-lost");
    CHECK(extras.dump().find("hipErrorIllegalAddress") != std::string::npos);
  }
  SUBCASE("one that never ends is killed alone") {
    Shell shell("");
    const json extras = tune(shell, "vector_add_or_hang", " --timeout 2");
    CHECK(state_of(extras, 128) == "measured");
    CHECK(state_of(extras, 512) == "timeout");
  }
  SUBCASE("wrong ones never win") {
    Shell shell("");
    const Result result =
        shell.run("tune " + shell.problem("vector_add_wrong") + " --json --no-store --quiet");
    CHECK(result.exit_code == 3);
    CHECK(state_of(json::parse(result.out)["x-bench"], 256) == "wrong-output");
  }
  SUBCASE("one that does not compile says why") {
    Shell shell("");
    const Result result =
        shell.run("tune " + shell.problem("broken") + " --json --no-store --quiet");
    CHECK(result.exit_code == 3);
    CHECK((result.out + result.err).find("error: this is no kernel") != std::string::npos);
  }
  SUBCASE("a problem larger than the memory says so") {
    Shell shell("memory=2000");
    const Result result = shell.run("tune " + shell.problem("vector_add") + " --no-store --quiet");
    CHECK(result.exit_code == 3);
    CHECK(result.err.find("hipErrorOutOfMemory") != std::string::npos);
  }
}
