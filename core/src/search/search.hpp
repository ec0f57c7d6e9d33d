// SPDX-License-Identifier: Apache-2.0
// Runs a strategy within a budget.
#pragma once
#include <functional>
#include <vector>

#include "search/strategy.hpp"

namespace bench::search {

struct Budget {
  std::uint64_t evaluations = 400;
  std::int64_t time_ns = 0;  // of the evaluator's clock; 0 = no limit
};

struct Evaluation {
  std::optional<double> time_ns;
  double cost_ns = 0.0;
};

/// Measures configurations and gives one result each, in their order.
using Evaluate = std::function<std::vector<Evaluation>(const std::vector<std::uint64_t> &)>;

struct SearchOptions {
  Budget budget;
  std::size_t batch = 4;
  std::vector<std::uint64_t> first;  // measured before the strategy is asked: default, stored ones
  std::function<std::int64_t()> now_ns;  // empty: the sum of costs
  std::function<bool()> should_stop;     // or empty
};

/// All that was tried, in order. Never more evaluations than the budget has; no batch starts that
/// would end, by the mean cost so far, after the time is over.
History search(const Landscape &landscape, Strategy &strategy, const SearchOptions &options,
               const Evaluate &evaluate);

}  // namespace bench::search
