// SPDX-License-Identifier: Apache-2.0
// A recorded space as a landscape: each row is a configuration, failed ones too.
#pragma once
#include <algorithm>
#include <unordered_map>

#include "recording.hpp"
#include "search/landscape.hpp"

namespace bench::search {

class RecordedLandscape final : public Landscape {
 public:
  explicit RecordedLandscape(const recording::Recording &recording) : recording_(recording) {
    for (const auto &values : recording.values)
      extents_.push_back(static_cast<std::uint32_t>(values.size()));
    index_.reserve(recording.rows.size());
    for (const auto &row : recording.rows)
      index_.emplace(code(row.values), static_cast<std::uint64_t>(&row - recording.rows.data()));
  }
  std::uint64_t size() const override { return recording_.rows.size(); }
  const Point &extents() const override { return extents_; }
  Point point_at(std::uint64_t index) const override {
    const auto &values = recording_.rows[index].values;
    return Point(values.begin(), values.end());
  }
  std::optional<std::uint64_t> index_of(const Point &point) const override {
    const auto found = index_.find(code(point));
    if (found == index_.end()) return std::nullopt;
    // Codes of spaces of more than 2^64 points may meet.
    const auto &values = recording_.rows[found->second].values;
    if (!std::equal(values.begin(), values.end(), point.begin(), point.end())) return std::nullopt;
    return found->second;
  }

 private:
  template <typename Positions>
  std::uint64_t code(const Positions &positions) const {
    std::uint64_t code = 0;
    for (std::size_t i = 0; i < extents_.size(); ++i) code = code * extents_[i] + positions[i];
    return code;
  }

  const recording::Recording &recording_;
  Point extents_;
  std::unordered_map<std::uint64_t, std::uint64_t> index_;
};

}  // namespace bench::search
