// SPDX-License-Identifier: Apache-2.0
// One tune per key: the first thread that misses tunes, the others of the same key wait for it and
// share its outcome, threads of other keys pass.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tune/tuner_choices.hpp"

namespace bench::tune {

class TunerFlights {
 public:
  /// `tune` makes the choice and publishes it before it returns, or throws; whoever waits gets the
  /// same choice or the same exception. `find` looks once more under the lock: the tune of this key
  /// may have ended since the caller missed. A waiter asks `gives_up` (may be empty) now and then,
  /// and returns null where it says so.
  const Choice *fly(const std::vector<std::uint64_t> &key,
                    const std::function<const Choice *()> &find,
                    const std::function<const Choice *()> &tune,
                    const std::function<bool()> &gives_up = {});

  /// This thread tunes `key` at the moment.
  bool is_pilot(const std::vector<std::uint64_t> &key);

 private:
  struct Flight {
    std::condition_variable landed;
    std::thread::id pilot;
    bool done = false;
    const Choice *choice = nullptr;
    std::exception_ptr failure;
  };
  std::mutex mutex_;
  std::map<std::vector<std::uint64_t>, std::shared_ptr<Flight>> flights_;
};

}  // namespace bench::tune
