// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.hpp"
#include "problem/problem.hpp"
#include "temp_dir.hpp"

using namespace bench::problem;
using bench::Failure;
using bench::test::TempDir;
using nlohmann::json;

namespace {

json valid() {
  return json::parse(R"json({
    "General": {"BenchmarkName": "blur"},
    "ConfigurationSpace": {
      "TuningParameters": [
        {"Name": "bx", "Type": "int", "Values": "[8, 16, 32]", "Default": 16},
        {"Name": "tile", "Type": "int", "Values": [1, 2, 4], "Default": 2}],
      "Conditions": [{"Expression": "bx * tile <= 64", "Parameters": ["bx", "tile"]}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "blur", "KernelFile": "blur.cu",
      "CompilerOptions": ["-O3"],
      "ProblemSize": [1000, 7], "GridDivX": ["bx", "tile"], "GridDivY": null,
      "GlobalSize": {"X": "99", "Y": "99"}, "GlobalSizeType": "CUDA",
      "LocalSize": {"X": "bx", "Y": "1", "Z": "1"},
      "SharedMemory": "4 * bx",
      "Arguments": [
        {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "ProblemSize[0] * max(tile)", "FillValue": 2.0},
        {"Name": "weights", "Type": "float", "MemoryType": "Vector", "MemType": "Constant", "AccessType": "ReadOnly", "Size": 9},
        {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000, "Output": 1},
        {"Name": "scratch", "Type": "float", "MemoryType": "Local", "Size": "2 * bx"},
        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}],
      "ReferenceArguments": [{"Name": "out", "TargetName": "out", "ValidationMethod": "SideBySideComparison", "ValidationThreshold": 0.25}]
}
, "x-bench" : {
  "Bytes" : "8 * ProblemSize[0]", "Repeatable" : true
}
})json");
}

Problem parse(const json &document) {
  return parse_problem(document.dump(), "/nowhere/problem.json");
}

/// The failure of a document changed by `edit`; its place must name the file.
bench::ErrorText failure(const std::function<void(json &)> &edit) {
  json document = valid();
  edit(document);
  try {
    parse(document);
  } catch (const Failure &caught) {
    CHECK_MESSAGE(caught.text().where.find("/nowhere/problem.json") != std::string::npos,
                  caught.what());
    CHECK_FALSE(caught.text().what.empty());
    CHECK_FALSE(caught.text().hint.empty());
    return caught.text();
  }
  FAIL("no failure");
  return {};
}

}  // namespace

TEST_CASE("reads a problem as people write it") {
  const Problem problem = parse(valid());
  CHECK(problem.name == "blur");
  CHECK(problem.space.size() == 8);
  CHECK(configuration_text(problem.space, problem.default_configuration) == "bx=16, tile=2");
  CHECK(problem.kernel.options == std::vector<std::string>{"-O3"});
  CHECK(problem.kernel.file == "/nowhere/blur.cu");
  CHECK(problem.repeatable);
  REQUIRE(problem.arguments.size() == 5);
  CHECK(problem.arguments[0].count == 4000);  // max over the values of a parameter
  CHECK(problem.arguments[0].fill.kind == FillKind::random);
  CHECK(problem.arguments[1].kind == MemoryKind::symbol);  // constant memory of a GPU
  CHECK(problem.arguments[2].output);
  CHECK(problem.arguments[4].kind == MemoryKind::scalar);
  CHECK(problem.references[0].method == ValidationMethod::each_difference);
  CHECK(problem.references[0].threshold == 0.25);
  CHECK(problem.metric(problem.bytes, problem.default_configuration, "Bytes") == 8000.0);
}

TEST_CASE("ProblemSize with divisors beats a GlobalSize that disagrees") {
  json document = valid();
  const Problem problem = parse(document);
  const Geometry geometry = problem.geometry(problem.default_configuration);
  CHECK(geometry.grid ==
        std::array<std::uint32_t, 3>{32, 7, 1});  // ceil(1000 / (16 * 2)), 7 undivided
  CHECK(geometry.block == std::array<std::uint32_t, 3>{16, 1, 1});
  CHECK(problem.shared_bytes(problem.default_configuration) == 64);
  CHECK(problem.local_bytes(problem.arguments[3], problem.default_configuration) == 128);

  document["KernelSpecification"].erase("GridDivX");
  document["KernelSpecification"].erase("GridDivY");
  CHECK(parse(document).geometry(problem.default_configuration).grid[0] == 99);
  document["KernelSpecification"]["GlobalSizeType"] = "OpenCL";  // counts threads
  CHECK(parse(document).geometry(problem.default_configuration).grid[0] == 7);
  document["KernelSpecification"]["GlobalSize"]["X"] = "0 * bx";
  CHECK_THROWS_AS(parse(document).geometry(problem.default_configuration), Failure);
}

TEST_CASE("an axis without divisors is divided by its block_size parameter, if there is one") {
  json document = valid();
  document["ConfigurationSpace"]["TuningParameters"].push_back(
      {{"Name", "block_size_y"}, {"Type", "int"}, {"Values", "[4]"}});
  document["KernelSpecification"].erase("GridDivY");
  const Problem problem = parse(document);
  CHECK(problem.geometry(problem.default_configuration).grid ==
        std::array<std::uint32_t, 3>{32, 2, 1});  // ceil(7 / 4)
}

TEST_CASE("the largest number of threads does not wrap to no blocks") {
  json document = valid();
  document["KernelSpecification"].erase("ProblemSize");
  document["KernelSpecification"].erase("GridDivX");
  document["KernelSpecification"].erase("GridDivY");
  document["KernelSpecification"]["Arguments"] = json::array();
  document["KernelSpecification"].erase("ReferenceArguments");
  document.erase("x-bench");
  document["KernelSpecification"]["GlobalSizeType"] = "OpenCL";
  document["KernelSpecification"]["GlobalSize"]["X"] = "4294967295";
  const Problem problem = parse(document);
  CHECK(problem.geometry(problem.default_configuration).grid[0] == 268435456);  // in blocks of 16
}

TEST_CASE("defaults that are no valid configuration move to the nearest, with a note") {
  json document = valid();
  document["ConfigurationSpace"]["TuningParameters"][0]["Default"] = 32;
  document["ConfigurationSpace"]["TuningParameters"][1]["Default"] = 4;
  const Problem problem = parse(document);
  REQUIRE(problem.notes.size() == 1);
  CHECK(problem.notes[0].find("nearest") != std::string::npos);
  document["ConfigurationSpace"]["TuningParameters"][0]["Default"] = 17;  // not listed at all
  document["ConfigurationSpace"]["TuningParameters"][1]["Default"] = 2;
  CHECK(configuration_text(problem.space, parse(document).default_configuration) ==
        "bx=16, tile=2");
}

TEST_CASE("what is not known is a note, what is not supported an error") {
  json document = valid();
  document["KernelSpecification"]["Colour"] = "blue";
  CHECK(parse(document).notes.back().find("Colour") != std::string::npos);
  for (const char *fill : {"Script", "Generator", "BinaryHDF"}) {
    const auto text =
        failure([&](json &d) { d["KernelSpecification"]["Arguments"][0]["FillType"] = fill; });
    CHECK(text.status == BENCH_ERROR_UNSUPPORTED);
    CHECK(text.hint.find("BinaryRaw") != std::string::npos);
  }
}

TEST_CASE("mistakes are named with their place") {
  auto &&arguments = [](json &d) -> json & { return d["KernelSpecification"]["Arguments"]; };
  CHECK(failure([&](json &d) { arguments(d)[0]["Type"] = "flaot"; }).what.find("flaot") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[0]["Size"] = "bx"; }).hint.find("max(bx)") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[0]["Size"] = "0"; }).what.find("0") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[0]["Size"] = "1e18"; }).what.find("1e") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[4]["FillValue"] = 1e12; }).what.find("int32") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[1]["Name"] = "in"; }).what.find("twice") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[0]["MemoryType"] = "Heap"; }).what.find("Heap") !=
        std::string::npos);
  CHECK(failure([&](json &d) { arguments(d)[0]["AccessType"] = "Maybe"; }).what.find("Maybe") !=
        std::string::npos);
  CHECK(failure([&](json &d) {
          arguments(d)[0]["FillType"] = "BinaryRaw";
        }).what.find("DataSource") != std::string::npos);
  CHECK(failure([](json &d) {
          d["KernelSpecification"]["ReferenceArguments"][0]["TargetName"] = "outt";
        }).hint.find("out") != std::string::npos);
  CHECK(failure([](json &d) {
          d["KernelSpecification"]["ReferenceArguments"][0]["ValidationMethod"] = "Hope";
        }).what.find("Hope") != std::string::npos);
  CHECK(failure([](json &d) {
          d["KernelSpecification"].erase("KernelName");
        }).what.find("KernelName") != std::string::npos);
  CHECK(failure([](json &d) { d.erase("ConfigurationSpace"); }).what.find("ConfigurationSpace") !=
        std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["TuningParameters"] = json::array();
        }).what.find("no parameter") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "list(range(0, 1000000000))";
        }).what.find("values") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["TuningParameters"][0]["Values"] = "[1, 'x']";
        }).what.find("x is no int") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["TuningParameters"][0]["Name"] = "a b";
        }).what.find("a b") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["TuningParameters"][0]["Type"] = "int128";
        }).what.find("int128") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["Conditions"][0]["Expression"] = "bx * tiel <= 64";
        }).hint.find("tile") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["Conditions"][0]["Expression"] = "bx / (tile - 1) > 1";
        }).what.find("zero") != std::string::npos);
  CHECK(failure([](json &d) {
          d["ConfigurationSpace"]["Conditions"][0]["Expression"] =
              std::string(10'000, '(') + "1" + std::string(10'000, ')');
        }).what.find("levels") != std::string::npos);
  CHECK(failure([](json &d) {
          d["Budget"] = {{"Type", "Patience"}, {"BudgetValue", 3}};
        }).what.find("Patience") != std::string::npos);
  CHECK(failure([](json &d) {
          d["x-bench"]["ReferenceKernel"] = {{"KernelName", "r"}};
        }).what.find("KernelFile") != std::string::npos);
}

TEST_CASE("broken JSON is told with line and column") {
  try {
    parse_problem("{\n  \"a\": 1,\n  \"b\" 2\n}", "/nowhere/problem.json");
    FAIL("no failure");
  } catch (const Failure &caught) {
    CHECK(caught.text().where.find("line 3, column 7") != std::string::npos);
    CHECK_FALSE(caught.text().hint.empty());
  }
  for (const char *text : {"", "[]", "null", "3", "\"text\"", "{", "\xff\xfe"})
    CHECK_THROWS_AS(parse_problem(text, "/nowhere/x.json"), Failure);
  CHECK_THROWS_AS(parse_problem(std::string(100'000, '['), "/nowhere/x.json"), Failure);
  CHECK_THROWS_AS(read_problem("/nowhere/absent.json"), Failure);
  TempDir folder;
  CHECK_THROWS_AS(read_problem(folder.path()), Failure);
}

TEST_CASE("any damage to a file ends in a problem or a named failure") {
  std::mt19937 random(3);
  const std::string text = valid().dump(1);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    if (round % 3 == 0) damaged.resize(random() % damaged.size());
    for (unsigned edit = 0; edit < 1 + random() % 3 && !damaged.empty(); ++edit)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      parse_problem(damaged, "/nowhere/x.json");
      ++read;
    } catch (const Failure &) {
    }
  }
  CHECK(read > 0);
}

TEST_CASE("identity follows what changes the result, not where the file lies") {
  TempDir folder;
  folder.write("blur.cu", "__global__ void blur() {}");
  folder.write("elsewhere/blur.cu", "__global__ void blur() {}");
  const auto identity = [&](const json &document, const char *place) {
    return identity_hash(parse_problem(document.dump(), folder.path() / place));
  };
  const std::string base = identity(valid(), "p.json");
  CHECK(identity(valid(), "elsewhere/q.json") == base);
  const std::function<void(json &)> edits[] = {
      [](json &d) { d["KernelSpecification"]["CompilerOptions"] = {"-O2"}; },
      [](json &d) { d["KernelSpecification"]["Arguments"][0]["Size"] = 4000; },
      [](json &d) { d["KernelSpecification"]["Arguments"][0]["FillValue"] = 3.0; },
      [](json &d) { d["KernelSpecification"]["Arguments"][0]["RandomSeed"] = 9; },
      [](json &d) {
        d["KernelSpecification"]["ProblemSize"] = {1001, 7};
      },
      [](json &d) { d["KernelSpecification"]["LocalSize"]["X"] = "bx * 1"; },
      [](json &d) { d["KernelSpecification"]["SharedMemory"] = "8 * bx"; },
      [](json &d) { d["ConfigurationSpace"]["Conditions"][0]["Expression"] = "bx * tile < 65"; },
      [](json &d) { d["x-bench"]["Repeatable"] = false; },
      [](json &d) {
        d["KernelSpecification"]["ReferenceArguments"][0]["ValidationThreshold"] = 0.5;
      },
  };
  for (std::size_t i = 0; i < std::size(edits); ++i) {
    json document = valid();
    edits[i](document);
    CHECK_MESSAGE(identity(document, "p.json") != base, i);
  }
  folder.write("blur.cu", "__global__ void blur() { }");
  CHECK(identity(valid(), "p.json") != base);
}

TEST_CASE("the recorded problem files are read") {
  const std::filesystem::path hub = std::filesystem::path(BENCH_HUB_DIR) / "t1";
  if (!std::filesystem::exists(hub)) {
    std::cout << "skipped: no recorded spaces at " << hub << "\n";
    return;
  }
  const Problem convolution = read_problem(hub / "convolution_milo.json");
  // The file's GlobalSize speaks of 262144 elements; ProblemSize of 4096.
  const Geometry geometry = convolution.geometry(convolution.default_configuration);
  CHECK(geometry.grid[0] == 4096 / 16);
  CHECK(convolution.arguments[1].count == std::uint64_t{4096 + 14} * (4096 + 14));
  CHECK(convolution.arguments[2].kind == MemoryKind::symbol);
}
