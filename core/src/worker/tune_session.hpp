// SPDX-License-Identifier: Apache-2.0
// One tune of a problem file: choose, recall, compile, verify, race, keep.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "measure/engine.hpp"
#include "problem/problem.hpp"
#include "store/store.hpp"
#include "tune/race.hpp"
#include "worker/client.hpp"
#include "worker/device_choice.hpp"

namespace bench {
class Log;
}

namespace bench::worker {

/// A configuration on its way through the tune.
struct Attempt {
  std::uint64_t index = 0;
  problem::Configuration configuration;
  tune::EndState state = tune::EndState::not_tested;
  ErrorText error;
  measure::Summary summary;
  std::vector<double> samples_ns;
  std::uint64_t samples = 0;
  std::optional<std::int64_t> compile_ns;
  bool verified = false;
  std::optional<measure::Summary> energy_nj;  // per launch, where that was the objective
  std::string resources;  // JSON of what its kernel takes; empty if it was never loaded
};

struct TuneOutcome {
  std::vector<Attempt> attempts;  // of all configurations that were considered, default first
  std::optional<std::size_t> winner;
  std::vector<std::size_t> tie_set;
  std::optional<double> eps_reached, gain, gain_lower_bound;
  std::string stop_reason;
  bool from_store = false;
  std::string stored_at;
  std::optional<store::Tuned> stored;  // from_store: as it was kept
  std::uint64_t measured = 0;
  std::int64_t compile_ns = 0, verify_ns = 0, total_ns = 0;
  std::string telemetry;  // JSON {before, after} of the race; empty if there was none
  TuneCost cost;
};

class TuneSession {
 public:
  TuneSession(loader::Registry &registry, store::Store *store, Log &log,
              const std::filesystem::path &file, const bench_problem_options_v1 &options);

  const problem::Problem &problem() const { return problem_; }
  /// Nothing: `device_reason` says why.
  const std::optional<DeviceChoice> &device() const { return device_; }
  const std::string &device_reason() const { return device_reason_; }
  const bench_device_info_v1 &device_info() const { return info_; }
  const std::vector<std::string> &notes() const { return notes_; }
  const store::Store *store() const { return store_; }
  double delta() const { return race_options_.delta; }
  std::string policy_text() const { return policy_.text(); }
  /// What is sought is the least energy, not the shortest time.
  bool for_energy() const { return (options_.flags & BENCH_PROBLEM_ENERGY) != 0; }

  /// Throws Failure if there is no device or no compiler, or the reference cannot be made.
  TuneOutcome tune();
  /// One configuration, compiled, verified and measured to the policy's precision.
  nlohmann::json run(const std::string &configuration, Attempt &attempt);

  /// JSON text of a configuration, names to values.
  std::string configuration_json(const problem::Configuration &configuration) const;

 private:
  void require_device();
  void prepare_worker();
  void recall(TuneOutcome &outcome);
  std::vector<std::uint64_t> select(const store::Found &found);
  void skip_known_failures(TuneOutcome &outcome);
  /// For a space that is too large: fills the attempts, and leaves the best of them to race.
  void search(TuneOutcome &outcome, TimingWorker &worker);
  std::uint64_t search_evaluations() const;
  /// What a search that was killed has tried, by index.
  std::map<std::uint64_t, store::Entry> unfinished_search();
  /// Compiles and verifies what is to race and was only recalled.
  void reopen(TuneOutcome &outcome, TimingWorker &worker, bool &has_reference);
  /// Verifies and takes a few samples; nothing, and its end state, if it fails.
  std::optional<double> time_briefly(Attempt &attempt, TimingWorker &worker,
                                     std::uint32_t &launches);
  void compile(TuneOutcome &outcome);
  void make_reference(TuneOutcome &outcome, TimingWorker &worker);
  void verify(TuneOutcome &outcome, TimingWorker &worker);
  /// By up to so many launches, each compared.
  bool verify_one(Attempt &attempt, TimingWorker &worker, std::uint32_t launches = 2);
  /// Launches per window that a race needs: one depth for all.
  std::uint32_t calibrate(std::vector<Attempt> &attempts, TimingWorker &worker);
  void race(TuneOutcome &outcome, TimingWorker &worker);
  /// Verifies winner and ties once more. Ties that are wrong now leave the set; true: the winner
  /// is, and the race has to start again without it.
  bool drop_liars(tune::RaceResult &result, std::vector<Attempt> &attempts, TimingWorker &worker);
  /// The same, with the device's state before and after.
  void watched_race(TuneOutcome &outcome, TimingWorker &worker);
  /// Keeps a finished configuration for a run after this one, soon or at once.
  void journal(const Attempt &attempt);
  void write_journal();
  void keep(const TuneOutcome &outcome);
  bool stopped() const;
  /// The time that limits count: the device's, where it has a clock of its own.
  std::int64_t now_ns() const;
  void report(const char *phase, std::uint64_t done, std::uint64_t total, double remaining_s,
              const std::string &message = "");
  store::Entry entry_of(const Attempt &attempt) const;

  loader::Registry &registry_;
  store::Store *store_;
  Log &log_;
  const bench_problem_options_v1 options_;
  std::string text_;
  problem::Problem problem_;
  measure::Policy policy_;
  tune::RaceOptions race_options_;
  std::optional<DeviceChoice> device_;
  std::string device_reason_;
  bench_device_info_v1 info_{};
  std::vector<std::string> notes_;
  store::Identity identity_;
  store::Environment environment_;
  store::Found found_;
  std::vector<store::Entry> unkept_;  // journalled, not yet written
  std::int64_t journalled_ns_ = 0;    // when it was last written, in real time
  WorkerSetup setup_;
  std::map<std::uint64_t, std::vector<std::uint8_t>> binaries_;
  std::vector<std::uint8_t> reference_binary_;
  std::int64_t deadline_ns_ = 0;  // of now_ns()
  bool searches_ = false;
  bool own_clock_ = false;  // the device does not live in real time
  std::int64_t compiled_own_ns_ = 0;
  const TimingWorker *worker_ = nullptr;  // while it lives
};

}  // namespace bench::worker
