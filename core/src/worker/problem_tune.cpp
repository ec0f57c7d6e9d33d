// SPDX-License-Identifier: Apache-2.0
#include "worker/problem_tune.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "report/json_text.hpp"
#include "report/t4.hpp"
#include "worker/tune_session.hpp"

namespace bench::worker {
namespace {

using nlohmann::json;
using tune::EndState;

constexpr double ns_per_s = 1e9;
constexpr double nanojoules_per_joule = 1e9;

void write(const bench_writer_v1 &writer, const json &document) {
  const std::string text = report::json_text(document, 2);
  const bench_status status = writer.write(writer.user, text.data(), text.size());
  if (status != BENCH_OK)
    throw Failure(status, "the document could not be written", "writer",
                  "see what the caller's writer reports");
}

std::uint64_t raw_count(const problem::Problem &problem) {
  const double raw = problem.space.raw();
  return raw < 1.8e19 ? static_cast<std::uint64_t>(raw) : UINT64_MAX;
}

json common_extras(const TuneSession &session) {
  json extras{{"problem", session.problem().name},
              {"policy", session.policy_text()},
              {"notes", session.notes()}};
  if (session.device()) {
    extras["device"] = session.device()->device.tag();
    extras["device_name"] = std::string(session.device_info().name);
  } else {
    extras["device"] = nullptr;
    extras["device_reason"] = session.device_reason();
  }
  if (session.store()) extras["store"] = session.store()->path().string();
  return extras;
}

/// Rates that the problem declares, of one configuration.
void add_metrics(const TuneSession &session, const problem::Configuration &configuration,
                 double median_ns, json &row) {
  const problem::Problem &problem = session.problem();
  const auto rate = [&](const char *name, const std::optional<problem::Expression> &expression,
                        const char *role, double scale) {
    const auto amount = problem.metric(expression, configuration, role);
    if (amount && median_ns > 0) row[name] = *amount / median_ns * scale;
  };
  rate("GB_per_s", problem.bytes, "Bytes", 1.0);
  rate("GFLOP_per_s", problem.flops, "Flops", 1.0);
  rate("items_per_s", problem.items, "Items", ns_per_s);
}

/// What T4 has no member for.
json details_of(const TuneSession &session, const Attempt &attempt) {
  json details = json::object();
  if (!attempt.resources.empty()) details["resources"] = json::parse(attempt.resources);
  if (attempt.state != EndState::measured) return details;
  add_metrics(session, attempt.configuration, attempt.summary.median_ns, details);
  // A null interval has its reason beside it: drift, two modes, too few samples.
  if (!attempt.summary.interval) details["interval_reason"] = attempt.summary.interval_reason;
  if (attempt.energy_nj) {
    const measure::Summary &energy = *attempt.energy_nj;
    details["joules_per_launch"] = energy.median_ns / nanojoules_per_joule;
    details["joules_interval"] = nullptr;
    if (energy.interval)
      details["joules_interval"] = {energy.interval->lo / nanojoules_per_joule,
                                    energy.interval->hi / nanojoules_per_joule};
    else
      details["joules_interval_reason"] = energy.interval_reason;
  }
  return details;
}

report::T4Candidate candidate_of(const TuneSession &session, const Attempt &attempt) {
  report::T4Candidate candidate;
  candidate.index = attempt.index;
  candidate.configuration = session.configuration_json(attempt.configuration);
  candidate.state = tune::end_state_name(attempt.state);
  if (attempt.state == EndState::measured) {
    candidate.median_ns = attempt.summary.median_ns;
    if (attempt.summary.interval)
      candidate.interval_ns = {attempt.summary.interval->lo, attempt.summary.interval->hi};
    candidate.runtimes_ns = attempt.samples_ns;
    if (attempt.energy_nj) candidate.joules = attempt.energy_nj->median_ns / nanojoules_per_joule;
  }
  candidate.samples = attempt.samples;
  candidate.details = report::json_text(details_of(session, attempt));
  if (attempt.compile_ns) candidate.compile_ns = static_cast<double>(*attempt.compile_ns);
  if (!attempt.error.what.empty()) candidate.error = error_line(attempt.error);
  candidate.verified = attempt.verified;
  return candidate;
}

report::T4Candidate candidate_of(const store::Entry &entry) {
  report::T4Candidate candidate;
  candidate.index = entry.index;
  candidate.configuration = entry.configuration;
  candidate.state = entry.state;
  candidate.median_ns = entry.median_ns;
  if (entry.interval_ns) candidate.interval_ns = {entry.interval_ns->lo, entry.interval_ns->hi};
  candidate.samples = entry.samples;
  candidate.error = entry.error;
  candidate.verified = entry.verified;
  return candidate;
}

/// "12 crashed, e.g. gemm: ..." for each reason: what a user needs when nothing was valid.
json reasons_of(const std::vector<report::T4Candidate> &candidates) {
  std::map<std::string, std::pair<std::uint64_t, std::string>> reasons;
  for (const auto &candidate : candidates) {
    if (candidate.state == "measured") continue;
    auto &[count, first] = reasons[candidate.state];
    if (++count == 1) first = candidate.error;
  }
  json list = json::array();
  for (const auto &[state, reason] : reasons) {
    list.push_back(std::to_string(reason.first) + " " + state +
                   (reason.second.empty() ? "" : ", first: " + reason.second));
  }
  return list;
}

json document_of(const TuneSession &session, const TuneOutcome &outcome) {
  report::T4Input input;
  json extras = common_extras(session);
  if (outcome.from_store) {
    const store::Tuned &stored = *outcome.stored;
    const json raw = json::parse(stored.raw_json, nullptr, false);
    const json energies = raw.value("energy_nj", json::object());
    for (const store::Entry &entry : stored.entries) {
      input.candidates.push_back(candidate_of(entry));
      const auto energy = energies.find(entry.configuration);
      if (energy == energies.end() || !energy->is_number()) continue;
      report::T4Candidate &candidate = input.candidates.back();
      candidate.joules = energy->get<double>() / nanojoules_per_joule;
      candidate.details = report::json_text({{"joules_per_launch", *candidate.joules}});
    }
    input.winner = stored.winner;
    input.default_configuration = stored.default_configuration;
    input.tie_set = stored.tie_set;
    input.absent_reason = "nothing was measured: the result is from the store";
    extras["stored_at"] = outcome.stored_at;
    extras["eps_reached"] = nullptr;
    if (stored.eps_reached) extras["eps_reached"] = *stored.eps_reached;
    extras["delta"] = stored.delta;
    extras["gain"] = raw.value("gain", json());
  } else {
    for (const Attempt &attempt : outcome.attempts)
      input.candidates.push_back(candidate_of(session, attempt));
    if (outcome.winner) input.winner = input.candidates[*outcome.winner].configuration;
    if (!input.candidates.empty()) input.default_configuration = input.candidates[0].configuration;
    for (const std::size_t tie : outcome.tie_set)
      input.tie_set.push_back(input.candidates[tie].configuration);
    extras["eps_reached"] = nullptr;
    if (outcome.eps_reached) extras["eps_reached"] = *outcome.eps_reached;
    extras["delta"] = session.delta();
    extras["gain"] = nullptr;
    if (outcome.gain) extras["gain"] = *outcome.gain;
    extras["gain_lower_bound"] = nullptr;
    if (outcome.gain_lower_bound) extras["gain_lower_bound"] = *outcome.gain_lower_bound;
    const double compile = static_cast<double>(outcome.compile_ns) / ns_per_s,
                 warmup = static_cast<double>(outcome.cost.warmup_ns) / ns_per_s;
    const double flush = static_cast<double>(outcome.cost.flush_ns) / ns_per_s,
                 timed = static_cast<double>(outcome.cost.timed_ns) / ns_per_s;
    const double total = static_cast<double>(outcome.total_ns) / ns_per_s;
    input.cost = {
        compile, warmup, flush, timed, std::max(0.0, total - compile - warmup - flush - timed),
        total};
    if (!outcome.telemetry.empty()) extras["telemetry"] = json::parse(outcome.telemetry);
    extras["verify_s"] = static_cast<double>(outcome.verify_ns) / ns_per_s;
  }
  extras["reasons"] = reasons_of(input.candidates);
  input.space_raw = raw_count(session.problem());
  input.space_valid = session.problem().space.size();
  input.stop_reason = outcome.stop_reason;
  input.measured = outcome.measured;
  input.from_store = outcome.from_store;
  input.objective = session.for_energy() ? "energy" : "time";
  json metadata{{"hardware",
                 {{"device", std::string(session.device_info().name)},
                  {"class", std::string(session.device_info().class_name)},
                  {"architecture", std::string(session.device_info().architecture)}}},
                {"environment",
                 {{"driver", std::string(session.device_info().driver_version)},
                  {"autotuner", "bench"},
                  {"autotuner_version", BENCH_VERSION}}}};
  input.metadata_text = report::json_text(metadata);
  input.extras_text = report::json_text(extras);
  return report::t4_document(input);
}

json dry_document(const TuneSession &session) {
  report::T4Input input;
  json extras = common_extras(session);
  extras["dry_run"] = true;
  extras["candidates"] = json::array();
  extras["reasons"] = json::array();
  input.space_raw = raw_count(session.problem());
  input.space_valid = session.problem().space.size();
  input.default_configuration = "";
  input.stop_reason = "dry run";
  input.absent_reason = "dry run";
  input.extras_text = report::json_text(extras);
  return report::t4_document(input);
}

}  // namespace

void problem_tune(loader::Registry &registry, store::Store *store, Log &log,
                  const std::filesystem::path &file, const bench_problem_options_v1 &options,
                  const bench_writer_v1 &document) {
  TuneSession session(registry, store, log, file, options);
  if (options.flags & BENCH_PROBLEM_DRY_RUN) return write(document, dry_document(session));
  const TuneOutcome outcome = session.tune();
  const json result = document_of(session, outcome);
  write(document, result);
  if (outcome.from_store || outcome.winner) return;
  if (outcome.stop_reason == "cancelled")
    throw Failure(BENCH_ERROR_CANCELLED, "the tune was stopped before a winner was found",
                  file.string(), "run it again: what failed is remembered");
  std::string what = "no configuration is valid:";
  for (const auto &reason : result["x-bench"]["reasons"])
    what += " " + reason.get<std::string>() + ";";
  throw Failure(BENCH_ERROR_NO_VALID_CONFIG, what, file.string(),
                "mend the first reason; --all lists every configuration's");
}

void problem_run(loader::Registry &registry, store::Store *store, Log &log,
                 const std::filesystem::path &file, const std::string &configuration,
                 const bench_problem_options_v1 &options, const bench_writer_v1 &document) {
  TuneSession session(registry, store, log, file, options);
  Attempt attempt;
  const json measurement = session.run(configuration, attempt);
  json out{{"configuration", json::parse(session.configuration_json(attempt.configuration))},
           {"device", session.device()->device.tag()},
           {"device_name", std::string(session.device_info().name)},
           {"measurement", measurement},
           {"verified", attempt.verified ? "agree with the reference"
                                         : "not verified: the problem declares no reference"}};
  add_metrics(session, attempt.configuration, measurement["median_ns"].get<double>(),
              out["measurement"]);
  write(document, out);
}

}  // namespace bench::worker
