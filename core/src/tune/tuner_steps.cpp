// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_steps.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tune/tuner_candidates.hpp"
#include "tune/tuner_memory.hpp"
#include "tune/tuner_report.hpp"

namespace bench::tune {

TunerSteps::Progress TunerSteps::begin(const TuneRequest &request, const DeviceUse &device,
                                       std::optional<Choice> &stored) const {
  Candidates candidates = choose_candidates(request.options, request.call.callbacks);
  Remembered remembered = remember(request, device);
  stored = std::move(remembered.choice);
  Progress progress;
  progress.incumbent = candidates.default_config;
  progress.pruned = std::move(candidates.pruned);
  // What was good under another environment is met first.
  const auto rank = [&](std::size_t index) {
    return std::find(remembered.candidates.begin(), remembered.candidates.end(), index) -
           remembered.candidates.begin();
  };
  progress.left = std::move(candidates.kept);
  std::erase(progress.left, progress.incumbent);
  std::stable_sort(progress.left.begin(), progress.left.end(),
                   [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });
  std::reverse(progress.left.begin(), progress.left.end());
  return progress;
}

void TunerSteps::note(Progress &progress, std::size_t index, const Racer &racer) {
  const auto known = std::find(progress.met.begin(), progress.met.end(), index);
  if (known == progress.met.end()) {
    progress.met.push_back(index);
    progress.racers.push_back(racer);
  } else {
    progress.racers[std::size_t(known - progress.met.begin())] = racer;
  }
}

TunerSteps::Step TunerSteps::take(const std::vector<std::uint64_t> &key, TuneRequest request) {
  DeviceUse device(request.surroundings.registry, request.device);
  Progress progress;
  bool known = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = progress_.find(key);
    known = at != progress_.end();
    if (known) progress = at->second;
  }
  std::optional<Choice> stored;
  if (!known) progress = begin(request, device, stored);
  if (stored) return {stored->index, std::move(stored)};
  request.default_config = progress.incumbent;
  std::vector<std::size_t> pair{progress.incumbent};
  if (!progress.left.empty()) {
    pair.push_back(progress.left.back());
    progress.left.pop_back();
  }
  Outcome outcome = race_candidates(request, device, pair, true);
  if (outcome.lost) {
    device.mark_lost();
    throw no_valid_config(request, pair, outcome.result, true);
  }
  for (std::size_t at = 0; at < pair.size(); ++at)
    note(progress, pair[at], outcome.result.racers[at]);
  if (outcome.result.winner) {
    progress.incumbent = pair[*outcome.result.winner];
    progress.valid = true;
  }
  Step step;
  step.index = progress.incumbent;
  if (progress.left.empty()) {
    {
      // Also where nothing was valid: the next call begins anew.
      const std::lock_guard lock(mutex_);
      progress_.erase(key);
    }
    RaceResult all;
    all.racers = progress.racers;
    all.stop_reason = "every configuration was met once";
    if (!progress.valid) throw no_valid_config(request, progress.met, all, false);
    all.winner =
        std::size_t(std::find(progress.met.begin(), progress.met.end(), progress.incumbent) -
                    progress.met.begin());
    all.tie_set = {*all.winner};
    Outcome whole;
    whole.report = race_report(request, progress.met, all,
                               outcome.report.value("launches_per_window", 1u), {});
    whole.report["warnings"] = outcome.report["warnings"];
    add_pruned(whole.report, request, progress.pruned);
    whole.result = std::move(all);
    step.choice = settle(request, device, progress.met, whole);
    return step;
  }
  const std::lock_guard lock(mutex_);
  progress_[key] = std::move(progress);
  return step;
}

std::uint64_t TunerSteps::best(const std::vector<std::uint64_t> &key,
                               std::uint64_t otherwise) const {
  const std::lock_guard lock(mutex_);
  const auto at = progress_.find(key);
  return at == progress_.end() ? otherwise : at->second.incumbent;
}

}  // namespace bench::tune
