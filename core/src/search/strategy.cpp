// SPDX-License-Identifier: Apache-2.0
#include "search/strategy.hpp"

#include <functional>

#include "base/error.hpp"

namespace bench::search {
namespace {

struct Known {
  const char *name;
  std::function<std::unique_ptr<Strategy>(std::uint64_t)> make;
};

const std::vector<Known> &all() {
  static const std::vector<Known> known = {
      {"portfolio", [](std::uint64_t seed) { return make_portfolio(seed); }},
      {"surrogate", make_surrogate},
      {"genetic", make_genetic},
      {"differential", make_differential},
      {"local", make_local},
      {"latin", make_latin},
      {"random", make_random},
      {"exhaustive", [](std::uint64_t) { return make_exhaustive(); }}};
  return known;
}

}  // namespace

const std::vector<std::string> &strategy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Known &one : all()) list.emplace_back(one.name);
    return list;
  }();
  return names;
}

std::unique_ptr<Strategy> make_strategy(const std::string &name, std::uint64_t seed) {
  std::string list;
  for (const Known &one : all()) {
    if (name == one.name) return one.make(seed);
    list += (list.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "no search strategy is called '" + name + "'",
                "strategy", "take one of: " + list);
}

std::optional<std::uint64_t> unknown_at_random(const History &history, Random &random) {
  const std::uint64_t size = history.landscape().size();
  if (history.left() == 0) return std::nullopt;
  // Most are unknown as long as it matters; near the end of a small space the rest is walked.
  constexpr int max_draws = 64;
  for (int draw = 0; draw < max_draws; ++draw) {
    const std::uint64_t index = random.below(size);
    if (!history.known(index)) return index;
  }
  const std::uint64_t from = random.below(size);
  for (std::uint64_t step = 0; step < size; ++step) {
    const std::uint64_t index = (from + step) % size;
    if (!history.known(index)) return index;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> unknown_at(const History &history, const Point &point) {
  const auto index = history.landscape().index_of(point);
  return index && !history.known(*index) ? index : std::nullopt;
}

std::vector<Point> neighbours(const Landscape &landscape, const Point &point) {
  std::vector<Point> near, far;
  const Point &extents = landscape.extents();
  for (std::size_t i = 0; i < point.size(); ++i) {
    for (std::uint32_t value = 0; value < extents[i]; ++value) {
      if (value == point[i]) continue;
      Point other = point;
      other[i] = value;
      const bool step = value + 1 == point[i] || value == point[i] + 1;
      (step ? near : far).push_back(std::move(other));
    }
  }
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

Point cross(const Landscape &landscape, const Point &a, const Point &b, double mutation,
            Random &random) {
  Point child(a.size());
  const Point &extents = landscape.extents();
  for (std::size_t i = 0; i < a.size(); ++i) {
    child[i] = random.uniform() < 0.5 ? a[i] : b[i];
    if (random.uniform() >= mutation) continue;
    // A step as often as a jump: values lie in their order.
    if (random.uniform() < 0.5) {
      const bool up = random.uniform() < 0.5;
      if (up && child[i] + 1 < extents[i]) ++child[i];
      if (!up && child[i] > 0) --child[i];
    } else {
      child[i] = static_cast<std::uint32_t>(random.below(extents[i]));
    }
  }
  return child;
}

}  // namespace bench::search
