// SPDX-License-Identifier: Apache-2.0
// A tree ensemble learns the logarithm of the time, and from failures where they lie; the next
// points are the most promising of neighbours of the best, children of the best, and random ones.
#include <algorithm>
#include <cmath>

#include "search/forest.hpp"
#include "search/strategy.hpp"

namespace bench::search {
namespace {

constexpr std::size_t first_points = 20;
constexpr std::size_t near_best = 12;  // whose neighbours are looked at
constexpr std::size_t child_points = 80;
constexpr std::size_t random_points = 120;
constexpr std::size_t most_neighbours = 200;
constexpr double optimism = 1.0;        // deviations below the mean that a point may be credited
constexpr double failure_weight = 4.0;  // of the learned chance of a failure, in log time
// Learning from more is not worth its time: the best and the latest stand for the rest.
constexpr std::size_t most_rows = 600;

class Surrogate final : public Strategy {
 public:
  explicit Surrogate(std::uint64_t seed) : random_(seed), first_(make_latin(seed + 1)) {}

  std::vector<std::uint64_t> propose(History &history, std::size_t count,
                                     double progress) override {
    if (history.trials().size() < first_points || history.ranking().size() < 4)
      return first_->propose(history, count, progress);
    learn(history);
    std::vector<Candidate> pool = candidates(history);
    for (Candidate &candidate : pool) {
      const Forest::Guess time = times_.guess(candidate.point);
      double chance = has_failures_ ? failures_.guess(candidate.point).mean : 0.0;
      candidate.mean = time.mean + failure_weight * chance;
      candidate.bound = candidate.mean - optimism * time.deviation;
    }
    std::vector<std::uint64_t> proposals;
    // Half by what may be, half by what is expected.
    while (proposals.size() < count && !pool.empty()) {
      const bool bold = turn_++ % 2 == 0;
      const auto best =
          std::min_element(pool.begin(), pool.end(), [&](const Candidate &a, const Candidate &b) {
            return bold ? a.bound < b.bound : a.mean < b.mean;
          });
      if (!history.known(best->index)) {
        history.claim(best->index);
        proposals.push_back(best->index);
      }
      *best = std::move(pool.back());
      pool.pop_back();
    }
    return proposals;
  }

 private:
  struct Candidate {
    std::uint64_t index;
    Point point;
    double mean = 0.0, bound = 0.0;
  };

  void learn(const History &history) {
    const auto &trials = history.trials();
    std::vector<const Point *> points, tried;
    std::vector<double> targets, failed;
    const std::size_t from = trials.size() > most_rows ? trials.size() - most_rows : 0;
    for (std::size_t i = from; i < trials.size(); ++i) {
      tried.push_back(&trials[i].point);
      failed.push_back(trials[i].time_ns ? 0.0 : 1.0);
      if (!trials[i].time_ns) continue;
      points.push_back(&trials[i].point);
      targets.push_back(std::log(*trials[i].time_ns));
    }
    const std::size_t keep = std::min<std::size_t>(history.ranking().size(), most_rows / 4);
    for (std::size_t i = 0; from > 0 && i < keep; ++i) {
      const Trial &trial = trials[history.ranking()[i]];
      points.push_back(&trial.point);
      targets.push_back(std::log(*trial.time_ns));
    }
    if (points.empty()) return;
    times_.fit(points, targets, random_);
    has_failures_ = std::find(failed.begin(), failed.end(), 1.0) != failed.end();
    if (has_failures_) failures_.fit(tried, failed, random_);
  }

  std::vector<Candidate> candidates(const History &history) {
    const Landscape &landscape = history.landscape();
    std::vector<Candidate> pool;
    const auto add = [&](Point point) {
      if (const auto index = unknown_at(history, point)) pool.push_back({*index, std::move(point)});
    };
    const auto &ranking = history.ranking();
    const std::size_t best = std::min(near_best, ranking.size());
    for (std::size_t i = 0; i < best; ++i) {
      std::vector<Point> near = neighbours(landscape, history.trials()[ranking[i]].point);
      if (near.size() > most_neighbours / best) {
        random_.shuffle(near);
        near.resize(std::max<std::size_t>(most_neighbours / best, 1));
      }
      for (Point &point : near) add(std::move(point));
    }
    const std::size_t parents = std::min<std::size_t>(20, ranking.size());
    const double mutation = 1.5 / static_cast<double>(landscape.extents().size());
    for (std::size_t i = 0; i < child_points; ++i) {
      const Point &a = history.trials()[ranking[random_.below(parents)]].point;
      const Point &b = history.trials()[ranking[random_.below(parents)]].point;
      add(cross(landscape, a, b, mutation, random_));
    }
    for (std::size_t i = 0; i < random_points; ++i) {
      const std::uint64_t index = random_.below(landscape.size());
      if (!history.known(index)) pool.push_back({index, landscape.point_at(index)});
    }
    if (pool.empty()) {
      if (const auto index = unknown_at_random(history, random_))
        pool.push_back({*index, landscape.point_at(*index)});
    }
    return pool;
  }

  Random random_;
  std::unique_ptr<Strategy> first_;
  Forest times_, failures_;
  bool has_failures_ = false;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(std::uint64_t seed) {
  return std::make_unique<Surrogate>(seed);
}

}  // namespace bench::search
