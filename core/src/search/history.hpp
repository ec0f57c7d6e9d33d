// SPDX-License-Identifier: Apache-2.0
// What a search knows so far. Shared by all strategies: none measures again what another did.
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/landscape.hpp"

namespace bench::search {

struct Trial {
  std::uint64_t index = 0;
  Point point;
  std::optional<double> time_ns;  // nothing: it failed
  double cost_ns = 0.0;           // wall time that it took, compilation included
};

class History {
 public:
  explicit History(const Landscape &landscape) : landscape_(landscape) {}

  /// The index is taken: proposed, and perhaps not yet measured.
  void claim(std::uint64_t index) { known_.emplace(index, pending); }
  bool known(std::uint64_t index) const { return known_.count(index) != 0; }
  void add(std::uint64_t index, std::optional<double> time_ns, double cost_ns);

  const std::vector<Trial> &trials() const { return trials_; }
  /// The trial of an index; NULL if it is not measured.
  const Trial *find(std::uint64_t index) const;
  /// The fastest first: positions in trials() of those that ran.
  const std::vector<std::size_t> &ranking() const { return ranking_; }
  const Trial *best() const { return ranking_.empty() ? nullptr : &trials_[ranking_[0]]; }
  std::uint64_t left() const { return landscape_.size() - known_.size(); }
  const Landscape &landscape() const { return landscape_; }

 private:
  static constexpr std::size_t pending = static_cast<std::size_t>(-1);
  const Landscape &landscape_;
  std::vector<Trial> trials_;
  std::vector<std::size_t> ranking_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
};

}  // namespace bench::search
