// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_report.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace bench::tune {

namespace {

using nlohmann::json;

/// JSON has no NaN: what is absent is null.
json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}
json number(const std::optional<double> &value) {
  return value ? number(*value) : json();
}

json value_json(const bench_value_v1 &value) {
  switch (value.type) {
    case BENCH_VALUE_INTEGER:
      return value.integer;
    case BENCH_VALUE_REAL:
      return number(value.real);
    case BENCH_VALUE_BOOLEAN:
      return value.integer != 0;
    case BENCH_VALUE_TEXT:
      return value.text ? value.text : "";
    default:
      return nullptr;
  }
}

json configuration_json(const bench_config_v1 &config) {
  json object = json::object();
  for (std::uint32_t at = 0; at < config.count; ++at)
    object[config.names[at]] = value_json(*config.values[at]);
  return object;
}

json entry_json(const TuneRequest &request, std::size_t index, const Racer &racer) {
  const bool timed = racer.state == EndState::measured && racer.summary.samples > 0;
  json entry{{"index", index},
             {"configuration", configuration_json(request.options.configs[index]->raw())},
             {"state", end_state_name(racer.state)},
             {"median_ns", timed ? number(racer.summary.median_ns) : json()},
             {"interval_ns", nullptr}};
  if (timed && racer.summary.interval)
    entry["interval_ns"] = {number(racer.summary.interval->lo), number(racer.summary.interval->hi)};
  if (!racer.error.what.empty()) entry["error"] = error_line(racer.error);
  return entry;
}

}  // namespace

json race_report(const TuneRequest &request, const std::vector<std::size_t> &candidates,
                 const RaceResult &result, std::uint32_t launches_per_window,
                 const std::vector<std::string> &notes) {
  json states = json::object(), all = json::array(), ties = json::array();
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const Racer &racer = result.racers[at];
    const std::string state = end_state_name(racer.state);
    states[state] = states.value(state, 0) + 1;
    all.push_back(entry_json(request, candidates[at], racer));
    if (candidates[at] == request.default_config) all.back()["default"] = true;
  }
  for (const std::size_t at : result.tie_set) ties.push_back(candidates[at]);
  json report{{"tuner", request.options.name},
              {"device", request.device_tag},
              {"key", request.key_text},
              {"policy", request.options.policy.text()},
              {"from_store", false},
              {"stop_reason", result.stop_reason},
              {"eps", request.options.eps},
              {"eps_reached", number(result.eps_reached)},
              {"delta", result.delta},
              {"gain", number(result.gain)},
              {"gain_lower_bound", number(result.gain_lower_bound)},
              {"default_kept", result.default_kept},
              {"states", states},
              {"tie_set", ties},
              {"launches_per_window", launches_per_window},
              {"notes", notes},
              {"warnings", json::array()},
              {"winner", nullptr},
              {"default", nullptr}};
  for (const json &entry : all) {
    if (result.winner && entry.at("index") == candidates[*result.winner]) report["winner"] = entry;
    if (entry.at("index") == request.default_config) report["default"] = entry;
  }
  report["interval"] = report["winner"].is_null() ? json() : report["winner"].at("interval_ns");
  report["configurations"] = std::move(all);
  return report;
}

void add_pruned(json &report, const TuneRequest &request, const std::vector<std::size_t> &pruned) {
  Racer racer;
  racer.state = EndState::pruned;
  for (const std::size_t index : pruned)
    report["configurations"].push_back(entry_json(request, index, racer));
  if (!pruned.empty()) report["states"][end_state_name(EndState::pruned)] = pruned.size();
}

std::string report_text(const json &report) {
  return report.dump(-1, ' ', false, json::error_handler_t::replace);
}

Failure no_valid_config(const TuneRequest &request, const std::vector<std::size_t> &candidates,
                        const RaceResult &result, bool device_lost) {
  std::array<std::size_t, end_state_count> count{};
  std::array<const Racer *, end_state_count> first{};
  for (const Racer &racer : result.racers) {
    const auto state = std::size_t(racer.state);
    if (!count[state]++) first[state] = &racer;
  }
  std::string what = "none of " + std::to_string(candidates.size()) + " configurations of '" +
                     request.options.name + "' is valid on " + request.device_tag + ":";
  for (std::size_t state = 0; state < end_state_count; ++state) {
    if (!count[state]) continue;
    what += "\n  " + std::to_string(count[state]) + " " + end_state_name(EndState(state));
    if (!first[state]->error.what.empty()) what += ", the first: " + first[state]->error.what;
  }
  if (count[std::size_t(EndState::not_tested)] == result.racers.size())
    return Failure(BENCH_ERROR_TIMEOUT,
                   "the time for the tune passed before anything of '" + request.options.name +
                       "' was measured on " + request.device_tag,
                   "bench_tuner_lookup", "give a larger max_time_ns, or 0 for no limit");
  if (device_lost)
    return Failure(BENCH_ERROR_DEVICE_LOST, what, "bench_tuner_lookup",
                   "start the process anew; leave out the configuration that lost the device");
  return Failure(BENCH_ERROR_NO_VALID_CONFIG, what, "bench_tuner_lookup",
                 "see what each reason says; check that the default runs with these arguments");
}

}  // namespace bench::tune
