// SPDX-License-Identifier: Apache-2.0
#include "search/history.hpp"

#include <algorithm>

namespace bench::search {

void History::add(std::uint64_t index, std::optional<double> time_ns, double cost_ns) {
  known_[index] = trials_.size();
  trials_.push_back({index, landscape_.point_at(index), time_ns, cost_ns});
  if (!time_ns) return;
  const auto place = std::upper_bound(
      ranking_.begin(), ranking_.end(), *time_ns,
      [&](double time, std::size_t other) { return time < *trials_[other].time_ns; });
  ranking_.insert(place, trials_.size() - 1);
}

const Trial *History::find(std::uint64_t index) const {
  const auto found = known_.find(index);
  return found == known_.end() || found->second == pending ? nullptr : &trials_[found->second];
}

}  // namespace bench::search
