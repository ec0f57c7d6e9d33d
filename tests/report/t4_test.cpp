// SPDX-License-Identifier: Apache-2.0
#include "report/t4.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "report/json_text.hpp"

using namespace bench::report;
using nlohmann::json;

namespace {

/// What T4 1.0.0 asks of a document: empty if it is met, else the first breach.
std::string breach(const json &document) {
  if (!document.is_object()) return "no object";
  if (!document.contains("schema_version") || !document["schema_version"].is_string()) {
    return "schema_version";
  }
  if (!document.contains("results") || !document["results"].is_array()) return "results";
  static const std::set<std::string> words{"timeout",     "compile",     "runtime",
                                           "correctness", "constraints", "correct"};
  for (const json &result : document["results"]) {
    for (const char *name : {"configuration", "times", "invalidity", "correctness"}) {
      if (!result.contains(name)) return std::string("required ") + name;
    }
    if (!result["configuration"].is_object()) return "configuration";
    if (!result["times"].is_object()) return "times";
    for (const char *name : {"compilation_time", "framework", "search_algorithm", "validation"}) {
      if (result["times"].contains(name) && !result["times"][name].is_number()) return name;
    }
    if (result["times"].contains("runtimes") && !result["times"]["runtimes"].is_array()) {
      return "runtimes";
    }
    if (!result["invalidity"].is_string() || words.count(result["invalidity"]) == 0) {
      return "invalidity";
    }
    if (!result["correctness"].is_number()) return "correctness";
    if (result.contains("timestamp") && !result["timestamp"].is_string()) return "timestamp";
    if (result.contains("objectives") && !result["objectives"].is_array()) return "objectives";
    for (const json &each : result.value("measurements", json::array())) {
      if (!each["name"].is_string() || !each["unit"].is_string()) return "measurement";
      const json &value = each["value"];
      if (!value.is_number() && !value.is_string() && !value.is_array()) return "value";
    }
  }
  return "";
}

T4Candidate candidate(const std::string &state, std::optional<double> median_ns = {}) {
  T4Candidate made;
  made.configuration = "{\"tile\":\"" + state + "\"}";
  made.state = state;
  made.median_ns = median_ns;
  if (median_ns) {
    made.interval_ns = {*median_ns - 1, *median_ns + 1};
    made.runtimes_ns = {*median_ns, *median_ns};
    made.samples = 2;
  }
  return made;
}

const char *const states[] = {"not-tested",    "rejected", "compile-failed", "out-of-resources",
                              "launch-failed", "timeout",  "wrong-output",   "unverified",
                              "non-finite",    "crashed",  "device-lost",    "cancelled",
                              "pruned"};

T4Input everything() {
  T4Input input;
  input.candidates.push_back(candidate("measured", 2.5e6));
  input.candidates[0].compile_ns = 3e9;
  for (const char *state : states) input.candidates.push_back(candidate(state));
  input.winner = input.candidates[0].configuration;
  input.default_configuration = input.candidates[2].configuration;
  input.tie_set = {input.winner};
  input.space_raw = 20;
  input.stop_reason = "separated";
  input.measured = 1;
  input.extras_text = "{\"problem\":\"gemm\"}";
  return input;
}

}  // namespace

TEST_CASE("a document with every end state is T4 1.0.0") {
  const json document = t4_document(everything());
  CHECK(breach(document) == "");
  CHECK(document["schema_version"] == "1.0.0");
  CHECK(document["metadata"]["timeunit"] == "milliseconds");
  REQUIRE(document["results"].size() == 11);  // all but the three that never ran
  const json &first = document["results"][0];
  CHECK(first["invalidity"] == "correct");
  CHECK(first["correctness"] == 1);
  CHECK(first["times"]["compilation_time"] == 3000.0);
  CHECK(first["times"]["runtimes"] == json({2.5, 2.5}));
  CHECK(first["measurements"][0]["value"] == 2.5);
  CHECK(document["results"][1]["correctness"] == 0);
}

TEST_CASE("the check itself refuses broken documents") {
  json document = t4_document(everything());
  json broken = document;
  broken["results"][0]["invalidity"] = "fine";
  CHECK(breach(broken) == "invalidity");
  broken = document;
  broken["results"][0].erase("times");
  CHECK(breach(broken) == "required times");
  broken = document;
  broken["results"][0]["times"]["compilation_time"] = nullptr;
  CHECK(breach(broken) == "compilation_time");
}

TEST_CASE("end states and T4's words") {
  CHECK(std::string(t4_invalidity("rejected")) == "constraints");
  CHECK(std::string(t4_invalidity("compile-failed")) == "compile");
  CHECK(std::string(t4_invalidity("crashed")) == "runtime");
  CHECK(std::string(t4_invalidity("timeout")) == "timeout");
  CHECK(std::string(t4_invalidity("non-finite")) == "correctness");
  CHECK(t4_invalidity("pruned") == nullptr);
  CHECK_THROWS_AS(t4_invalidity("fine"), bench::Failure);
}

TEST_CASE("a pruned candidate that was timed is a correct result") {
  T4Input input;
  input.candidates = {candidate("pruned", 5e6)};
  CHECK(t4_document(input)["results"][0]["invalidity"] == "correct");
}

TEST_CASE("x-bench has every member, and a reason beside each null") {
  const json extras = t4_document(everything())["x-bench"];
  CHECK(extras["problem"] == "gemm");
  CHECK(extras["space"]["raw"] == 20);
  CHECK(extras["space"]["valid"].is_null());
  CHECK(extras["space"]["valid_reason"] == "not recorded");
  CHECK(extras["winner"]["configuration"]["tile"] == "measured");
  CHECK(extras["winner"]["median_ns"] == 2.5e6);
  CHECK(extras["winner"]["interval_ns"] == json({2.5e6 - 1, 2.5e6 + 1}));
  CHECK(extras["default"]["median_ns"].is_null());
  CHECK(extras["default"]["median_ns_reason"] == "rejected");
  CHECK(extras["tie_set"].size() == 1);
  CHECK(extras["from_store"] == false);
  CHECK(extras["states"].size() == 14);
  for (const auto &[name, count] : extras["states"].items()) CHECK(count == 1);
  for (const char *name : {"compile", "warmup", "flush", "timed", "idle", "total"}) {
    CHECK(extras["cost_s"].contains(name));
    CHECK(extras["cost_s"].contains(std::string(name) + "_reason"));
  }
  CHECK(extras["candidates"].size() == 14);
  CHECK(extras["candidates"][0]["winner"] == true);
  CHECK(extras["candidates"][0]["tie"] == true);
}

TEST_CASE("details of a candidate join its row, and never replace what the row says") {
  T4Input input;
  input.candidates = {candidate("measured", 100.0)};
  input.candidates[0].details = R"({"GB_per_s":3.5,"median_ns":1,"resources":{"registers":32}})";
  const json row = t4_document(input)["x-bench"]["candidates"][0];
  CHECK(row["GB_per_s"] == 3.5);
  CHECK(row["resources"]["registers"] == 32);
  CHECK(row["median_ns"] == 100.0);
  input.candidates[0].details = "[1]";
  CHECK_THROWS_AS(t4_document(input), bench::Failure);
}

TEST_CASE("nothing valid: winner and default are null with reasons") {
  const json extras = t4_document(T4Input{})["x-bench"];
  CHECK(extras["winner"].is_null());
  CHECK(extras["winner_reason"].is_string());
  CHECK(extras["default"].is_null());
  CHECK(breach(t4_document(T4Input{})) == "");
}

TEST_CASE("numbers that are not finite never reach the document") {
  T4Input input = everything();
  input.candidates[0].median_ns = std::numeric_limits<double>::quiet_NaN();
  input.candidates[0].interval_ns->second = std::numeric_limits<double>::infinity();
  input.candidates[0].runtimes_ns[0] = std::numeric_limits<double>::infinity();
  input.candidates[0].compile_ns = std::numeric_limits<double>::quiet_NaN();
  const json document = t4_document(input);
  CHECK(breach(document) == "");
  CHECK(document["results"][0]["times"]["runtimes"] == json::array({2.5}));
  CHECK(document["x-bench"]["winner"]["interval_ns"].is_null());
  CHECK(json::parse(json_text(document)) == document);
}

TEST_CASE("texts that are no JSON object are refused") {
  T4Input input = everything();
  SUBCASE("configuration") {
    input.candidates[0].configuration = "tile=3";
  }
  SUBCASE("array") {
    input.candidates[0].configuration = "[1]";
  }
  SUBCASE("metadata") {
    input.metadata_text = "";
  }
  SUBCASE("state") {
    input.candidates[0].state = "fine";
  }
  CHECK_THROWS_AS(t4_document(input), bench::Failure);
}
