// SPDX-License-Identifier: Apache-2.0
#include "problem/space.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "problem/condition.hpp"

namespace bench::problem {
namespace {

// Value indices are stored in 16 bits; no tuning parameter has more values.
constexpr std::size_t max_values = 65536;

/// Parameters of one group by name, for the full evaluator.
class GroupScope final : public Scope {
 public:
  GroupScope(const std::vector<Parameter> &parameters, const std::vector<std::uint32_t> &members)
      : parameters_(parameters), members_(members), values_(members.size(), nullptr) {}
  void set(std::size_t position, const Value *value) { values_[position] = value; }
  const Value *find(const std::string &name) const override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (parameters_[members_[i]].name == name) return values_[i];
    }
    return nullptr;
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto &parameter : parameters_) names.push_back(parameter.name);
    return names;
  }

 private:
  const std::vector<Parameter> &parameters_;
  const std::vector<std::uint32_t> &members_;
  std::vector<const Value *> values_;
};

/// Walks the combinations of a group depth first, cutting where a condition with all its names
/// assigned is false.
class GroupWalk {
 public:
  GroupWalk(const std::vector<Parameter> &parameters, const std::vector<Expression> &conditions,
            const std::vector<std::uint32_t> &members, const std::vector<std::uint32_t> &used,
            std::uint64_t max_visits)
      : parameters_(parameters),
        conditions_(conditions),
        members_(members),
        scope_(parameters, members),
        slots_(members.size()),
        indices_(members.size()),
        ready_(members.size()),
        visits_left_(max_visits) {
    std::vector<std::string> names;
    for (const std::uint32_t member : members) names.push_back(parameters[member].name);
    numbers_.resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Value &value : parameters[members[i]].values) {
        Number number;
        if (value.is_real())
          number = {0, value.real(), true};
        else if (value.is_number())
          number = {value.integer(), 0.0, false};
        else
          numeric_ = false;
        numbers_[i].push_back(number);
      }
    }
    for (const std::uint32_t condition : used) {
      std::size_t last = 0;
      for (const std::string &name : conditions[condition].names()) {
        last = std::max<std::size_t>(
            last,
            static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
      }
      ready_[last].push_back(checks_.size());
      checks_.push_back({condition, FastCondition(conditions[condition], names)});
    }
  }

  /// `leaf` returns false to end the walk. False if the visits ran out.
  template <typename Leaf>
  bool walk(Leaf &&leaf) {
    return step(0, leaf) != Outcome::exhausted;
  }
  const std::vector<std::uint16_t> &indices() const { return indices_; }

 private:
  enum class Outcome { next, done, exhausted };
  struct Check {
    std::uint32_t condition;
    FastCondition fast;
  };

  template <typename Leaf>
  Outcome step(std::size_t depth, Leaf &leaf) {
    if (depth == members_.size()) return leaf() ? Outcome::next : Outcome::done;
    const auto &values = parameters_[members_[depth]].values;
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (visits_left_ == 0) return Outcome::exhausted;
      --visits_left_;
      indices_[depth] = static_cast<std::uint16_t>(v);
      slots_[depth] = numbers_[depth][v];
      scope_.set(depth, &values[v]);
      if (!holds(depth)) continue;
      const Outcome outcome = step(depth + 1, leaf);
      if (outcome != Outcome::next) return outcome;
    }
    return Outcome::next;
  }

  bool holds(std::size_t depth) {
    for (const std::size_t at : ready_[depth]) {
      const Check &check = checks_[at];
      std::optional<bool> result;
      if (numeric_) result = check.fast.evaluate(slots_.data());
      if (!result) result = slow(conditions_[check.condition]);
      if (!*result) return false;
    }
    return true;
  }

  bool slow(const Expression &condition) {
    try {
      return condition.evaluate(scope_).truth();
    } catch (const Failure &failure) {
      ErrorText text = failure.text();
      text.what += " with";
      bool first = true;
      for (const std::string &name : condition.names()) {
        const Value *value = scope_.find(name);
        text.what +=
            std::string(first ? " " : ", ") + name + "=" + (value ? value->to_text() : "?");
        first = false;
      }
      throw Failure(text);
    }
  }

  const std::vector<Parameter> &parameters_;
  const std::vector<Expression> &conditions_;
  const std::vector<std::uint32_t> &members_;
  GroupScope scope_;
  std::vector<Number> slots_;
  std::vector<std::uint16_t> indices_;
  std::vector<std::vector<Number>> numbers_;
  std::vector<Check> checks_;
  std::vector<std::vector<std::size_t>> ready_;  // checks to make once this depth is assigned
  std::uint64_t visits_left_;
  bool numeric_ = true;
};

Failure space_failure(const std::string &what, const std::string &where, const std::string &hint) {
  return Failure(BENCH_ERROR_INVALID_ARGUMENT, what, where, hint);
}

}  // namespace

Space::Space(std::vector<Parameter> parameters, std::vector<std::string> conditions,
             const SpaceLimits &limits)
    : parameters_(std::move(parameters)) {
  std::vector<std::string> names;
  for (const Parameter &parameter : parameters_) {
    if (std::find(names.begin(), names.end(), parameter.name) != names.end()) {
      throw space_failure("parameter " + parameter.name + " is declared twice", "TuningParameters",
                          "remove or rename one");
    }
    if (parameter.values.empty()) {
      throw space_failure("parameter " + parameter.name + " has no values", "TuningParameters",
                          "give at least one value");
    }
    if (parameter.values.size() > max_values) {
      throw space_failure("parameter " + parameter.name + " has " +
                              std::to_string(parameter.values.size()) + " values",
                          "TuningParameters", "at most 65536 values: use a coarser step");
    }
    names.push_back(parameter.name);
  }
  for (std::string &text : conditions) {
    Expression condition = Expression::parse(std::move(text));
    for (const std::string &name : condition.names()) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const auto near = nearest_name(name, names);
      throw expression_failure(
          condition.text(), condition.text().find(name), "unknown name '" + name + "'",
          near ? "did you mean " + *near + "?" : "declare a tuning parameter of that name");
    }
    conditions_.push_back(std::move(condition));
  }
  make_groups();
  for (Group &group : groups_) enumerate(group, limits);
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    group->stride = size_;
    if (__builtin_mul_overflow(size_, group->count, &size_)) {
      throw space_failure("more than 2^64 valid configurations", "ConfigurationSpace",
                          "add conditions or use fewer values");
    }
  }
}

void Space::make_groups() {
  std::vector<std::uint32_t> parent(parameters_.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t at) {
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  const auto index_of_name = [&](const std::string &name) {
    std::uint32_t at = 0;
    while (parameters_[at].name != name) ++at;
    return at;
  };
  for (const Expression &condition : conditions_) {
    for (const std::string &name : condition.names()) {
      parent[root(index_of_name(name))] = root(index_of_name(condition.names()[0]));
    }
  }
  std::vector<std::uint32_t> group_of(parameters_.size(), UINT32_MAX);
  for (std::uint32_t p = 0; p < parameters_.size(); ++p) {
    const std::uint32_t r = root(p);
    if (group_of[r] == UINT32_MAX) {
      group_of[r] = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    }
    groups_[group_of[r]].members.push_back(p);
  }
  for (std::uint32_t c = 0; c < conditions_.size(); ++c) {
    if (!conditions_[c].names().empty()) {
      groups_[group_of[root(index_of_name(conditions_[c].names()[0]))]].conditions.push_back(c);
      continue;
    }
    // A condition on nothing holds for all or for none.
    struct NoNames final : Scope {
      const Value *find(const std::string &) const override { return nullptr; }
      std::vector<std::string> names() const override { return {}; }
    };
    if (!conditions_[c].evaluate(NoNames{}).truth()) size_ = 0;
  }
  // Within a group, next comes the parameter that completes most conditions, so that wrong branches
  // are cut early; ties keep the declared order.
  for (Group &group : groups_) {
    std::vector<std::uint32_t> left = group.members, order;
    std::set<std::string> assigned;
    while (!left.empty()) {
      std::size_t best = 0;
      std::pair<int, int> best_score{-1, -1};
      for (std::size_t i = 0; i < left.size(); ++i) {
        std::pair<int, int> score{0, 0};
        for (const std::uint32_t c : group.conditions) {
          int open = 0;
          bool has = false, touched = false;
          for (const std::string &name : conditions_[c].names()) {
            if (name == parameters_[left[i]].name)
              has = true;
            else if (assigned.count(name))
              touched = true;
            else
              ++open;
          }
          if (has && open == 0) ++score.first;
          if (has && touched) ++score.second;
        }
        if (score > best_score) best_score = score, best = i;
      }
      assigned.insert(parameters_[left[best]].name);
      order.push_back(left[best]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    group.members = order;
  }
}

void Space::enumerate(Group &group, const SpaceLimits &limits) {
  if (group.conditions.empty()) {  // a free parameter: its values are its tuples
    group.count = parameters_[group.members[0]].values.size();
    group.tuples.resize(group.count);
    std::iota(group.tuples.begin(), group.tuples.end(), std::uint16_t{0});
    return;
  }
  GroupWalk walk(parameters_, conditions_, group.members, group.conditions, limits.group_visits);
  bool full = false;
  const std::size_t width = group.members.size();
  const bool finished = walk.walk([&] {
    full = (group.tuples.size() + width) * sizeof(std::uint16_t) > limits.group_bytes;
    if (!full)
      group.tuples.insert(group.tuples.end(), walk.indices().begin(), walk.indices().end());
    return !full;
  });
  if (full || !finished) {
    std::string members;
    for (const std::uint32_t member : group.members)
      members += (members.empty() ? "" : ", ") + parameters_[member].name;
    const Expression *widest = &conditions_[group.conditions[0]];
    for (const std::uint32_t c : group.conditions) {
      if (conditions_[c].names().size() > widest->names().size()) widest = &conditions_[c];
    }
    throw Failure(
        BENCH_ERROR_OUT_OF_RESOURCES,
        "the parameters " + members +
            " are tied together and have too many combinations to enumerate (" +
            (full ? "more than " + std::to_string(limits.group_bytes >> 20) + " MiB of valid ones"
                  : "more than " + std::to_string(limits.group_visits) + " tried") +
            ")",
        "condition `" + widest->text() + "`",
        "bind fewer parameters in one condition, or give them fewer values");
  }
  group.count = group.tuples.size() / width;
}

double Space::raw() const {
  double product = 1;
  for (const Parameter &parameter : parameters_)
    product *= static_cast<double>(parameter.values.size());
  return product;
}

std::string Space::raw_text() const {
  std::vector<std::uint32_t> digits{1};  // base 10^9, least first: the product may pass 2^64
  for (const Parameter &parameter : parameters_) {
    std::uint64_t carry = 0;
    for (std::uint32_t &digit : digits) {
      carry += std::uint64_t{digit} * parameter.values.size();
      digit = static_cast<std::uint32_t>(carry % 1'000'000'000u);
      carry /= 1'000'000'000u;
    }
    if (carry) digits.push_back(static_cast<std::uint32_t>(carry));
  }
  std::string text = std::to_string(digits.back());
  for (std::size_t i = digits.size() - 1; i-- > 0;) {
    std::string part = std::to_string(digits[i]);
    text += std::string(9 - part.size(), '0') + part;
  }
  return text;
}

Configuration Space::at(std::uint64_t index) const {
  if (index >= size_) {
    throw space_failure("configuration " + std::to_string(index) + " of " + std::to_string(size_),
                        "space", "indices end at the number of valid configurations");
  }
  Configuration configuration;
  configuration.index = index;
  configuration.values.resize(parameters_.size());
  for (const Group &group : groups_) {
    const std::uint64_t at = index / group.stride % group.count;
    const std::uint16_t *tuple = &group.tuples[at * group.members.size()];
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      configuration.values[group.members[i]] = parameters_[group.members[i]].values[tuple[i]];
    }
  }
  return configuration;
}

std::optional<std::uint64_t> Space::index_of(const std::vector<Value> &values) const {
  if (values.size() != parameters_.size() || size_ == 0) return std::nullopt;
  std::uint64_t index = 0;
  for (const Group &group : groups_) {
    const std::size_t width = group.members.size();
    std::vector<std::uint16_t> wanted(width);
    for (std::size_t i = 0; i < width; ++i) {
      const auto &known = parameters_[group.members[i]].values;
      const auto found = std::find(known.begin(), known.end(), values[group.members[i]]);
      if (found == known.end()) return std::nullopt;
      wanted[i] = static_cast<std::uint16_t>(found - known.begin());
    }
    std::uint64_t low = 0, high = group.count;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      const std::uint16_t *tuple = &group.tuples[middle * width];
      if (std::lexicographical_compare(tuple, tuple + width, wanted.begin(), wanted.end()))
        low = middle + 1;
      else
        high = middle;
    }
    if (low == group.count || !std::equal(wanted.begin(), wanted.end(), &group.tuples[low * width]))
      return std::nullopt;
    index += low * group.stride;
  }
  return index;
}

namespace {

template <typename Groups, typename Visit>
void odometer(const Groups &groups, std::uint64_t size, std::vector<std::uint32_t> &buffer,
              Visit &&visit) {
  if (size == 0) return;
  std::vector<std::uint64_t> at(groups.size(), 0);
  const auto load = [&](std::size_t g) {
    const auto &group = groups[g];
    const std::uint16_t *tuple = &group.tuples[at[g] * group.members.size()];
    for (std::size_t i = 0; i < group.members.size(); ++i) buffer[group.members[i]] = tuple[i];
  };
  for (std::size_t g = 0; g < groups.size(); ++g) load(g);
  for (;;) {
    if (!visit()) return;
    std::size_t g = groups.size();
    for (;;) {
      if (g == 0) return;
      --g;
      if (++at[g] < groups[g].count) break;
      at[g] = 0;
      load(g);
    }
    load(g);
  }
}

}  // namespace

void Space::for_each(const std::function<bool(const std::uint32_t *)> &visit) const {
  std::vector<std::uint32_t> buffer(parameters_.size());
  odometer(groups_, size_, buffer, [&] { return visit(buffer.data()); });
}

std::uint64_t Space::checksum() const {
  std::vector<std::uint32_t> buffer(parameters_.size());
  std::uint64_t sum = 0;
  odometer(groups_, size_, buffer, [&] {
    std::uint64_t mixed = 0;
    for (const std::uint32_t value : buffer) mixed = mixed * 31 + value;
    sum += mixed;
    return true;
  });
  return sum;
}

std::string Space::explain_empty() const {
  // Enough to find a survivor in any space that a person wrote; a bound, since an empty one may be
  // vast.
  constexpr std::uint64_t max_visits = 20'000'000;
  for (const Group &group : groups_) {
    if (group.count > 0) continue;
    std::vector<std::uint32_t> used;
    for (const std::uint32_t condition : group.conditions) {
      used.push_back(condition);
      bool found = false;
      GroupWalk walk(parameters_, conditions_, group.members, used, max_visits);
      if (walk.walk([&] {
            found = true;
            return false;
          }) &&
          !found) {
        std::string text = "condition `" + conditions_[condition].text() + "` leaves nothing";
        if (used.size() > 1) text += " of what the conditions before it allow";
        return text;
      }
    }
    return "the conditions together leave nothing";
  }
  return size_ == 0 ? "a condition without parameters is false" : "";
}

std::string Space::text(const Configuration &configuration) const {
  std::string text;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    text += (i ? ", " : "") + parameters_[i].name + "=" + configuration.values[i].to_text();
  }
  return text;
}

std::uint64_t Space::hash(const Configuration &configuration) const {
  std::uint64_t hash = stable_hash("");
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    hash = stable_hash(parameters_[i].name + "\x1f" + configuration.values[i].to_text() + "\x1e",
                       hash);
  }
  return hash;
}

std::uint64_t stable_hash(const std::string &text, std::uint64_t seed) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return seed;
}

}  // namespace bench::problem
