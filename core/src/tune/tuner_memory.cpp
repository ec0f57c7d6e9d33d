// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_memory.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/log.hpp"
#include "base/utc.hpp"
#include "loader/registry.hpp"
#include "store/store.hpp"
#include "tune/tuner_report.hpp"

namespace bench::tune {

namespace {

using nlohmann::json;

// So many of the fastest are raced again after a change of driver: beyond the tie set the order of
// the next ones may well have changed, that of the slow ones hardly.
constexpr std::size_t best_few = 4;

/// The store wants JSON text; a label as a JSON string is one, and unique.
std::string stored_text(const TunerOptions &options, std::size_t index) {
  return report_text(options.configs[index]->label());
}

std::optional<std::size_t> index_of(const TunerOptions &options, const std::string &text) {
  for (std::size_t index = 0; index < options.configs.size(); ++index)
    if (stored_text(options, index) == text) return index;
  return std::nullopt;
}

store::Identity identity(const TuneRequest &request, const DeviceUse &device) {
  const bench_device_info_v1 &info = device.info();
  const loader::Plugin &plugin = device.plugin();
  store::Identity result;
  result.problem = "tuner:" + request.options.name;
  result.space = std::to_string(request.options.space_hash);
  result.dtypes = request.dtypes_text;
  result.device = silicon_text(info);
  result.plugin =
      plugin.id + "|abi " + std::to_string(BENCH_ABI_MAJOR) + (plugin.has_t1 ? "|T1" : "|T0");
  result.policy = request.options.policy.text();
  return result;
}

store::Environment environment(const DeviceUse &device) {
  const bench_device_info_v1 &info = device.info();
  store::Environment result;
  result.driver = info.driver_version;
  result.toolkit = std::string(info.runtime_version) + "|plugin " + device.plugin().version;
  // Equal cards share results, but not unseen: another card is another environment.
  result.host = device.identity();
  return result;
}

}  // namespace

Remembered remember(const TuneRequest &request, const DeviceUse &device) {
  Remembered result;
  store::Store *store = request.surroundings.store;
  if (!store || (request.options.flags & BENCH_TUNER_NO_STORE)) return result;
  const store::Found found =
      store->find(identity(request, device), environment(device), request.key_text);
  if (found.match == store::Match::miss || !found.tuned) return result;
  const auto winner = index_of(request.options, found.tuned->winner);
  if (!winner) return result;
  if (found.match == store::Match::fresh) {
    json report = json::parse(found.tuned->raw_json, nullptr, false);
    if (!report.is_object()) return result;
    report["from_store"] = true;
    report["warnings"] = json::array();  // of launches that this process did not make
    Choice choice;
    choice.index = *winner;
    choice.report = report_text(report);
    result.choice = std::move(choice);
    return result;
  }
  std::vector<std::size_t> few{*winner};
  const auto add = [&](const std::string &text) {
    const auto index = index_of(request.options, text);
    if (index && std::find(few.begin(), few.end(), *index) == few.end()) few.push_back(*index);
  };
  for (const std::string &text : found.tuned->tie_set) add(text);
  std::vector<const store::Entry *> timed;
  for (const store::Entry &entry : found.tuned->entries)
    if (entry.median_ns) timed.push_back(&entry);
  std::sort(timed.begin(), timed.end(), [](const auto *left, const auto *right) {
    return *left->median_ns < *right->median_ns;
  });
  for (std::size_t at = 0; at < timed.size() && at < best_few; ++at) add(timed[at]->configuration);
  add(stored_text(request.options, request.default_config));
  result.candidates = std::move(few);
  result.differences = found.differences;
  return result;
}

void keep(const TuneRequest &request, const DeviceUse &device,
          const std::vector<std::size_t> &candidates, const RaceResult &result,
          const json &report) {
  store::Store *store = request.surroundings.store;
  if (!store || (request.options.flags & BENCH_TUNER_NO_STORE)) return;
  store::Tuned tuned;
  tuned.identity = identity(request, device);
  tuned.environment = environment(device);
  tuned.key = request.key_text;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const Racer &racer = result.racers[at];
    store::Entry entry;
    entry.index = candidates[at];
    entry.configuration = stored_text(request.options, candidates[at]);
    entry.state = end_state_name(racer.state);
    entry.samples = racer.samples_ns.size();
    if (racer.state == EndState::measured && racer.summary.samples) {
      entry.median_ns = racer.summary.median_ns;
      if (racer.summary.interval)
        entry.interval_ns = store::Interval{racer.summary.interval->lo, racer.summary.interval->hi};
    }
    if (!racer.error.what.empty()) entry.error = error_line(racer.error);
    tuned.entries.push_back(std::move(entry));
  }
  tuned.winner = stored_text(request.options, candidates[*result.winner]);
  tuned.default_configuration = stored_text(request.options, request.default_config);
  for (const std::size_t at : result.tie_set)
    tuned.tie_set.push_back(stored_text(request.options, candidates[at]));
  tuned.stop_reason = result.stop_reason;
  tuned.eps_reached = result.eps_reached;
  tuned.delta = result.delta;
  tuned.created_utc = now_utc();
  tuned.raw_json = report_text(report);
  store->put(tuned);
}

}  // namespace bench::tune
