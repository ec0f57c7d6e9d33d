// SPDX-License-Identifier: Apache-2.0
// A space with a known optimum: a bowl in four parameters, a tenth of it forbidden.
#pragma once
#include <algorithm>
#include <cmath>

#include "search/search.hpp"

namespace bench::test {

class Bowl final : public search::Landscape {
 public:
  explicit Bowl(std::uint32_t side = 12) : side_(side), extents_(4, side) {
    search::Point point(4, 0);
    for (;;) {
      if (valid(point)) points_.push_back(point);
      std::size_t at = 0;
      while (at < 4 && ++point[at] == side_) point[at++] = 0;
      if (at == 4) break;
    }
  }
  std::uint64_t size() const override { return points_.size(); }
  const search::Point &extents() const override { return extents_; }
  search::Point point_at(std::uint64_t index) const override { return points_[index]; }
  std::optional<std::uint64_t> index_of(const search::Point &point) const override {
    const auto found = std::lower_bound(points_.begin(), points_.end(), point, less);
    if (found == points_.end() || *found != point) return std::nullopt;
    return static_cast<std::uint64_t>(found - points_.begin());
  }
  bool valid(const search::Point &point) const { return (point[0] + point[1]) % 10 != 9; }
  /// Fails in a corner; the fastest of the rest takes 100.
  std::optional<double> time(std::uint64_t index) const {
    const search::Point &p = points_[index];
    if (p[0] + 2 >= side_) return std::nullopt;
    double sum = 0.0;
    const double best[] = {3, 4, 7, 2};
    for (std::size_t i = 0; i < 4; ++i) sum += std::pow(double(p[i]) - best[i], 2);
    return 100.0 + sum;
  }
  std::vector<search::Evaluation> measure(const std::vector<std::uint64_t> &indices) {
    std::vector<search::Evaluation> results;
    for (const std::uint64_t index : indices) results.push_back({time(index), 1000.0});
    return results;
  }

 private:
  /// In the order in which the constructor counts.
  static bool less(const search::Point &a, const search::Point &b) {
    for (std::size_t i = a.size(); i-- > 0;) {
      if (a[i] != b[i]) return a[i] < b[i];
    }
    return false;
  }
  const std::uint32_t side_;
  search::Point extents_;
  std::vector<search::Point> points_;
};

}  // namespace bench::test
