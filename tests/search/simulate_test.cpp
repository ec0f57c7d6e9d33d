// SPDX-License-Identifier: Apache-2.0
// `bench simulate`, as a user runs it.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "temp_dir.hpp"

using bench::test::TempDir;
using nlohmann::json;

namespace {

struct Ran {
  int code = -1;
  std::string out;
};

Ran bench_program(const std::string &arguments) {
  Ran ran;
  FILE *pipe = ::popen(
      (std::string(BENCH_TEST_BINARY_DIR "/bin/bench ") + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    ran.out.append(buffer, n);
  ran.code = WEXITSTATUS(::pclose(pipe));
  return ran;
}

/// A valley of 40 by 40, a corner of which failed.
std::filesystem::path recording(const TempDir &folder) {
  json rows;
  for (int a = 0; a < 40; ++a) {
    for (int b = 0; b < 40; ++b) {
      json row{
          {"a", a}, {"b", b}, {"time", 1.0 + 0.01 * ((a - 11) * (a - 11) + (b - 29) * (b - 29))}};
      if (a > 35) row["time"] = "RuntimeFailedConfig";
      rows[std::to_string(a) + "," + std::to_string(b)] = row;
    }
  }
  return folder.write("space.json", json{{"device_name", "d & d"},
                                         {"kernel_name", "k"},
                                         {"tune_params_keys", {"a", "b"}},
                                         {"cache", rows}}
                                        .dump());
}

}  // namespace

TEST_CASE("strategies are scored: random search about 0, those that learn above") {
  const TempDir folder;
  const auto file = recording(folder);
  const Ran ran = bench_program("simulate " + file.string() +
                                " --strategy random --strategy genetic --repeats 40 --json");
  REQUIRE_MESSAGE(ran.code == 0, ran.out);
  const json document = json::parse(ran.out);
  CHECK(document["configurations"] == 1600);
  CHECK(document["failed"] == 160);
  CHECK(document["optimum_ns"] == 1e6);
  const double random = document["strategies"][0]["score"];
  CHECK(std::abs(random) < 0.3);
  CHECK(document["strategies"][1]["score"].get<double>() > random + 0.1);
  // The same seed gives the same figures.
  CHECK(bench_program("simulate " + file.string() +
                      " --strategy random --strategy genetic --repeats 40 --json")
            .out == ran.out);
}

TEST_CASE("the plot is a whole SVG with a line for each strategy") {
  const TempDir folder;
  const auto file = recording(folder), plot = folder.path() / "plot.svg";
  const Ran ran = bench_program("simulate " + file.string() +
                                " --repeats 2 --evaluations 60 --plot " + plot.string());
  REQUIRE_MESSAGE(ran.code == 0, ran.out);
  CHECK(ran.out.find("portfolio") != std::string::npos);
  std::ifstream in(plot);
  const std::string svg{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(svg.rfind("</svg>\n") == svg.size() - 7);
  CHECK(svg.find("random (expected)") != std::string::npos);
  CHECK(svg.find("d &amp; d") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
}

namespace {

json parameter(const char *name, const char *values) {
  return {{"Name", name}, {"Type", "int"}, {"Values", values}, {"Default", 0}};
}

/// The same valley as recording()'s as a problem; a condition leaves half of it.
json valley(const char *language) {
  return {{"ConfigurationSpace",
           {{"TuningParameters",
             {parameter("a", "list(range(0, 40))"), parameter("b", "list(range(0, 40))")}},
            {"Conditions", {{{"Expression", "(a + b) % 2 == 0"}, {"Parameters", {"a", "b"}}}}}}},
          {"KernelSpecification",
           {{"Language", language},
            {"KernelName", "k"},
            {"KernelFile", "kernel.sim"},
            {"GlobalSize", {{"X", "1"}}}}}};
}

}  // namespace

TEST_CASE("a problem is simulated by its program, or by somebody's recording of it") {
  const TempDir folder;
  folder.write("kernel.sim",
               "time = 1e6 * (1 + 0.01 * ((a - 11) ** 2 + (b - 29) ** 2))\ncrash when a > 35\n");
  const auto sim = folder.write("sim.json", valley("sim").dump());
  const auto cuda = folder.write("cuda.json", valley("CUDA").dump());
  const std::string options = " --strategy genetic --repeats 5 --json";
  const Ran by_program = bench_program("simulate " + sim.string() + options);
  REQUIRE_MESSAGE(by_program.code == 0, by_program.out);
  const json program = json::parse(by_program.out);
  CHECK(program["configurations"] == 800);
  CHECK(program["failed"] == 80);
  CHECK(program["optimum_ns"] == 1e6);
  const Ran by_times = bench_program("simulate " + cuda.string() + " --times " +
                                     recording(folder).string() + options);
  REQUIRE_MESSAGE(by_times.code == 0, by_times.out);
  // The same space with the same times is searched in the same way.
  CHECK(json::parse(by_times.out)["strategies"] == program["strategies"]);
  const Ran none = bench_program("simulate " + cuda.string());
  CHECK(none.code == 2);
  CHECK(none.out.find("--times") != std::string::npos);
  CHECK(bench_program("simulate " + recording(folder).string() + " --times x").code == 2);
  folder.write("kernel.sim", "time = 10 +\n");
  const Ran wrong = bench_program("simulate " + sim.string());
  CHECK(wrong.code == 2);
  CHECK(wrong.out.find("line 1") != std::string::npos);
}

TEST_CASE("what cannot be simulated is told, with the code for wrong usage") {
  const TempDir folder;
  CHECK(bench_program("simulate " + folder.write("no.json", "{}").string()).code == 2);
  CHECK(bench_program("simulate " + (folder.path() / "absent.json").string()).code == 2);
  CHECK(bench_program("simulate " + recording(folder).string() + " --strategy nope").code == 2);
}
