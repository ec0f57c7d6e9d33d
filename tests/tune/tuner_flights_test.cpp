// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_flights.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"

using namespace bench;
using tune::Choice;
using tune::TunerFlights;

namespace {
const Choice *nothing() {
  return nullptr;
}
}  // namespace

TEST_CASE("threads with one key tune once and share the choice") {
  TunerFlights flights;
  const Choice choice;
  std::atomic<int> tunes{0}, right{0};
  std::atomic<bool> published{false};
  std::vector<std::thread> threads;
  for (int at = 0; at < 16; ++at) {
    threads.emplace_back([&] {
      const Choice *found = flights.fly(
          {1, 2}, [&] { return published ? &choice : nullptr; },
          [&] {
            ++tunes;
            std::this_thread::yield();
            published = true;
            return &choice;
          });
      if (found == &choice) ++right;
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(tunes == 1);
  CHECK(right == 16);
}

TEST_CASE("threads with different keys tune beside each other") {
  TunerFlights flights;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  // Each waits until both are inside: were they serialised, this would never end.
  for (std::uint64_t key = 0; key < 2; ++key) {
    threads.emplace_back([&, key] {
      flights.fly({key}, nothing, [&]() -> const Choice * {
        ++inside;
        while (inside < 2) std::this_thread::yield();
        return nullptr;
      });
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(inside == 2);
}

TEST_CASE("a failure reaches every thread that waited, and leaves the key cold") {
  TunerFlights flights;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int at = 0; at < 8; ++at) {
    threads.emplace_back([&] {
      try {
        flights.fly({7}, nothing, []() -> const Choice * {
          throw Failure(BENCH_ERROR_INTERNAL, "nothing works", "here", "fix it");
        });
      } catch (const Failure &) {
        ++failures;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(failures == 8);
  const Choice choice;
  CHECK(flights.fly({7}, nothing, [&] { return &choice; }) == &choice);
}

TEST_CASE("a callback that looks up its own key is told so instead of waiting for itself") {
  TunerFlights flights;
  bench_status status = BENCH_OK;
  const Choice choice;
  flights.fly({7}, nothing, [&] {
    try {
      flights.fly({7}, nothing, [&] { return &choice; });
    } catch (const Failure &failure) {
      status = failure.status();
    }
    return &choice;
  });
  CHECK(status == BENCH_ERROR_INVALID_ARGUMENT);
}
