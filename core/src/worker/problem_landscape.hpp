// SPDX-License-Identifier: Apache-2.0
// A problem's space as search strategies see it. Nothing of it is stored one by one.
#pragma once
#include "problem/space.hpp"
#include "search/landscape.hpp"

namespace bench::worker {

class ProblemLandscape final : public search::Landscape {
 public:
  explicit ProblemLandscape(const problem::Space &space) : space_(space) {
    for (const problem::Parameter &parameter : space.parameters())
      extents_.push_back(static_cast<std::uint32_t>(parameter.values.size()));
  }
  std::uint64_t size() const override { return space_.size(); }
  const search::Point &extents() const override { return extents_; }
  search::Point point_at(std::uint64_t index) const override {
    search::Point point(extents_.size());
    space_.indices_at(index, point);
    return point;
  }
  std::optional<std::uint64_t> index_of(const search::Point &point) const override {
    return space_.index_of_indices(point);
  }

 private:
  const problem::Space &space_;
  search::Point extents_;
};

}  // namespace bench::worker
