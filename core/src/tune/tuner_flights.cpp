// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_flights.hpp"

#include <chrono>

#include "base/error.hpp"

namespace bench::tune {

namespace {
// An interrupt at a keyboard is felt as immediate below a tenth of a second.
constexpr std::chrono::milliseconds patience{50};
}  // namespace

bool TunerFlights::is_pilot(const std::vector<std::uint64_t> &key) {
  const std::lock_guard lock(mutex_);
  const auto at = flights_.find(key);
  return at != flights_.end() && at->second->pilot == std::this_thread::get_id();
}

const Choice *TunerFlights::fly(const std::vector<std::uint64_t> &key,
                                const std::function<const Choice *()> &find,
                                const std::function<const Choice *()> &tune,
                                const std::function<bool()> &gives_up) {
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock lock(mutex_);
    if (const Choice *choice = find()) return choice;
    if (const auto at = flights_.find(key); at != flights_.end()) {
      flight = at->second;
      if (flight->pilot == std::this_thread::get_id())
        throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                      "a callback looks up the very key that it is being timed for",
                      "bench_tuner_lookup", "launch the configuration that the callback was given");
      while (!flight->done) {
        // Asked without the lock: whoever is asked may wait for a lock of its own (Python's GIL).
        lock.unlock();
        if (gives_up && gives_up()) return nullptr;
        lock.lock();
        if (flight->done) break;
        if (gives_up)
          flight->landed.wait_for(lock, patience);
        else
          flight->landed.wait(lock);
      }
      if (flight->failure) std::rethrow_exception(flight->failure);
      return flight->choice;
    }
    flight = std::make_shared<Flight>();
    flight->pilot = std::this_thread::get_id();
    flights_.emplace(key, flight);
  }
  const Choice *choice = nullptr;
  std::exception_ptr failure;
  try {
    choice = tune();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    flight->done = true;
    flight->choice = choice;
    flight->failure = failure;
    // A failed key is cold again: what failed may have been the machine's state, not the kernel.
    flights_.erase(key);
  }
  flight->landed.notify_all();
  if (failure) std::rethrow_exception(failure);
  return choice;
}

}  // namespace bench::tune
