// SPDX-License-Identifier: Apache-2.0
// Uniformly at random, without repetition.
#include "search/strategy.hpp"

namespace bench::search {
namespace {

class RandomSearch final : public Strategy {
 public:
  explicit RandomSearch(std::uint64_t seed) : random_(seed) {}
  std::vector<std::uint64_t> propose(History &history, std::size_t count, double) override {
    std::vector<std::uint64_t> proposals;
    while (proposals.size() < count) {
      const auto index = unknown_at_random(history, random_);
      if (!index) break;
      history.claim(*index);
      proposals.push_back(*index);
    }
    return proposals;
  }

 private:
  Random random_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(std::uint64_t seed) {
  return std::make_unique<RandomSearch>(seed);
}

}  // namespace bench::search
