// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_tune.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "loader/registry.hpp"
#include "tune/tuner_arguments.hpp"
#include "tune/tuner_bench.hpp"
#include "tune/tuner_callable.hpp"
#include "tune/tuner_candidates.hpp"
#include "tune/tuner_device.hpp"
#include "tune/tuner_memory.hpp"
#include "tune/tuner_report.hpp"

namespace bench::tune {

namespace {

// Re-validation compares a few that are known to be good: half the samples of a race tell enough.
constexpr unsigned short_race_samples = 32;

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

/// Ends a tune for the arguments, however it ended.
class Finish {
 public:
  explicit Finish(TunerArguments &arguments) : arguments_(arguments) {}
  ~Finish() {
    try {
      now();
    } catch (const Failure &) {
      // The failure that brought us here wins.
    }
  }
  void now() {
    if (!done_) {
      done_ = true;
      arguments_.finish();
    }
  }
  void never() { done_ = true; }

 private:
  TunerArguments &arguments_;
  bool done_ = false;
};

/// Nothing to compare: what is left is the answer, and nothing needs to be launched for it.
Choice only_choice(const TuneRequest &request, const Candidates &candidates) {
  RaceResult result;
  result.winner = 0;
  result.tie_set = {0};
  result.racers.resize(1);
  result.stop_reason = "a single configuration";
  nlohmann::json report = race_report(request, candidates.kept, result, 1, {});
  add_pruned(report, request, candidates.pruned);
  Choice choice;
  choice.index = candidates.kept.front();
  choice.report = report_text(report);
  return choice;
}

}  // namespace

Outcome race_candidates(const TuneRequest &request, DeviceUse &device,
                        const std::vector<std::size_t> &candidates, bool is_short) {
  const bench_tune_callbacks_v1 *callbacks = request.call.callbacks;
  const bool can_ask = callbacks && callbacks->should_stop;
  const TimingLock lock(device, request.surroundings.lock_folder,
                        can_ask ? [=] { return callbacks->should_stop(callbacks->user) != 0; }
                                : std::function<bool()>());
  TunerArguments arguments(device.target(), request.device, request.options, request.arguments,
                           request.call.stream);
  arguments.save();
  Finish finish(arguments);
  const TunerCallable callable(*request.call.callable, request.call.callbacks, arguments);
  bench_call_v1 call = request.call;
  call.callable = &callable.raw();
  TunerBench bench(device.target(), request.options, candidates, call,
                   {&arguments, request.default_config}, device.plugin().clock());
  RaceOptions options;
  options.eps = request.options.eps;
  options.delta = request.options.delta;
  options.switch_margin = request.options.switch_margin;
  if (is_short) options.max_samples_per_candidate = short_race_samples;
  if (request.options.max_time_ns)
    options.deadline_ns = bench.now_ns() + request.options.max_time_ns;
  options.default_candidate = std::size_t(
      std::find(candidates.begin(), candidates.end(), request.default_config) - candidates.begin());
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
  outcome.lost = bench.device_lost();
  if (outcome.lost)
    finish.never();
  else
    finish.now();
  if (outcome.result.stop_reason == "cancelled")
    throw Failure(BENCH_ERROR_CANCELLED,
                  "the tune of '" + request.options.name + "' was stopped by its caller",
                  "bench_tuner_lookup", "the key stays cold; the arguments are as before");
  answer_without_comparison(outcome.result, options.default_candidate);
  outcome.report = race_report(request, candidates, outcome.result, bench.depth(), bench.notes());
  for (const std::string &name : bench.changed_arguments()) {
    const std::string warning =
        "argument '" + name + "' of '" + request.options.name +
        "' is changed by every launch but has no role: its contents after the tune are not those "
        "of before; name it in restore_value (role INOUT)";
    outcome.report["warnings"].push_back(warning);
    request.surroundings.log.warning(warning);
  }
  if (arguments.host_bytes())
    outcome.report["notes"].push_back(std::to_string(arguments.host_bytes()) +
                                      " bytes of saved arguments were kept in host memory");
  if (!lock.reason().empty())
    outcome.report["notes"].push_back("not alone on the device: " + lock.reason());
  return outcome;
}

Choice settle(const TuneRequest &request, const DeviceUse &device,
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

void announce(const TuneRequest &request, const Choice &choice, double seconds) {
  char time[32];
  std::snprintf(time, sizeof time, "%.3f", seconds);
  std::replace(time, time + std::strlen(time), ',', '.');
  request.surroundings.log.info("tuned '" + request.options.name + "' for " + request.key_text +
                                " on " + request.device_tag + " in " + time +
                                " s: " + request.options.configs[choice.index]->label());
}

Choice recall_key(const TuneRequest &request) {
  DeviceUse device(request.surroundings.registry, request.device);
  Remembered remembered = remember(request, device);
  if (remembered.choice) return *std::move(remembered.choice);
  Choice choice;
  // Stored under another environment: likely still the best, and nothing may be measured here.
  choice.index =
      remembered.candidates.empty() ? request.default_config : remembered.candidates.front();
  const bool stored = !remembered.candidates.empty();
  choice.report = report_text({{"tuner", request.options.name},
                               {"device", request.device_tag},
                               {"key", request.key_text},
                               {"from_store", stored},
                               {"winner", {{"index", choice.index}}},
                               {"stop_reason", "cached only"},
                               {"differences", remembered.differences},
                               {"notes", nlohmann::json::array()},
                               {"warnings", nlohmann::json::array()}});
  return choice;
}

Choice tune_key(TuneRequest request) {
  const std::int64_t begun = system_clock().now_ns();
  const Candidates candidates = choose_candidates(request.options, request.call.callbacks);
  request.default_config = candidates.default_config;
  if (candidates.kept.size() == 1) return only_choice(request, candidates);
  DeviceUse device(request.surroundings.registry, request.device);
  Remembered remembered = remember(request, device);
  const auto kept = [&](std::size_t index) {
    return std::find(candidates.kept.begin(), candidates.kept.end(), index) !=
           candidates.kept.end();
  };
  // What pruning leaves out may not come back from the store.
  if (remembered.choice && kept(remembered.choice->index)) return *std::move(remembered.choice);
  std::erase_if(remembered.candidates, [&](std::size_t index) { return !kept(index); });
  const auto end = [&](const std::vector<std::size_t> &raced, Outcome &outcome) {
    add_pruned(outcome.report, request, candidates.pruned);
    Choice choice = settle(request, device, raced, outcome);
    announce(request, choice, double(system_clock().now_ns() - begun) / 1e9);
    return choice;
  };
  if (remembered.candidates.size() > 1) {
    Outcome outcome = race_candidates(request, device, remembered.candidates, true);
    if (outcome.lost) device.mark_lost();
    if (outcome.result.winner && !outcome.lost) {
      outcome.report["revalidated"] = remembered.differences;
      return end(remembered.candidates, outcome);
    }
    // None of them runs any more: all must be asked.
    if (outcome.lost) throw no_valid_config(request, remembered.candidates, outcome.result, true);
  }
  Outcome outcome = race_candidates(request, device, candidates.kept, false);
  if (outcome.lost) device.mark_lost();
  if (!outcome.result.winner || outcome.lost)
    throw no_valid_config(request, candidates.kept, outcome.result, outcome.lost);
  return end(candidates.kept, outcome);
}

}  // namespace bench::tune
