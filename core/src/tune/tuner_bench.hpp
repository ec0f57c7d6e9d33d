// SPDX-License-Identifier: Apache-2.0
// Measures the candidates of an embedded tuner for the race: the caller's callable, one session,
// one depth and cache policy for all.
#pragma once
#include <vector>

#include "bench/bench.h"
#include "measure/engine.hpp"
#include "tune/race.hpp"
#include "tune/tuner_gate.hpp"
#include "tune/tuner_options.hpp"

namespace bench::tune {

/// The memory of the call, for what options.flags ask of it.
struct BenchMemory {
  TunerArguments *arguments = nullptr;
  std::size_t reference = 0;  ///< the configuration whose outputs are right
};

class TunerBench : public Bench {
 public:
  /// `candidates` are positions in options.configs. Throws Failure where the device cannot measure.
  TunerBench(const measure::Target &target, const TunerOptions &options,
             std::vector<std::size_t> candidates, const bench_call_v1 &call,
             const BenchMemory &memory = {}, Clock &clock = system_clock());

  Visit visit(std::size_t candidate, unsigned samples) override;
  std::int64_t now_ns() override { return session_.clock().now_ns(); }
  bool should_stop() override;
  bool coarse() override { return session_.coarse(); }

  std::uint32_t depth() const { return depth_; }
  std::uint32_t method() const { return session_.method(callable_, depth_); }
  /// After a SteppedDown: asks all candidates anew.
  void restart();
  bool delegates() const { return session_.delegates(); }
  const measure::Cost &cost() const { return session_.cost(); }
  /// What qualification found, once each, for the report.
  std::vector<std::string> notes() const;
  bool device_lost() const { return lost_; }
  /// Unmarked arguments that every launch changes (WATCH_ARGUMENTS).
  const std::vector<std::string> &changed_arguments() const { return changed_; }

 private:
  void probe();
  /// Once, before the first probe: the reference outputs, and unmarked arguments that change.
  void look_at_memory();
  void probe_candidate(std::size_t at, bool &unjoined, bool &nothing);
  /// Turns a Failure into the candidate's end.
  [[noreturn]] void fail(const Failure &failure);
  const bench_config_v1 &config(std::size_t candidate) const;
  /// Launches in a window of this candidate.
  std::uint32_t depth_of(std::size_t candidate) const;

  const TunerOptions &options_;
  const std::vector<std::size_t> candidates_;
  const bench_callable_v1 &callable_;
  const bench_tune_callbacks_v1 *callbacks_;
  const BenchMemory memory_;
  std::optional<TunerGate> gate_;
  std::optional<ErrorText> unverified_;  // why there is no reference
  std::vector<std::string> changed_;
  measure::Session session_;
  std::uint32_t depth_ = 1;
  std::vector<double> single_ns_;  // one launch of each candidate; 0 = unknown
  std::vector<bool> probed_;       // single_ns_ is a warm sample that no visit gave yet
  std::vector<std::optional<VisitFailed>> ends_;  // of candidates that failed while probed
  std::vector<std::string> notes_;
  bool lost_ = false;
};

}  // namespace bench::tune
