// SPDX-License-Identifier: Apache-2.0
#include "search/search.hpp"

#include <algorithm>

namespace bench::search {
namespace {

class Run {
 public:
  Run(const Landscape &landscape, const SearchOptions &options, const Evaluate &evaluate)
      : options_(options), evaluate_(evaluate), history_(landscape) {
    begun_ns_ = now_ns();
  }

  History run(Strategy &strategy) {
    std::vector<std::uint64_t> first;
    for (const std::uint64_t index : options_.first) {
      if (first.size() >= options_.budget.evaluations || history_.known(index)) continue;
      history_.claim(index);
      first.push_back(index);
    }
    if (!first.empty()) measure(first);
    while (const std::size_t room = room_left()) {
      const auto proposals = strategy.propose(history_, std::min(room, options_.batch), progress());
      if (proposals.empty()) break;  // the space is exhausted: a normal end
      measure(proposals);
    }
    return std::move(history_);
  }

 private:
  std::int64_t now_ns() const {
    return options_.now_ns ? options_.now_ns() : static_cast<std::int64_t>(spent_ns_);
  }

  void measure(const std::vector<std::uint64_t> &indices) {
    const std::vector<Evaluation> results = evaluate_(indices);
    for (std::size_t i = 0; i < indices.size() && i < results.size(); ++i) {
      history_.add(indices[i], results[i].time_ns, results[i].cost_ns);
      spent_ns_ += results[i].cost_ns;
    }
  }

  std::size_t room_left() const {
    if (options_.should_stop && options_.should_stop()) return 0;
    const std::size_t done = history_.trials().size();
    if (done >= options_.budget.evaluations) return 0;
    std::size_t room = options_.budget.evaluations - done;
    if (options_.budget.time_ns > 0) {
      const double left = static_cast<double>(options_.budget.time_ns - (now_ns() - begun_ns_));
      if (left <= 0.0) return 0;
      const double each = done ? static_cast<double>(now_ns() - begun_ns_) / double(done) : 0.0;
      if (each > 0.0) {
        const double fit = left / each;
        if (fit < 0.5) return 0;
        room = std::min(room, std::max<std::size_t>(1, static_cast<std::size_t>(fit)));
      }
    }
    return room;
  }

  double progress() const {
    double spent = static_cast<double>(history_.trials().size()) /
                   static_cast<double>(options_.budget.evaluations);
    if (options_.budget.time_ns > 0)
      spent = std::max(spent, static_cast<double>(now_ns() - begun_ns_) /
                                  static_cast<double>(options_.budget.time_ns));
    return std::min(spent, 1.0);
  }

  const SearchOptions &options_;
  const Evaluate &evaluate_;
  History history_;
  std::int64_t begun_ns_ = 0;
  double spent_ns_ = 0.0;
};

}  // namespace

History search(const Landscape &landscape, Strategy &strategy, const SearchOptions &options,
               const Evaluate &evaluate) {
  return Run(landscape, options, evaluate).run(strategy);
}

}  // namespace bench::search
