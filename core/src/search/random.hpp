// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same with every standard library: a seed gives one search everywhere.
#pragma once
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bench::search {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) / 9007199254740992.0; }
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }
  template <typename T>
  void shuffle(std::vector<T> &items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bench::search
