// SPDX-License-Identifier: Apache-2.0
// The confidence race: candidates are visited in interleaved rounds until what is left cannot be
// told apart, or nothing could be gained. Knows neither devices nor kernels: `Bench` measures.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/stats.hpp"

namespace bench::tune {

/// Every configuration ends in exactly one.
enum class EndState : std::uint8_t {
  measured,
  not_tested,
  rejected,
  compile_failed,
  out_of_resources,
  launch_failed,
  timeout,
  wrong_output,
  unverified,
  non_finite,
  crashed,
  device_lost,
  cancelled,
  pruned,
};
inline constexpr std::size_t end_state_count = 14;
/// "measured", "not-tested", "compile-failed", ...
const char *end_state_name(EndState state);
/// The state named `name`, if there is one.
std::optional<EndState> end_state_of(const std::string &name);
/// The end of a candidate whose launch, compile or load gave `status`.
EndState end_state_of(bench_status status);

/// A candidate cannot be measured any more.
class VisitFailed : public std::exception {
 public:
  VisitFailed(EndState state, ErrorText error)
      : state_(state), error_(std::move(error)), line_(error_line(error_)) {}
  EndState state() const { return state_; }
  const ErrorText &error() const { return error_; }
  const char *what() const noexcept override { return line_.c_str(); }

 private:
  EndState state_;
  ErrorText error_;
  std::string line_;
};

struct Visit {
  std::vector<double> samples_ns;  // per launch; the first window is already discarded
};

/// Who can measure a candidate.
class Bench {
 public:
  virtual ~Bench() = default;
  /// One discarded window, then `samples` ones. Throws VisitFailed.
  virtual Visit visit(std::size_t candidate, unsigned samples) = 0;
  virtual std::int64_t now_ns() = 0;
  virtual bool should_stop() = 0;
  /// All calls for a candidate give the same samples: visit it once (a T0 plugin that ignores
  /// limits).
  virtual bool coarse() { return false; }
};

struct RaceOptions {
  double eps = 0.01;            // differences below do not matter
  double delta = 0.05;          // chance that the best is eliminated
  double switch_margin = 0.01;  // proven gain that is worth leaving the default
  unsigned samples_per_visit = 4;
  unsigned max_samples_per_candidate = 128;
  std::int64_t max_time_per_candidate_ns =
      500'000'000;               // once 6 visits are in; the best few: nine times
  std::int64_t deadline_ns = 0;  // on Bench's clock; 0 = none
  std::uint64_t seed = 1;
  std::size_t default_candidate = 0;
};

struct Racer {
  EndState state = EndState::not_tested;
  ErrorText error;
  std::vector<double> samples_ns;     // of the race
  std::vector<double> visits_ns;      // medians, the unit of inference
  std::vector<std::uint32_t> rounds;  // in which each visit took place
  measure::Summary summary;  // of the final fresh samples if it has them, else of the race's
  bool fresh = false;
  bool eliminated = false;
};

struct RaceResult {
  std::optional<std::size_t> winner;
  std::vector<std::size_t> tie_set;   // winner first; all not shown worse than it by more than eps
  std::optional<double> eps_reached;  // what the data support; nothing if a cap came first
  double delta = 0.0;
  std::string stop_reason;
  std::vector<Racer> racers;
  /// Default's time over the winner's, minus one, from paired visits, and its lower bound.
  std::optional<double> gain;
  std::optional<double> gain_lower_bound;
  bool default_kept = false;  // somebody was faster, but not provably by the margin
};

struct RaceProgress {
  std::uint32_t round;
  std::size_t left;
  std::size_t total;
};

/// Races candidates 0..count-1. `start` holds the states that they come with: only not_tested ones
/// race.
RaceResult race(Bench &bench, const std::vector<EndState> &start, const RaceOptions &options,
                const std::function<void(const RaceProgress &)> &progress = {});

}  // namespace bench::tune
