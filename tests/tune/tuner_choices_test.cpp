// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_choices.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace bench;
using tune::Choice;
using tune::TunerChoices;

namespace {

const Choice *find(const TunerChoices &choices, std::uint64_t hash, std::uint64_t key) {
  return choices.find(hash, [&](const std::vector<std::uint64_t> &words) {
    return words.size() == 1 && words[0] == key;
  });
}

void add(TunerChoices &choices, std::uint64_t hash, std::uint64_t key) {
  auto choice = std::make_unique<Choice>();
  choice->hash = hash;
  choice->key = {key};
  choice->index = 10 * key;
  choices.publish(std::move(choice));
}

}  // namespace

TEST_CASE("an empty table misses") {
  const TunerChoices choices;
  CHECK(find(choices, 0, 0) == nullptr);
  CHECK(find(choices, ~std::uint64_t{0}, 0) == nullptr);
}

TEST_CASE("keys with one hash are told apart by their content") {
  TunerChoices choices;
  for (std::uint64_t key = 1; key <= 20; ++key) add(choices, 7, key);
  for (std::uint64_t key = 1; key <= 20; ++key) {
    REQUIRE(find(choices, 7, key));
    CHECK(find(choices, 7, key)->index == 10 * key);
  }
  CHECK(find(choices, 7, 21) == nullptr);
  CHECK(find(choices, 8, 1) == nullptr);
}

TEST_CASE("choices found before the table grew stay valid") {
  TunerChoices choices;
  add(choices, 1, 1);
  const Choice *first = find(choices, 1, 1);
  for (std::uint64_t key = 2; key < 2000; ++key) add(choices, key, key);
  CHECK(find(choices, 1, 1) == first);
  CHECK(choices.size() == 1999);
}

TEST_CASE("readers see every choice that was published before they looked") {
  TunerChoices choices;
  constexpr std::uint64_t count = 3000;
  std::atomic<std::uint64_t> published{0};
  std::atomic<bool> lost{false};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&] {
      std::uint64_t known = 0;
      while (known < count) {
        known = published.load(std::memory_order_acquire);
        for (std::uint64_t key = known > 40 ? known - 40 : 1; key <= known; ++key) {
          const Choice *choice = find(choices, key * 0x9e3779b97f4a7c15u, key);
          if (!choice || choice->index != 10 * key) lost = true;
        }
        std::this_thread::yield();
      }
    });
  }
  for (std::uint64_t key = 1; key <= count; ++key) {
    add(choices, key * 0x9e3779b97f4a7c15u, key);
    published.store(key, std::memory_order_release);
  }
  for (std::thread &reader : readers) reader.join();
  CHECK_FALSE(lost);
}
