// SPDX-License-Identifier: Apache-2.0
// Differential evolution on positions in the value lists (Storn and Price 1997), current-to-best: a
// child replaces the member that it was made from, if it is faster.
#include <algorithm>
#include <cmath>
#include <map>

#include "search/strategy.hpp"

namespace bench::search {
namespace {

constexpr std::size_t population = 20;
constexpr double difference_weight = 0.7;
constexpr double crossover = 0.7;

class Differential final : public Strategy {
 public:
  explicit Differential(std::uint64_t seed) : random_(seed), first_(make_latin(seed + 1)) {}

  std::vector<std::uint64_t> propose(History &history, std::size_t count,
                                     double progress) override {
    if (members_.empty() && history.ranking().size() < population &&
        history.trials().size() < 2 * population)
      return first_->propose(history, count, progress);
    if (members_.empty()) {
      for (std::size_t i = 0; i < std::min(population, history.ranking().size()); ++i)
        members_.push_back(history.ranking()[i]);
    }
    if (members_.size() < 4) return first_->propose(history, count, progress);
    replace(history);
    std::vector<std::uint64_t> proposals;
    while (proposals.size() < count) {
      const std::size_t slot = turn_++ % members_.size();
      const std::size_t before = proposals.size();
      fill(history, proposals, before + 1, random_, [&] { return child(history, slot); });
      if (proposals.size() == before) break;
      children_[proposals.back()] = slot;
    }
    return proposals;
  }

 private:
  void replace(const History &history) {
    for (auto at = children_.begin(); at != children_.end();) {
      const Trial *trial = history.find(at->first);
      if (!trial) {
        ++at;
        continue;
      }
      std::size_t &member = members_[at->second];
      if (trial->time_ns && *trial->time_ns < *history.trials()[member].time_ns)
        member = static_cast<std::size_t>(trial - history.trials().data());
      at = children_.erase(at);
    }
  }

  Point child(const History &history, std::size_t slot) {
    const auto member = [&](std::size_t at) -> const Point & {
      return history.trials()[members_[at]].point;
    };
    const Point &target = member(slot), &best = history.best()->point;
    const Point &a = member(random_.below(members_.size())),
                &b = member(random_.below(members_.size()));
    const Point &extents = history.landscape().extents();
    Point child = target;
    const std::size_t sure = random_.below(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (i != sure && random_.uniform() >= crossover) continue;
      const double at = target[i] + difference_weight * (double(best[i]) - target[i]) +
                        difference_weight * (double(a[i]) - b[i]) + random_.uniform() - 0.5;
      child[i] = static_cast<std::uint32_t>(std::clamp(std::round(at), 0.0, extents[i] - 1.0));
    }
    return child;
  }

  Random random_;
  std::unique_ptr<Strategy> first_;
  std::vector<std::size_t> members_;               // positions in trials()
  std::map<std::uint64_t, std::size_t> children_;  // index to slot, not yet measured
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_differential(std::uint64_t seed) {
  return std::make_unique<Differential>(seed);
}

}  // namespace bench::search
