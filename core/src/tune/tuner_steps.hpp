// SPDX-License-Identifier: Apache-2.0
// The incremental mode: each call of a cold key races one more configuration against the best so
// far, so that no call is long. Times of different calls are never compared: every step measures
// both of its two anew.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "tune/tuner_tune.hpp"

namespace bench::tune {

class TunerSteps {
 public:
  struct Step {
    std::uint64_t index = 0;       ///< the best so far, for the present call
    std::optional<Choice> choice;  ///< after the last step
  };
  /// One step for `key`. One thread at a time for a key. Throws as tune_key does, also when all
  /// steps are done and nothing was valid.
  Step take(const std::vector<std::uint64_t> &key, TuneRequest request);
  /// The best so far; `otherwise` for a key that was never met.
  std::uint64_t best(const std::vector<std::uint64_t> &key, std::uint64_t otherwise) const;

 private:
  struct Progress {
    std::size_t incumbent = 0;
    std::vector<std::size_t> left;  // still to be met, the next one last
    std::vector<std::size_t> met;   // with their racers, in order
    std::vector<Racer> racers;
    std::vector<std::size_t> pruned;
    bool valid = false;  // the incumbent was measured
  };
  Progress begin(const TuneRequest &request, const DeviceUse &device,
                 std::optional<Choice> &stored) const;
  static void note(Progress &progress, std::size_t index, const Racer &racer);

  mutable std::mutex mutex_;
  std::map<std::vector<std::uint64_t>, Progress> progress_;
};

}  // namespace bench::tune
