// SPDX-License-Identifier: Apache-2.0
// Builds the decision diagram of one group of parameters.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "problem/condition.hpp"
#include "problem/space.hpp"

namespace bench::problem {

class Space::GroupBuilder {
 public:
  /// `bytes` and `evaluations` are what the whole space may still use; both are counted down.
  GroupBuilder(const std::vector<Parameter> &parameters, std::vector<const Condition *> conditions,
               Group &group, std::uint64_t &bytes, std::uint64_t &evaluations);
  void build();

 private:
  void order_levels();
  void place_conditions();
  std::uint32_t node(std::uint32_t level);
  std::uint32_t expand(std::uint32_t level);
  void spend(std::uint64_t &budget, std::uint64_t amount, const char *unit) const;

  const std::vector<Parameter> &parameters_;
  std::vector<const Condition *> conditions_;
  Group &group_;
  std::uint64_t &bytes_;
  std::uint64_t &evaluations_;
  std::vector<std::uint32_t> indices_;                 // the assignment so far
  std::vector<std::vector<const Condition *>> ready_;  // conditions complete at a level
  std::vector<std::vector<std::uint32_t>> frontier_;   // parameters that decide a level's node
  std::vector<std::unordered_map<std::string, std::uint32_t>>
      known_;  // nodes of a level by frontier
};

}  // namespace bench::problem
