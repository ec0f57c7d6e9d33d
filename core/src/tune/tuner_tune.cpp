// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_tune.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/log.hpp"
#include "tune/race.hpp"
#include "tune/tuner_bench.hpp"
#include "tune/tuner_device.hpp"
#include "tune/tuner_memory.hpp"
#include "tune/tuner_report.hpp"

namespace bench::tune {

namespace {

// Re-validation compares a few that are known to be good: half the samples of a race tell enough.
constexpr unsigned short_race_samples = 32;

struct Outcome {
  RaceResult result;
  nlohmann::json report;
  bool lost = false;
};

/// A race that ended before it could compare (its deadline, a single survivor) still has an answer:
/// the default where it runs, else the fastest that was seen.
void answer_without_comparison(RaceResult &result, std::size_t default_candidate) {
  if (result.winner) return;
  for (std::size_t at = 0; at < result.racers.size(); ++at) {
    const Racer &racer = result.racers[at];
    if (racer.state != EndState::measured || racer.samples_ns.empty()) continue;
    if (at == default_candidate) {
      result.winner = at;
      break;
    }
    if (!result.winner || racer.summary.median_ns < result.racers[*result.winner].summary.median_ns)
      result.winner = at;
  }
  if (result.winner) result.tie_set = {*result.winner};
}

Outcome race_candidates(const TuneRequest &request, DeviceUse &device,
                        const std::vector<std::size_t> &candidates, bool is_short) {
  const TimingLock lock(device, request.surroundings.lock_folder);
  TunerBench bench(device.target(), request.options, candidates, request.call);
  RaceOptions options;
  options.eps = request.options.eps;
  options.delta = request.options.delta;
  options.switch_margin = request.options.switch_margin;
  if (is_short) options.max_samples_per_candidate = short_race_samples;
  if (request.options.max_time_ns)
    options.deadline_ns = bench.now_ns() + request.options.max_time_ns;
  options.default_candidate =
      std::size_t(std::find(candidates.begin(), candidates.end(), request.options.default_config) -
                  candidates.begin());
  Outcome outcome;
  for (bool done = false; !done;) {
    try {
      outcome.result =
          race(bench, std::vector<EndState>(candidates.size(), EndState::not_tested), options);
      done = true;
    } catch (const measure::SteppedDown &) {
      bench.restart();  // one method for all
    }
  }
  answer_without_comparison(outcome.result, options.default_candidate);
  outcome.report = race_report(request, candidates, outcome.result, bench);
  outcome.lost = bench.device_lost();
  if (!lock.reason().empty())
    outcome.report["notes"].push_back("not alone on the device: " + lock.reason());
  return outcome;
}

Choice choose(const TuneRequest &request, const DeviceUse &device,
              const std::vector<std::size_t> &candidates, Outcome &outcome) {
  try {
    keep(request, device, candidates, outcome.result, outcome.report);
  } catch (const Failure &failure) {
    // The choice is good all the same; the next process will have to measure again.
    request.surroundings.log.warning(std::string("a tuned choice was not kept: ") + failure.what());
    outcome.report["notes"].push_back(std::string("not kept in the store: ") + failure.what());
  }
  Choice choice;
  choice.index = candidates[*outcome.result.winner];
  choice.report = report_text(outcome.report);
  return choice;
}

}  // namespace

Choice tune_key(const TuneRequest &request) {
  DeviceUse device(request.surroundings.registry, request.device);
  Remembered remembered = remember(request, device);
  if (remembered.choice) return *std::move(remembered.choice);
  if (!remembered.candidates.empty()) {
    Outcome outcome = race_candidates(request, device, remembered.candidates, true);
    if (outcome.lost) device.mark_lost();
    if (outcome.result.winner && !outcome.lost) {
      outcome.report["revalidated"] = remembered.differences;
      return choose(request, device, remembered.candidates, outcome);
    }
    // None of them runs any more: all must be asked.
    if (outcome.lost) throw no_valid_config(request, remembered.candidates, outcome.result, true);
  }
  std::vector<std::size_t> all(request.options.configs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Outcome outcome = race_candidates(request, device, all, false);
  if (outcome.lost) device.mark_lost();
  if (!outcome.result.winner || outcome.lost)
    throw no_valid_config(request, all, outcome.result, outcome.lost);
  return choose(request, device, all, outcome);
}

}  // namespace bench::tune
