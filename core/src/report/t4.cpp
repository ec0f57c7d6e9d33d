// SPDX-License-Identifier: Apache-2.0
#include "report/t4.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "report/json_text.hpp"

namespace bench::report {
namespace {

using nlohmann::json;

constexpr double ns_per_ms = 1e6;

struct StateWord {
  const char *state;
  const char *invalidity;
};
constexpr StateWord state_words[] = {
    {"measured", "correct"},
    {"not-tested", nullptr},
    {"rejected", "constraints"},
    {"compile-failed", "compile"},
    {"out-of-resources", "constraints"},  // as other tuners count too much shared memory
    {"launch-failed", "runtime"},
    {"timeout", "timeout"},
    {"wrong-output", "correctness"},
    {"unverified", "correctness"},
    {"non-finite", "correctness"},
    {"crashed", "runtime"},
    {"device-lost", "runtime"},
    {"cancelled", nullptr},
    {"pruned", nullptr},
};

json object_of(const std::string &text, const char *name) {
  json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  std::string(name) + " is '" + text + "', expected a JSON object", "report",
                  "give names with their values");
  }
  return parsed;
}

json interval_json(const std::optional<std::pair<double, double>> &interval) {
  if (!interval) return nullptr;
  json pair = {to_json_number(interval->first), to_json_number(interval->second)};
  return pair[0].is_null() || pair[1].is_null() ? json(nullptr) : pair;
}

/// T4's members are numbers or absent: never null.
void set_ms(json &object, const char *name, const std::optional<double> &time_ns) {
  const json value = to_json_number(time_ns);
  if (!value.is_null()) object[name] = value.get<double>() / ns_per_ms;
}

/// With the reason beside it when it is null.
void set_or_reason(json &object, const std::string &name, json value, const std::string &reason) {
  if (value.is_null()) object[name + "_reason"] = reason;
  object[name] = std::move(value);
}

/// An interrupted or pruned candidate that has a time was run and was not found wrong.
const char *invalidity_of(const T4Candidate &candidate) {
  const char *word = t4_invalidity(candidate.state);
  return word == nullptr && candidate.median_ns ? "correct" : word;
}

json result_json(const T4Candidate &candidate, const char *invalidity,
                 const std::string &objective) {
  json times = json::object();
  set_ms(times, "compilation_time", candidate.compile_ns);
  set_ms(times, "framework", candidate.framework_ns);
  set_ms(times, "search_algorithm", candidate.search_ns);
  set_ms(times, "validation", candidate.validation_ns);
  json runtimes = json::array();
  for (const double runtime : candidate.runtimes_ns) {
    const json value = to_json_number(runtime);
    if (!value.is_null()) runtimes.push_back(runtime / ns_per_ms);
  }
  times["runtimes"] = std::move(runtimes);
  json measurements = json::array();
  if (const json median = to_json_number(candidate.median_ns); !median.is_null()) {
    measurements.push_back(
        {{"name", "time"}, {"value", median.get<double>() / ns_per_ms}, {"unit", "milliseconds"}});
  }
  if (const json joules = to_json_number(candidate.joules); !joules.is_null())
    measurements.push_back({{"name", "energy"}, {"value", joules}, {"unit", "joules"}});
  const bool correct = std::string(invalidity) == "correct";
  json result = {{"configuration", object_of(candidate.configuration, "a configuration")},
                 {"objectives", json::array({objective})},
                 {"times", std::move(times)},
                 {"invalidity", invalidity},
                 {"correctness", correct ? 1 : 0},
                 {"measurements", std::move(measurements)}};
  if (!candidate.timestamp.empty()) result["timestamp"] = candidate.timestamp;
  return result;
}

const T4Candidate *candidate_of(const T4Input &input, const std::string &configuration) {
  const auto at =
      std::find_if(input.candidates.begin(), input.candidates.end(),
                   [&](const T4Candidate &each) { return each.configuration == configuration; });
  return at == input.candidates.end() ? nullptr : &*at;
}

json candidate_json(const T4Input &input, const T4Candidate &candidate) {
  json row = {
      {"index", candidate.index},
      {"configuration", object_of(candidate.configuration, "a configuration")},
      {"state", candidate.state},
      {"interval_ns", interval_json(candidate.interval_ns)},
      {"samples", candidate.samples},
      {"verified", candidate.verified},
      {"winner", candidate.configuration == input.winner},
      {"default", candidate.configuration == input.default_configuration},
      {"tie", std::count(input.tie_set.begin(), input.tie_set.end(), candidate.configuration) > 0}};
  set_or_reason(row, "median_ns", to_json_number(candidate.median_ns),
                candidate.error.empty() ? candidate.state : candidate.error);
  if (!candidate.error.empty()) row["error"] = candidate.error;
  if (!candidate.details.empty()) {
    const json details = object_of(candidate.details, "the details of a candidate");
    row.insert(details.begin(), details.end());  // never over a member of the row
  }
  return row;
}

json chosen_json(const T4Input &input, const std::string &configuration, bool with_interval) {
  if (configuration.empty()) return nullptr;
  json chosen = {{"configuration", object_of(configuration, "a configuration")}};
  const T4Candidate *candidate = candidate_of(input, configuration);
  set_or_reason(chosen, "median_ns",
                candidate != nullptr ? to_json_number(candidate->median_ns) : json(nullptr),
                candidate != nullptr ? candidate->state : "not among the candidates");
  if (with_interval) {
    set_or_reason(chosen, "interval_ns",
                  candidate != nullptr ? interval_json(candidate->interval_ns) : json(nullptr),
                  "too few samples for an interval");
  }
  return chosen;
}

json cost_json(const T4Input &input) {
  json cost = json::object();
  const auto set = [&](const char *name, const std::optional<double> &value) {
    set_or_reason(cost, name, to_json_number(value), input.absent_reason);
  };
  set("compile", input.cost.compile_s);
  set("warmup", input.cost.warmup_s);
  set("flush", input.cost.flush_s);
  set("timed", input.cost.timed_s);
  set("idle", input.cost.idle_s);
  set("total", input.cost.total_s);
  return cost;
}

json extras_json(const T4Input &input) {
  json extras = object_of(input.extras_text, "the extras");
  json states = json::object();
  for (const StateWord &word : state_words) states[word.state] = 0;
  json candidates = json::array();
  for (const T4Candidate &candidate : input.candidates) {
    states[candidate.state] = states[candidate.state].get<std::uint64_t>() + 1;
    candidates.push_back(candidate_json(input, candidate));
  }
  json ties = json::array();
  for (const std::string &tie : input.tie_set) ties.push_back(object_of(tie, "a tie"));
  json space = json::object();
  const auto set_size = [&](const char *name, const std::optional<std::uint64_t> &size) {
    set_or_reason(space, name, size ? json(*size) : json(nullptr), input.absent_reason);
  };
  set_size("raw", input.space_raw);
  set_size("valid", input.space_valid);
  extras["space"] = std::move(space);
  set_or_reason(extras, "winner", chosen_json(input, input.winner, true),
                "no configuration is valid");
  set_or_reason(extras, "default", chosen_json(input, input.default_configuration, false),
                "no default is declared");
  extras["tie_set"] = std::move(ties);
  extras["objective"] = input.objective;
  extras["stop_reason"] = input.stop_reason;
  extras["measured"] = input.measured;
  extras["from_store"] = input.from_store;
  extras["states"] = std::move(states);
  extras["cost_s"] = cost_json(input);
  extras["candidates"] = std::move(candidates);
  return extras;
}

}  // namespace

const char *t4_invalidity(const std::string &state) {
  for (const StateWord &word : state_words) {
    if (state == word.state) return word.invalidity;
  }
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "'" + state + "' is no end state", "report",
                "use the names of end_state_name()");
}

json t4_document(const T4Input &input) {
  json results = json::array();
  for (const T4Candidate &candidate : input.candidates) {
    const char *invalidity = invalidity_of(candidate);
    if (invalidity != nullptr)
      results.push_back(result_json(candidate, invalidity, input.objective));
  }
  json metadata = object_of(input.metadata_text, "the metadata");
  metadata["timeunit"] = "milliseconds";  // 1.0.0 has no member for it, 1.1.0 has this one
  return {{"schema_version", "1.0.0"},
          {"metadata", std::move(metadata)},
          {"results", std::move(results)},
          {"x-bench", extras_json(input)}};
}

}  // namespace bench::report
