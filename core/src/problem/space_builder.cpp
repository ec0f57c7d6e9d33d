// SPDX-License-Identifier: Apache-2.0
#include "problem/space_builder.hpp"

#include <algorithm>
#include <cmath>

namespace bench::problem {
namespace {

constexpr std::uint32_t dead = UINT32_MAX;  // no configuration below
// Choosing an order costs the cube of the group's size; larger groups keep the declared order.
constexpr std::size_t max_ordered = 64;
// What one entry of the table of known nodes costs beside its key.
constexpr std::uint64_t entry_bytes = 96;

}  // namespace

Space::GroupBuilder::GroupBuilder(const std::vector<Parameter> &parameters,
                                  std::vector<const Condition *> conditions, Group &group,
                                  std::uint64_t &bytes, std::uint64_t &evaluations)
    : parameters_(parameters),
      conditions_(std::move(conditions)),
      group_(group),
      bytes_(bytes),
      evaluations_(evaluations),
      indices_(parameters.size()) {}

/// Next comes the parameter that leaves the fewest values to be remembered by later conditions;
/// ties keep the declared order.
void Space::GroupBuilder::order_levels() {
  if (group_.levels.size() > max_ordered) return;
  std::vector<std::uint32_t> left = group_.levels, order;
  std::vector<bool> assigned(parameters_.size(), false);
  while (!left.empty()) {
    std::size_t best = 0;
    double best_weight = HUGE_VAL;
    for (std::size_t i = 0; i < left.size(); ++i) {
      assigned[left[i]] = true;
      std::vector<std::uint32_t> open;  // assigned, and read by a condition that is not complete
      for (const Condition *condition : conditions_) {
        const auto &used = condition->parameters();
        if (std::all_of(used.begin(), used.end(), [&](auto p) { return assigned[p]; })) continue;
        for (const std::uint32_t p : used) {
          if (assigned[p] && std::find(open.begin(), open.end(), p) == open.end())
            open.push_back(p);
        }
      }
      double weight = 0;
      for (const std::uint32_t p : open)
        weight += std::log2(static_cast<double>(parameters_[p].values.size()));
      assigned[left[i]] = false;
      if (weight < best_weight) best_weight = weight, best = i;
    }
    assigned[left[best]] = true;
    order.push_back(left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  group_.levels = order;
}

void Space::GroupBuilder::place_conditions() {
  const std::size_t depth = group_.levels.size();
  std::vector<std::size_t> level_of(parameters_.size(), 0);
  for (std::size_t level = 0; level < depth; ++level) level_of[group_.levels[level]] = level;
  std::vector<std::size_t> last_use(depth, 0);  // by level: the last level whose conditions read it
  ready_.resize(depth);
  for (const Condition *condition : conditions_) {
    std::size_t last = 0;
    for (const std::uint32_t p : condition->parameters()) last = std::max(last, level_of[p]);
    for (const std::uint32_t p : condition->parameters()) {
      last_use[level_of[p]] = std::max(last_use[level_of[p]], last);
    }
    ready_[last].push_back(condition);
  }
  frontier_.resize(depth);
  for (std::size_t level = 0; level < depth; ++level) {
    for (std::size_t earlier = 0; earlier < level; ++earlier) {
      if (last_use[earlier] >= level) frontier_[level].push_back(group_.levels[earlier]);
    }
  }
  known_.resize(depth);
}

void Space::GroupBuilder::spend(std::uint64_t &budget, std::uint64_t amount,
                                const char *unit) const {
  if (budget >= amount) {
    budget -= amount;
    return;
  }
  const Condition *widest = conditions_[0];
  for (const Condition *condition : conditions_) {
    if (condition->parameters().size() > widest->parameters().size()) widest = condition;
  }
  std::string bound;
  for (const std::uint32_t p : widest->parameters()) {
    bound += (bound.empty() ? "" : ", ") + parameters_[p].name + " (" +
             std::to_string(parameters_[p].values.size()) + " values)";
  }
  throw Failure(
      BENCH_ERROR_OUT_OF_RESOURCES,
      std::string("the space needs more ") + unit + " than allowed: its widest condition binds " +
          bound,
      "condition `" + widest->expression().text() + "`",
      "give these parameters fewer values, or split the condition into ones that bind fewer");
}

std::uint32_t Space::GroupBuilder::node(std::uint32_t level) {
  if (level == group_.levels.size()) return 0;
  // Where every earlier parameter still matters no two nodes are the same.
  if (level == 0 || frontier_[level].size() == level) return expand(level);
  std::string key;
  key.reserve(frontier_[level].size() * sizeof(std::uint32_t));
  for (const std::uint32_t p : frontier_[level]) {
    key.append(reinterpret_cast<const char *>(&indices_[p]), sizeof(std::uint32_t));
  }
  const auto found = known_[level].find(key);
  if (found != known_[level].end()) return found->second;
  spend(bytes_, entry_bytes + key.size(), "memory");
  const std::uint32_t made = expand(level);
  known_[level].emplace(std::move(key), made);
  return made;
}

std::uint32_t Space::GroupBuilder::expand(std::uint32_t level) {
  const std::uint32_t parameter = group_.levels[level];
  std::vector<Edge> edges;
  std::uint64_t count = 0;
  for (std::uint32_t value = 0; value < parameters_[parameter].values.size(); ++value) {
    indices_[parameter] = value;
    spend(evaluations_, 1, "evaluations of conditions");
    const bool holds =
        std::all_of(ready_[level].begin(), ready_[level].end(),
                    [&](const Condition *condition) { return condition->holds(indices_); });
    if (!holds) continue;
    const std::uint32_t child = node(level + 1);
    if (child == dead) continue;
    edges.push_back({count, value, child});
    if (__builtin_add_overflow(count, group_.nodes[child].count, &count)) {
      throw Failure(BENCH_ERROR_OUT_OF_RESOURCES, "more than 2^64 valid configurations",
                    "ConfigurationSpace", "add conditions, or give the parameters fewer values");
    }
  }
  if (edges.empty()) return dead;
  spend(bytes_, sizeof(DiagramNode) + edges.size() * sizeof(Edge), "memory");
  group_.nodes.push_back(
      {count, group_.edges.size(), static_cast<std::uint32_t>(edges.size()), level});
  group_.edges.insert(group_.edges.end(), edges.begin(), edges.end());
  return static_cast<std::uint32_t>(group_.nodes.size() - 1);
}

void Space::GroupBuilder::build() {
  order_levels();
  place_conditions();
  group_.nodes.push_back({1, 0, 0, static_cast<std::uint32_t>(group_.levels.size())});
  group_.root = node(0);
  group_.count = group_.root == dead ? 0 : group_.nodes[group_.root].count;
  group_.nodes.shrink_to_fit();
  group_.edges.shrink_to_fit();
}

}  // namespace bench::problem
