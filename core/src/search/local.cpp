// SPDX-License-Identifier: Apache-2.0
// Variable neighbourhood descent: steps from the incumbent, then jumps in one parameter; at a local
// optimum it starts again, by turns far away and near the best.
#include "search/strategy.hpp"

namespace bench::search {
namespace {

// Random points of which the best is where a descent starts.
constexpr std::size_t start_points = 8;

class Local final : public Strategy {
 public:
  explicit Local(std::uint64_t seed) : random_(seed) {}

  std::vector<std::uint64_t> propose(History &history, std::size_t count, double) override {
    std::vector<std::uint64_t> proposals;
    while (proposals.size() < count) {
      if (!starts_.empty() || !current_) {
        if (!pick_start(history, proposals, count)) break;
        continue;
      }
      move(history);
      const std::size_t before = proposals.size();
      propose_neighbours(history, proposals, count);
      if (proposals.size() > before) break;  // their results decide where to go
      current_.reset();                      // a local optimum
    }
    return proposals;
  }

 private:
  /// False where there is nothing to do but wait for results, or at all.
  bool pick_start(History &history, std::vector<std::uint64_t> &proposals, std::size_t count) {
    if (starts_.empty()) {
      if (const Trial *best = history.best(); best && !begun_) {
        begun_ = true;  // others have found something: from there
        current_ = best->index;
        return true;
      }
      begun_ = true;
      const bool near = ++restarts_ % 2 == 0 && history.best();
      while (starts_.size() < start_points) {
        auto index = unknown_at_random(history, random_);
        if (near) {
          const Point &point = history.best()->point;
          if (const auto other =
                  unknown_at(history, cross(history.landscape(), point, point, 0.4, random_)))
            index = other;
        }
        if (!index) break;
        starts_.push_back(*index);
        to_propose_.push_back(*index);
      }
      if (starts_.empty()) return false;
    }
    while (!to_propose_.empty() && proposals.size() < count) {
      const std::uint64_t index = to_propose_.back();
      to_propose_.pop_back();
      // Claimed only now: another strategy may have had it since, or may want it if this one is not
      // asked again.
      if (history.known(index)) continue;
      history.claim(index);
      proposals.push_back(index);
    }
    if (!to_propose_.empty() || proposals.size() >= count) return false;
    const Trial *best = nullptr;
    for (const std::uint64_t index : starts_) {
      const Trial *trial = history.find(index);
      if (!trial && !proposals.empty()) return false;
      if (trial && trial->time_ns && (!best || *trial->time_ns < *best->time_ns)) best = trial;
    }
    starts_.clear();
    if (best) current_ = best->index;
    return true;
  }

  void move(const History &history) {
    for (bool moved = true; moved;) {
      moved = false;
      const Trial *here = history.find(*current_);
      if (!here || !here->time_ns) return;
      const Trial *best = here;
      for (const Point &point : neighbours(history.landscape(), here->point)) {
        const auto index = history.landscape().index_of(point);
        const Trial *trial = index ? history.find(*index) : nullptr;
        if (trial && trial->time_ns && *trial->time_ns < *best->time_ns) best = trial;
      }
      if (best != here) current_ = best->index, moved = true;
    }
  }

  void propose_neighbours(History &history, std::vector<std::uint64_t> &proposals,
                          std::size_t count) {
    const Point point = history.landscape().point_at(*current_);
    for (const Point &other : neighbours(history.landscape(), point)) {
      if (proposals.size() >= count) return;
      if (const auto index = unknown_at(history, other)) {
        history.claim(*index);
        proposals.push_back(*index);
      }
    }
  }

  Random random_;
  std::optional<std::uint64_t> current_;
  std::vector<std::uint64_t> starts_, to_propose_;
  unsigned restarts_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_local(std::uint64_t seed) {
  return std::make_unique<Local>(seed);
}

}  // namespace bench::search
