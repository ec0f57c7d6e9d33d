// SPDX-License-Identifier: Apache-2.0
// The default: several strategies on one history, each batch given to one of them, drawn by what
// its batches have gained per second of wall time. A long time without gain brings fresh points;
// the end of the budget goes to the neighbourhood of the best.
#include <algorithm>
#include <cmath>

#include "search/strategy.hpp"

namespace bench::search {
namespace {

// So much of what was gained earlier still counts after each batch.
constexpr double memory = 0.9;
constexpr double least_share = 0.08;
// Batches without any gain, in all, before fresh points come in.
constexpr int patience = 12;

class Portfolio final : public Strategy {
 public:
  Portfolio(std::uint64_t seed, const PortfolioSettings &settings)
      : settings_(settings), random_(seed) {
    arms_.push_back({make_surrogate(seed + 11)});
    arms_.push_back({make_genetic(seed + 12)});
    arms_.push_back({make_local(seed + 13)});
    fresh_ = make_latin(seed + 14);
  }

  std::vector<std::uint64_t> propose(History &history, std::size_t count,
                                     double progress) override {
    credit(history);
    last_size_ = history.trials().size();
    last_best_ = history.best() ? *history.best()->time_ns : 0.0;
    playing_.reset();
    if (history.ranking().empty() || history.trials().size() < first_points)
      return fresh_->propose(history, count, progress);
    if (progress >= settings_.polish_from) {
      std::vector<std::uint64_t> near = polish(history, count);
      if (!near.empty()) return near;
    }
    if (idle_ >= patience) {
      idle_ = 0;
      return fresh_->propose(history, count, progress);
    }
    const std::size_t arm = draw();
    std::vector<std::uint64_t> proposals = arms_[arm].strategy->propose(history, count, progress);
    if (proposals.empty()) return fresh_->propose(history, count, progress);
    playing_ = arm;
    return proposals;
  }

 private:
  static constexpr std::size_t first_points = 20;
  struct Arm {
    std::unique_ptr<Strategy> strategy;
    double gain = 0.0, cost = 0.0;
  };

  void credit(const History &history) {
    if (!playing_ || last_best_ <= 0.0) return;
    const double gain = std::log(last_best_ / *history.best()->time_ns);
    idle_ = gain > 0.0 ? 0 : idle_ + 1;
    double cost = 0.0;
    for (std::size_t i = last_size_; i < history.trials().size(); ++i)
      cost += history.trials()[i].cost_ns;
    for (Arm &arm : arms_) arm.gain *= memory, arm.cost *= memory;
    arms_[*playing_].gain += gain;
    arms_[*playing_].cost += cost;
  }

  std::size_t draw() {
    std::vector<double> rates(arms_.size()), shares(arms_.size());
    double total = 0.0;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      rates[i] = arms_[i].cost > 0.0 ? arms_[i].gain / arms_[i].cost : 0.0;
      total += rates[i];
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      shares[i] = settings_.shares[i] + (total > 0.0 ? rates[i] / total * 0.5 : 0.0);
      shares[i] = std::max(shares[i], least_share);
      sum += shares[i];
    }
    double at = random_.uniform() * sum;
    for (std::size_t i = 0; i + 1 < arms_.size(); ++i) {
      if (at < shares[i]) return i;
      at -= shares[i];
    }
    return arms_.size() - 1;
  }

  /// What is left of the neighbourhoods of the best few, the best first.
  std::vector<std::uint64_t> polish(History &history, std::size_t count) {
    std::vector<std::uint64_t> proposals;
    constexpr std::size_t incumbents = 3;
    for (std::size_t i = 0; i < std::min(incumbents, history.ranking().size()); ++i) {
      const Point point = history.trials()[history.ranking()[i]].point;
      for (const Point &other : neighbours(history.landscape(), point)) {
        if (proposals.size() >= count) return proposals;
        if (const auto index = unknown_at(history, other)) {
          history.claim(*index);
          proposals.push_back(*index);
        }
      }
    }
    return proposals;
  }

  const PortfolioSettings settings_;
  Random random_;
  std::vector<Arm> arms_;
  std::unique_ptr<Strategy> fresh_;
  std::optional<std::size_t> playing_;
  std::size_t last_size_ = 0;
  double last_best_ = 0.0;
  int idle_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_portfolio(std::uint64_t seed) {
  return make_portfolio(seed, {});
}

std::unique_ptr<Strategy> make_portfolio(std::uint64_t seed, const PortfolioSettings &settings) {
  return std::make_unique<Portfolio>(seed, settings);
}

}  // namespace bench::search
