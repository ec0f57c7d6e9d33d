// SPDX-License-Identifier: Apache-2.0
#include "problem/space.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "problem/condition.hpp"
#include "problem/space_builder.hpp"

namespace bench::problem {
namespace {

Failure space_failure(const std::string &what, const std::string &hint) {
  return Failure(BENCH_ERROR_INVALID_ARGUMENT, what, "ConfigurationSpace", hint);
}

/// Equal for values that compare equal.
std::string value_key(const Value &value) {
  if (value.is_text()) return "t" + value.text();
  if (!value.is_real()) return "n" + std::to_string(value.integer());
  const double real = value.real();
  const bool whole = real >= -9.0e18 && real <= 9.0e18 &&
                     real == static_cast<double>(static_cast<std::int64_t>(real));
  return "n" + (whole ? std::to_string(static_cast<std::int64_t>(real)) : value.to_text());
}

void check_parameters(std::vector<Parameter> &parameters, const SpaceLimits &limits) {
  if (parameters.size() > limits.parameters) {
    throw space_failure(std::to_string(parameters.size()) + " tuning parameters",
                        "at most " + std::to_string(limits.parameters) + " are read");
  }
  std::unordered_set<std::string> names;
  for (Parameter &parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      throw space_failure("parameter '" + parameter.name + "' is declared twice",
                          "rename or remove one of them");
    }
    if (parameter.values.empty()) {
      throw space_failure("parameter '" + parameter.name + "' has no values",
                          "give at least one, e.g. [1]");
    }
    std::unordered_set<std::string> seen;
    List kept;
    for (Value &value : parameter.values) {
      if (value.is_list()) {
        throw space_failure(
            "parameter '" + parameter.name + "' has the list " + value.to_text() + " as a value",
            "values are numbers, booleans or texts");
      }
      if (seen.insert(value_key(value)).second) kept.push_back(std::move(value));
    }
    parameter.values = std::move(kept);
  }
}

/// Group number of each parameter: those tied by a condition share one.
std::vector<std::uint32_t> tie_parameters(std::size_t count,
                                          const std::vector<Condition> &conditions) {
  std::vector<std::uint32_t> parent(count);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  for (const Condition &condition : conditions) {
    for (const std::uint32_t p : condition.parameters())
      parent[root(p)] = root(condition.parameters()[0]);
  }
  for (std::uint32_t p = 0; p < count; ++p) parent[p] = root(p);
  return parent;
}

}  // namespace

Space Space::build(std::vector<Parameter> parameters, const std::vector<std::string> &conditions,
                   const Constants &constants, const SpaceLimits &limits) {
  Space space;
  check_parameters(parameters, limits);
  space.parameters_ = std::move(parameters);
  space.constants_ = constants;
  space.limits_ = limits;
  for (const auto &text : conditions) space.conditions_.push_back(Expression::parse(text));

  std::vector<Condition> compiled;
  compiled.reserve(space.conditions_.size());
  for (const auto &expression : space.conditions_)
    compiled.emplace_back(expression, space.parameters_, space.constants_);
  const auto root = tie_parameters(space.parameters_.size(), compiled);

  space.size_ = 1;
  std::vector<std::uint32_t> group_of(root.size(), UINT32_MAX);
  for (std::uint32_t p = 0; p < root.size(); ++p) {
    if (group_of[root[p]] == UINT32_MAX) {
      group_of[root[p]] = static_cast<std::uint32_t>(space.groups_.size());
      space.groups_.emplace_back();
    }
    space.groups_[group_of[root[p]]].levels.push_back(p);
  }
  std::vector<std::vector<const Condition *>> group_conditions(space.groups_.size());
  for (const Condition &condition : compiled) {
    if (!condition.parameters().empty()) {
      group_conditions[group_of[root[condition.parameters()[0]]]].push_back(&condition);
    } else if (!condition.holds({})) {  // of constants alone: for all or for none
      space.size_ = 0;
    }
  }
  std::uint64_t bytes = limits.bytes, evaluations = limits.evaluations;
  for (std::size_t g = 0; g < space.groups_.size(); ++g) {
    Group &group = space.groups_[g];
    if (group_conditions[g].empty()) {
      group.free = true;
      group.count = space.parameters_[group.levels[0]].values.size();
    } else {
      GroupBuilder(space.parameters_, group_conditions[g], group, bytes, evaluations).build();
    }
  }
  for (const Group &group : space.groups_) {
    if (group.count == 0) space.size_ = 0;
  }
  for (const Group &group : space.groups_) {
    if (space.size_ && __builtin_mul_overflow(space.size_, group.count, &space.size_)) {
      throw Failure(BENCH_ERROR_OUT_OF_RESOURCES, "more than 2^64 valid configurations",
                    "ConfigurationSpace", "add conditions, or give the parameters fewer values");
    }
  }
  return space;
}

double Space::raw() const {
  double product = 1;
  for (const Parameter &parameter : parameters_)
    product *= static_cast<double>(parameter.values.size());
  return product;
}

std::string Space::raw_text() const {
  constexpr std::uint64_t base = 1'000'000'000;
  std::vector<std::uint32_t> digits{1};  // least first: the product may pass any integer type
  for (const Parameter &parameter : parameters_) {
    std::uint64_t carry = 0;
    for (std::uint32_t &digit : digits) {
      carry += std::uint64_t{digit} * parameter.values.size();
      digit = static_cast<std::uint32_t>(carry % base);
      carry /= base;
    }
    if (carry) digits.push_back(static_cast<std::uint32_t>(carry));
  }
  std::string text = std::to_string(digits.back());
  for (std::size_t i = digits.size() - 1; i-- > 0;) {
    const std::string part = std::to_string(digits[i]);
    text += std::string(9 - part.size(), '0') + part;
  }
  return text;
}

std::vector<std::string> Space::names() const {
  std::vector<std::string> names;
  for (const Parameter &parameter : parameters_) names.push_back(parameter.name);
  return names;
}

void Space::indices_at(std::uint64_t index, std::span<std::uint32_t> indices) const {
  if (index >= size_) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "configuration " + std::to_string(index) + " of " + std::to_string(size_),
                  "space", "indices run from 0 to the number of valid configurations less one");
  }
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    std::uint64_t rest = index % group->count;
    index /= group->count;
    if (group->free) {
      indices[group->levels[0]] = static_cast<std::uint32_t>(rest);
      continue;
    }
    std::uint32_t at = group->root;
    for (const std::uint32_t parameter : group->levels) {
      const Edge *first = &group->edges[group->nodes[at].first];
      const Edge *last = first + group->nodes[at].edges;
      const Edge *edge =
          std::upper_bound(first, last, rest,
                           [](std::uint64_t r, const Edge &e) { return r < e.before; }) -
          1;
      indices[parameter] = edge->value;
      rest -= edge->before;
      at = edge->child;
    }
  }
}

Configuration Space::at(std::uint64_t index) const {
  std::vector<std::uint32_t> indices(parameters_.size());
  indices_at(index, indices);
  Configuration configuration{index, {}};
  for (std::size_t p = 0; p < indices.size(); ++p)
    configuration.values.push_back(parameters_[p].values[indices[p]]);
  return configuration;
}

std::optional<std::uint64_t> Space::index_of_indices(std::span<const std::uint32_t> indices) const {
  if (size_ == 0 || indices.size() != parameters_.size()) return std::nullopt;
  std::uint64_t index = 0;
  for (const Group &group : groups_) {
    std::uint64_t within = 0;
    std::uint32_t at = group.root;
    for (const std::uint32_t parameter : group.levels) {
      const std::uint32_t value = indices[parameter];
      if (group.free) {
        if (value >= group.count) return std::nullopt;
        within = value;
        break;
      }
      const Edge *first = &group.edges[group.nodes[at].first];
      const Edge *last = first + group.nodes[at].edges;
      const Edge *edge = std::lower_bound(
          first, last, value, [](const Edge &e, std::uint32_t v) { return e.value < v; });
      if (edge == last || edge->value != value) return std::nullopt;
      within += edge->before;
      at = edge->child;
    }
    index = index * group.count + within;
  }
  return index;
}

std::optional<std::uint64_t> Space::index_of(std::span<const Value> values) const {
  if (values.size() != parameters_.size()) return std::nullopt;
  std::vector<std::uint32_t> indices;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const auto &list = parameters_[p].values;
    const auto found = std::find(list.begin(), list.end(), values[p]);
    if (found == list.end()) return std::nullopt;
    indices.push_back(static_cast<std::uint32_t>(found - list.begin()));
  }
  return index_of_indices(indices);
}

std::uint64_t Space::nearest(std::span<const std::uint32_t> wanted) const {
  constexpr std::uint64_t changed = std::uint64_t{1} << 32;  // outweighs any steps within a list
  std::vector<std::uint32_t> indices(wanted.begin(), wanted.end());
  for (const Group &group : groups_) {
    if (group.free || group.count == 0) continue;
    // Shortest way through the diagram; children come before their parents.
    std::vector<std::uint64_t> cost(group.nodes.size(), 0), choice(group.nodes.size(), 0);
    for (std::size_t n = 1; n < group.nodes.size(); ++n) {
      const DiagramNode &node = group.nodes[n];
      const std::uint32_t want = wanted[group.levels[node.level]];
      cost[n] = UINT64_MAX;
      for (std::uint64_t e = node.first; e < node.first + node.edges; ++e) {
        const Edge &edge = group.edges[e];
        const std::uint64_t steps = edge.value > want ? edge.value - want : want - edge.value;
        const std::uint64_t total = cost[edge.child] + (steps ? changed + steps : 0);
        if (total < cost[n]) cost[n] = total, choice[n] = e;
      }
    }
    std::uint32_t at = group.root;
    for (const std::uint32_t parameter : group.levels) {
      const Edge &edge = group.edges[choice[at]];
      indices[parameter] = edge.value;
      at = edge.child;
    }
  }
  const auto index = index_of_indices(indices);
  if (!index) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "no configuration is valid", "space",
                  "loosen a condition");
  }
  return *index;
}

std::string Space::explain_empty() const {
  if (size_ > 0) return "";
  std::vector<std::string> texts;
  std::string before = raw_text();
  for (const Expression &condition : conditions_) {
    texts.push_back(condition.text());
    std::uint64_t left = 0;
    try {
      left = build(parameters_, texts, constants_, limits_).size();
    } catch (const Failure &failure) {
      if (failure.status() != BENCH_ERROR_OUT_OF_RESOURCES) throw;
      before = "too many to count";
      continue;
    }
    if (left == 0) {
      return "condition " + std::to_string(texts.size()) + " `" + condition.text() +
             "` leaves none of the " + before +
             (texts.size() == 1 ? " combinations"
                                : " configurations that the conditions before it allow");
    }
    before = std::to_string(left);
  }
  return "the conditions together leave no configuration";
}

Space::Cursor::Cursor(const Space &space) : space_(space), indices_(space.parameters_.size()) {
  for (const Group &group : space.groups_) {
    for (const std::uint32_t parameter : group.levels) {
      levels_.push_back({&group, parameter, parameter == group.levels[0], 0, 0});
    }
  }
}

bool Space::Cursor::start() {
  started_ = true;
  return space_.size_ > 0 && descend(0);
}

bool Space::Cursor::descend(std::size_t level) {
  for (; level < levels_.size(); ++level) {
    Level &here = levels_[level];
    if (here.group->free) {
      here.at = 0;
      here.end = here.group->count;
    } else {
      const std::uint32_t at =
          here.first ? here.group->root : here.group->edges[levels_[level - 1].at].child;
      here.at = here.group->nodes[at].first;
      here.end = here.at + here.group->nodes[at].edges;
    }
    set(level);
  }
  return true;
}

std::string configuration_text(const Space &space, const Configuration &configuration) {
  std::string text;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    text +=
        (p ? ", " : "") + space.parameters()[p].name + "=" + configuration.values.at(p).to_text();
  }
  return text;
}

std::uint64_t configuration_hash(const Space &space, const Configuration &configuration) {
  std::vector<std::string> parts;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    parts.push_back(space.parameters()[p].name + '\x1f' + configuration.values.at(p).to_text() +
                    '\x1e');
  }
  std::sort(parts.begin(), parts.end());
  std::uint64_t hash = hash_seed;
  for (const auto &part : parts) hash = hash_text(part, hash);
  return hash;
}

std::uint64_t hash_text(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

}  // namespace bench::problem
