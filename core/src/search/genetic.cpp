// SPDX-License-Identifier: Apache-2.0
// A steady-state genetic algorithm: the population is the best that anybody found.
#include <algorithm>

#include "search/strategy.hpp"

namespace bench::search {
namespace {

constexpr std::size_t population = 20;
constexpr double mutations = 1.0;  // expected in a child

class Genetic final : public Strategy {
 public:
  explicit Genetic(std::uint64_t seed) : random_(seed), first_(make_latin(seed + 1)) {}

  std::vector<std::uint64_t> propose(History &history, std::size_t count,
                                     double progress) override {
    if (history.trials().size() < population || history.ranking().size() < 2)
      return first_->propose(history, count, progress);
    std::vector<std::uint64_t> proposals;
    const Landscape &landscape = history.landscape();
    const double mutation = mutations / static_cast<double>(landscape.extents().size());
    fill(history, proposals, count, random_, [&] {
      const Point &a = parent(history), &b = parent(history);
      return cross(landscape, a, b, mutation, random_);
    });
    return proposals;
  }

 private:
  /// The better of two of the population.
  const Point &parent(const History &history) {
    const std::size_t alive = std::min(population, history.ranking().size());
    const std::size_t one = random_.below(alive), other = random_.below(alive);
    return history.trials()[history.ranking()[std::min(one, other)]].point;
  }

  Random random_;
  std::unique_ptr<Strategy> first_;
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(std::uint64_t seed) {
  return std::make_unique<Genetic>(seed);
}

}  // namespace bench::search
