// SPDX-License-Identifier: Apache-2.0
// The embedded tuner: one kernel, a list of configurations, a choice per key. A hit is found here
// without a lock, an allocation or a system call; a miss goes to tuner_tune.
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "bench/bench.h"
#include "dispatch/classes.hpp"
#include "tune/tuner_choices.hpp"
#include "tune/tuner_flights.hpp"
#include "tune/tuner_options.hpp"

namespace bench {
class Log;
namespace loader {
class Registry;
}
namespace store {
class Store;
}
}  // namespace bench

namespace bench::tune {

/// What a tuner works with; all outlive it.
struct Surroundings {
  loader::Registry &registry;
  store::Store *store = nullptr;  ///< null: results stay in memory
  Log &log;
  std::filesystem::path lock_folder;  ///< of the locks that other processes respect
};

class TunerSteps;

class Tuner {
 public:
  Tuner(const Surroundings &surroundings, const bench_tuner_options_v1 &options);
  ~Tuner();
  Tuner(const Tuner &) = delete;  // readers hold pointers into it
  Tuner &operator=(const Tuner &) = delete;

  /// The choice for a tuned key, else null: also for arguments that are wrong, about which lookup()
  /// throws.
  const Choice *find(const bench_argument_v1 *const *arguments, std::uint32_t count) const noexcept;

  /// The configuration for this call: of a tuned key its choice; a cold key is tuned with `call` as
  /// the mode says. Throws NOT_TUNED where that needs a call and there is none.
  std::uint64_t lookup(const bench_argument_v1 *const *arguments, std::uint32_t count,
                       const bench_call_v1 *call);
  /// The report of a tuned key. Throws NOT_TUNED for a cold one.
  const std::string &report(const bench_argument_v1 *const *arguments, std::uint32_t count);
  /// Settles a cold key without measuring. Throws BUSY where it has another choice already.
  void choose(const bench_argument_v1 *const *arguments, std::uint32_t count, std::uint64_t index);
  /// lookup, then one launch of the choice.
  void run(const bench_argument_v1 *const *arguments, std::uint32_t count,
           const bench_call_v1 *call);

  const TunerOptions &options() const { return options_; }

 private:
  /// What is known after the first discovery of plugins, and published as one pointer.
  struct Resolved {
    dispatch::ClassTable classes;
    std::optional<bench_device_v1> forced;
  };
  const Resolved &resolve();
  /// The device for these arguments, or a Failure.
  bench_device_v1 device_of(const Resolved &resolved, const bench_argument_v1 *const *arguments,
                            std::uint32_t count) const;
  void check_process() const;
  /// Also where no device is known yet; throws for a wrong number of arguments.
  bench_device_v1 device_for(const bench_argument_v1 *const *arguments, std::uint32_t count,
                             const bench_call_v1 *call);
  const Choice *publish(Choice choice, std::vector<std::uint64_t> key,
                        const bench_argument_v1 *const *arguments, bench_device_v1 device);
  /// The call's stream is being recorded: nothing may be measured. Throws where the options say so.
  bool is_recorded(const bench_call_v1 &call, bench_device_v1 device) const;

  const Surroundings surroundings_;
  const TunerOptions options_;
  const std::uint64_t forks_at_creation_;
  std::atomic<const Resolved *> resolved_{nullptr};
  std::mutex resolve_mutex_;
  std::unique_ptr<const Resolved> resolved_owner_;
  TunerChoices choices_;
  TunerFlights flights_;
  std::unique_ptr<TunerSteps> steps_;
  Choice pinned_;  ///< MODE_PINNED
};

}  // namespace bench::tune
