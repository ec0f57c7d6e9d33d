// SPDX-License-Identifier: Apache-2.0
// What a search strategy sees of a space: points are positions in the parameters' value lists.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bench::search {

using Point = std::vector<std::uint32_t>;

class Landscape {
 public:
  virtual ~Landscape() = default;
  /// Valid configurations.
  virtual std::uint64_t size() const = 0;
  /// How many values each parameter has.
  virtual const Point &extents() const = 0;
  virtual Point point_at(std::uint64_t index) const = 0;
  /// Nothing if the point violates a condition.
  virtual std::optional<std::uint64_t> index_of(const Point &point) const = 0;
};

}  // namespace bench::search
