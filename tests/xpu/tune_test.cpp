// SPDX-License-Identifier: Apache-2.0
// The whole way: the program, its workers, the plugin, the real loader, the software driver.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

/// Runs `bench` with a cache and a store of its own.
class Shell {
 public:
  Result run(const std::string &arguments, const std::string &environment = "") {
    const std::string command =
        "env -u BENCH_PLUGIN_PATH -u BENCH_PLUGINS XDG_CACHE_HOME=" +
        (folder.path() / "cache").string() +
        " BENCH_PLUGIN_SYSTEM_PATH=" BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1 " + environment +
        " " BENCH_TEST_BINARY_DIR "/bin/bench " + arguments + " >" +
        (folder.path() / "out").string() + " 2>" + (folder.path() / "err").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            read_all(folder.path() / "out"), read_all(folder.path() / "err")};
  }

  /// A problem whose module names the driver's own `vector_add`, quickest with blocks of 256.
  std::string problem() {
    std::vector<std::uint32_t> words{0x07230203, 0x00010000, 0, 100, 0, 6u << 16 | 15, 6, 1};
    std::string module(reinterpret_cast<const char *>(words.data()), words.size() * 4);
    module.append("vector_add\0\0", 12);
    folder.write("vector_add.spv", module);
    const auto vector = [](const char *name, const char *access, const char *fill) {
      return json{
          {"Name", name},     {"Type", "float"},  {"MemoryType", "Vector"},  {"AccessType", access},
          {"FillType", fill}, {"FillValue", 1.0}, {"Size", "ProblemSize[0]"}};
    };
    json c = vector("c", "WriteOnly", "Constant");
    c["Output"] = 1;
    const json document{
        {"General", {{"BenchmarkName", "vector_add"}, {"FormatVersion", "1.0.0"}}},
        {"ConfigurationSpace",
         {{"TuningParameters",
           {{{"Name", "block"},
             {"Type", "int"},
             {"Values", "[32, 64, 128, 256, 512, 1024]"},
             {"Default", 32}}}}}},
        {"KernelSpecification",
         {{"Language", "SPIR-V"},
          {"KernelName", "vector_add"},
          {"KernelFile", "vector_add.spv"},
          {"ProblemSize", {65536}},
          {"LocalSize", {{"X", "block"}, {"Y", "1"}, {"Z", "1"}}},
          {"GlobalSize", {{"X", "ProblemSize[0] // block"}, {"Y", "1"}, {"Z", "1"}}},
          {"Arguments",
           {c,
            vector("a", "ReadOnly", "Random"),
            vector("b", "ReadOnly", "Random"),
            {{"Name", "n"},
             {"Type", "int32"},
             {"MemoryType", "Scalar"},
             {"FillType", "Constant"},
             {"FillValue", "ProblemSize[0]"}}}}}}};
    folder.write("vector_add.json", document.dump());
    return (folder.path() / "vector_add.json").string();
  }
  TempDir folder;
};

}  // namespace

TEST_CASE("devices of the driver stand beside the processor's, and JSON stays JSON") {
  Shell shell;
  const Result two = shell.run("devices --json", "BENCH_ZE_DEVICES=2 BENCH_ZE_PRINT='a banner'");
  CHECK(two.exit_code == 0);
  const json listed = json::parse(two.out, nullptr, false);
  REQUIRE_FALSE(listed.is_discarded());
  const std::string text = listed.dump();
  CHECK(text.find("xpu:0") != std::string::npos);
  CHECK(text.find("xpu:1") != std::string::npos);
  CHECK(text.find("cpu:0") != std::string::npos);
  CHECK(text.find("a banner") == std::string::npos);
}

TEST_CASE("a device that cannot be had is listed with its reason") {
  Shell shell;
  const Result none = shell.run("devices --json", "ZE_ENABLE_ALT_DRIVERS=/nonexistent.so");
  CHECK(none.exit_code == 0);
  CHECK(json::parse(none.out, nullptr, false).dump().find("zeInit") != std::string::npos);
}

TEST_CASE("the quickest configuration is found by each method, and timed by the device's clock") {
  Shell shell;
  const std::string problem = shell.problem();
  for (const char *method : {"event", "gate", "graph"}) {
    CAPTURE(method);
    const Result tuned = shell.run(
        "tune --no-store --json --device xpu:0 --method " + std::string(method) + " " + problem,
        "BENCH_ZE_PRINT='a banner'");
    REQUIRE_MESSAGE(tuned.exit_code == 0, tuned.err);
    const json result = json::parse(tuned.out, nullptr, false);
    REQUIRE_FALSE(result.is_discarded());
    REQUIRE(result["results"].size() == 6);
    double best_ms = 1e9;
    int best_block = 0;
    for (const json &one : result["results"]) {
      CHECK(one["invalidity"] == "correct");
      const double ms = one["measurements"][0]["value"];
      if (ms < best_ms) {
        best_ms = ms;
        best_block = one["configuration"]["block"];
      }
    }
    CHECK(best_block == 256);
    // 2000 ns and one for each 64 threads, to a tick of 80 ns.
    CHECK(best_ms == doctest::Approx(0.003024).epsilon(0.04));
  }
}

TEST_CASE("the OpenCL problems are whole, and without a compiler the line says what brings one") {
  Shell shell;
  const std::pair<const char *, int> problems[] = {
      {"gemm", 20}, {"conv2d", 48}, {"reduce", 27}, {"softmax", 12}};
  for (const auto &[name, valid] : problems) {
    CAPTURE(name);
    const std::string file =
        std::string(BENCH_TEST_SOURCE_DIR "/examples/") + name + "/" + name + "_opencl.json";
    const Result counted = shell.run("tune --dry-run " + file);
    CHECK(counted.exit_code == 0);
    CHECK(counted.out.find(std::to_string(valid) + " valid") != std::string::npos);
    // An empty file by the compiler's name: none, wherever the test runs.
    shell.folder.write("libocloc.so", "");
    const Result none = shell.run("tune --no-store --device xpu:0 " + file,
                                  "LD_LIBRARY_PATH=" + shell.folder.path().string());
    CHECK(none.exit_code == 3);
    CHECK(none.err.find("intel-opencl-icd") != std::string::npos);
  }
}
