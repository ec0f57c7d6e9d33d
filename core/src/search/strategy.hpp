// SPDX-License-Identifier: Apache-2.0
// A search strategy: one file behind this interface, one line in make_strategy().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/history.hpp"
#include "search/random.hpp"

namespace bench::search {

class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Up to `count` configurations that nobody has proposed, claimed in `history`, which holds the
  /// results of all proposals so far. Fewer: it has no more ideas; none: it has none at all.
  /// `progress` is the part of the budget that is spent, 0 to 1.
  virtual std::vector<std::uint64_t> propose(History &history, std::size_t count,
                                             double progress) = 0;
};

std::unique_ptr<Strategy> make_exhaustive();
std::unique_ptr<Strategy> make_random(std::uint64_t seed);
std::unique_ptr<Strategy> make_latin(std::uint64_t seed);
std::unique_ptr<Strategy> make_local(std::uint64_t seed);
std::unique_ptr<Strategy> make_genetic(std::uint64_t seed);
std::unique_ptr<Strategy> make_differential(std::uint64_t seed);
std::unique_ptr<Strategy> make_surrogate(std::uint64_t seed);
/// What may be varied of the portfolio; the defaults are what ships.
struct PortfolioSettings {
  /// Before anything is known: of surrogate, genetic and local search. The surrogate is best on
  /// average, and no strategy is best everywhere.
  double shares[3] = {0.6, 0.25, 0.15};
  /// From this part of the budget on the neighbourhoods of the best few are tried out.
  double polish_from = 0.9;
};
std::unique_ptr<Strategy> make_portfolio(std::uint64_t seed);
std::unique_ptr<Strategy> make_portfolio(std::uint64_t seed, const PortfolioSettings &settings);

/// Names of all strategies, the default first.
const std::vector<std::string> &strategy_names();
/// Throws Failure that lists the names.
std::unique_ptr<Strategy> make_strategy(const std::string &name, std::uint64_t seed);

// ---- For strategies ----

/// One that nobody has, uniformly; nothing where all are taken.
std::optional<std::uint64_t> unknown_at_random(const History &history, Random &random);
/// The index of a point if it is valid and nobody has it.
std::optional<std::uint64_t> unknown_at(const History &history, const Point &point);
/// Points that differ in one parameter: by one step first, then by any.
std::vector<Point> neighbours(const Landscape &landscape, const Point &point);
/// Each parameter from one of two; each changed with probability `mutation`.
Point cross(const Landscape &landscape, const Point &a, const Point &b, double mutation,
            Random &random);
/// Fills `proposals` to `count` with what `idea` gives, and random ones where it fails too often.
template <typename Idea>
void fill(History &history, std::vector<std::uint64_t> &proposals, std::size_t count,
          Random &random, Idea &&idea) {
  constexpr int max_trials = 40;
  while (proposals.size() < count) {
    std::optional<std::uint64_t> index;
    for (int trial = 0; trial < max_trials && !index; ++trial) index = unknown_at(history, idea());
    if (!index) index = unknown_at_random(history, random);
    if (!index) return;
    history.claim(*index);
    proposals.push_back(*index);
  }
}

}  // namespace bench::search
