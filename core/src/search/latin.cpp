// SPDX-License-Identifier: Apache-2.0
// Latin hypercubes: each design of a few points has every part of every parameter's list (McKay,
// Beckman and Conover 1979). A point that violates a condition is drawn anew from its neighbours.
#include <algorithm>

#include "search/strategy.hpp"

namespace bench::search {
namespace {

constexpr std::size_t design_size = 16;

class Latin final : public Strategy {
 public:
  explicit Latin(std::uint64_t seed) : random_(seed) {}

  std::vector<std::uint64_t> propose(History &history, std::size_t count, double) override {
    std::vector<std::uint64_t> proposals;
    fill(history, proposals, count, random_, [&] {
      if (design_.empty()) design_ = design(history.landscape());
      const Point point = design_.back();
      design_.pop_back();
      return valid_near(history, point);
    });
    return proposals;
  }

 private:
  std::vector<Point> design(const Landscape &landscape) {
    const Point &extents = landscape.extents();
    std::vector<Point> points(design_size, Point(extents.size()));
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::vector<std::uint32_t> column;
      for (std::size_t k = 0; k < design_size; ++k) {
        const double at = (static_cast<double>(k) + random_.uniform()) / design_size;
        column.push_back(std::min(static_cast<std::uint32_t>(at * extents[i]), extents[i] - 1));
      }
      random_.shuffle(column);
      for (std::size_t k = 0; k < design_size; ++k) points[k][i] = column[k];
    }
    return points;
  }

  Point valid_near(const History &history, const Point &point) {
    if (unknown_at(history, point)) return point;
    std::vector<Point> near = neighbours(history.landscape(), point);
    random_.shuffle(near);
    for (const Point &other : near) {
      if (unknown_at(history, other)) return other;
    }
    return point;
  }

  Random random_;
  std::vector<Point> design_;
};

}  // namespace

std::unique_ptr<Strategy> make_latin(std::uint64_t seed) {
  return std::make_unique<Latin>(seed);
}

}  // namespace bench::search
