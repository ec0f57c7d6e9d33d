// SPDX-License-Identifier: Apache-2.0
// The race of what compiled and was right: one depth for all, once more from the start when the
// method steps down, and the winner and its
// ties checked again after they were timed.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/engine.hpp"
#include "tune/race.hpp"
#include "worker/tune_session.hpp"

namespace bench::worker {

using nlohmann::json;
using tune::EndState;

namespace {

constexpr double nanojoules_per_joule = 1e9;
// Six visits of half a second and more, and as many again for those that are close.
constexpr std::int64_t max_energy_time_ns = 10'000'000'000;

/// The worker as the race sees it: a visit's samples are times of a launch in ns, or its energies
/// in nJ.
class WorkerBench final : public tune::Bench {
 public:
  WorkerBench(TimingWorker &worker, const std::vector<Attempt> &attempts, std::uint32_t launches,
              const bench_problem_options_v1 &options, std::function<std::int64_t()> now)
      : worker_(worker),
        attempts_(attempts),
        launches_(launches),
        options_(options),
        now_(std::move(now)),
        times_ns_(attempts.size()) {}

  tune::Visit visit(std::size_t candidate, unsigned samples) override {
    return worker_.with_second_chance([&] { return visit_once(candidate, samples); });
  }
  std::int64_t now_ns() override { return now_(); }
  bool should_stop() override {
    return options_.should_stop && options_.should_stop(options_.user) != 0;
  }
  /// Of the same launches, where their energies were the samples.
  const std::vector<double> &times_ns(std::size_t candidate) const { return times_ns_[candidate]; }

 private:
  tune::Visit visit_once(std::size_t candidate, unsigned samples) {
    const std::uint64_t index = attempts_[candidate].index;
    if (!(options_.flags & BENCH_PROBLEM_ENERGY)) return {worker_.visit(index, samples, launches_)};
    const TimingWorker::EnergyVisit seen = worker_.visit_energy(index, launches_);
    times_ns_[candidate].push_back(seen.launch_ns);
    return {{seen.joules * nanojoules_per_joule}};
  }

  TimingWorker &worker_;
  const std::vector<Attempt> &attempts_;
  const std::uint32_t launches_;
  const bench_problem_options_v1 &options_;
  const std::function<std::int64_t()> now_;
  std::vector<std::vector<double>> times_ns_;
};

}  // namespace

std::uint32_t TuneSession::calibrate(std::vector<Attempt> &attempts, TimingWorker &worker) {
  // Deep enough for the quickest of a few, the default among them: one depth for all.
  std::uint32_t launches = 1;
  constexpr std::size_t calibrated = 6;
  std::size_t seen = 0;
  for (Attempt &attempt : attempts) {
    if (seen == calibrated || stopped()) break;
    if (attempt.state != EndState::not_tested || !binaries_.count(attempt.index)) continue;
    ++seen;
    try {
      launches = std::max(
          launches, worker.with_second_chance([&] { return worker.calibrate(attempt.index); }));
    } catch (const tune::VisitFailed &failed) {
      attempt.state = failed.state();
      attempt.error = failed.error();
      journal(attempt);
    }
  }
  return launches;
}

void TuneSession::watched_race(TuneOutcome &outcome, TimingWorker &worker) {
  write_journal();  // a race may take long
  const json before = worker.telemetry();
  race(outcome, worker);
  outcome.telemetry = json{{"before", before}, {"after", worker.telemetry()}}.dump();
}

bool TuneSession::drop_liars(tune::RaceResult &result, std::vector<Attempt> &attempts,
                             TimingWorker &worker) {
  if (!result.winner || result.stop_reason == "cancelled") return false;
  // Threads that race give the right answer now and then: by chance twice, hardly 16 times.
  constexpr std::uint32_t launches = 16;
  const std::vector<std::size_t> equals = result.tie_set;
  const auto lies = [&](std::size_t at) {
    if (verify_one(attempts[at], worker, launches)) return false;
    attempts[at].verified = false;
    attempts[at].error.hint =
        "its outputs were right before it was timed and wrong afterwards: threads may race in it";
    journal(attempts[at]);
    return true;
  };
  if (lies(*result.winner)) return true;
  for (const std::size_t tie : equals) {
    if (tie == *result.winner || !lies(tie)) continue;
    result.tie_set.erase(std::find(result.tie_set.begin(), result.tie_set.end(), tie));
    result.racers[tie].state = attempts[tie].state;
    result.racers[tie].error = attempts[tie].error;
  }
  return false;
}

void TuneSession::race(TuneOutcome &outcome, TimingWorker &worker) {
  std::vector<Attempt> &attempts = outcome.attempts;
  std::uint32_t launches = calibrate(attempts, worker);
  constexpr int max_races = 4;        // each ends with a winner whose outputs then turned out wrong
  constexpr int max_step_downs = 32;  // more than a ladder has steps, for a few workers
  int step_downs = 0;
  for (int round = 0; round < max_races; ++round) {
    std::vector<EndState> start;
    for (const Attempt &attempt : attempts) {
      if (attempt.state == EndState::measured)
        start.push_back(EndState::pruned);  // by a search: it keeps what that measured
      else
        start.push_back(attempt.state == EndState::not_tested && !binaries_.count(attempt.index)
                            ? EndState::cancelled
                            : attempt.state);
    }
    WorkerBench bench(worker, attempts, launches, options_, [this] { return now_ns(); });
    tune::RaceOptions race_options = race_options_;
    race_options.deadline_ns = deadline_ns_;
    race_options.default_candidate = 0;
    if (for_energy()) race_options.max_time_per_candidate_ns = max_energy_time_ns;
    tune::RaceResult result;
    try {
      result = tune::race(bench, start, race_options, [&](const tune::RaceProgress &now) {
        report("race", now.total - now.left, now.total, -1.0,
               "round " + std::to_string(now.round) + ", " + std::to_string(now.left) + " left");
      });
    } catch (const measure::SteppedDown &) {
      // One method for all: what was measured with the former one is not compared with what comes.
      // A worker that was replaced begins at the first method again.
      if (++step_downs > max_step_downs)
        throw Failure(BENCH_ERROR_INTERNAL,
                      "the method of measuring did not last: it was changed " +
                          std::to_string(max_step_downs) + " times",
                      "race", "name one that works (--method event)");
      launches = calibrate(attempts, worker);
      --round;
      continue;
    }
    if (drop_liars(result, attempts, worker)) continue;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      Attempt &attempt = attempts[i];
      if (attempt.state == EndState::measured) {
        ++outcome.measured;
        continue;
      }
      const tune::Racer &racer = result.racers[i];
      if (start[i] == EndState::not_tested) {
        attempt.state = racer.state;
        attempt.error = racer.error;
      }
      attempt.summary = racer.summary;
      attempt.samples_ns = racer.samples_ns;
      if (for_energy()) {
        attempt.energy_nj = racer.summary;
        attempt.samples_ns = bench.times_ns(i);
        attempt.summary = measure::summarize(attempt.samples_ns);
      }
      attempt.samples = racer.fresh ? racer.summary.samples : racer.samples_ns.size();
      outcome.measured += attempt.state == EndState::measured;
    }
    outcome.winner = result.winner;
    outcome.tie_set = result.tie_set;
    outcome.eps_reached = result.eps_reached;
    outcome.gain = result.gain;
    outcome.gain_lower_bound = result.gain_lower_bound;
    outcome.stop_reason = result.stop_reason;
    if (result.default_kept)
      notes_.push_back(
          "another configuration may be faster than the default, but not provably by the switch "
          "margin: the default stays");
    return;
  }
  outcome.stop_reason = "no winner kept its outputs right";
}

}  // namespace bench::worker
