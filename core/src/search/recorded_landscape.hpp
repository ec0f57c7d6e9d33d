// SPDX-License-Identifier: Apache-2.0
// A recorded space as a landscape: each row is a configuration, failed ones too.
#pragma once
#include "recording.hpp"
#include "search/landscape.hpp"

namespace bench::search {

class RecordedLandscape final : public Landscape {
 public:
  explicit RecordedLandscape(const recording::Recording &recording) : recording_(recording) {
    for (const auto &values : recording.values)
      extents_.push_back(static_cast<std::uint32_t>(values.size()));
  }
  std::uint64_t size() const override { return recording_.rows.size(); }
  const Point &extents() const override { return extents_; }
  Point point_at(std::uint64_t index) const override {
    const auto &values = recording_.rows[index].values;
    return Point(values.begin(), values.end());
  }
  std::optional<std::uint64_t> index_of(const Point &point) const override {
    const std::vector<std::uint16_t> positions(point.begin(), point.end());
    const recording::Row *row = recording_.find(positions);
    if (!row) return std::nullopt;
    return static_cast<std::uint64_t>(row - recording_.rows.data());
  }

 private:
  const recording::Recording &recording_;
  Point extents_;
};

}  // namespace bench::search
