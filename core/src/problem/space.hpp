// SPDX-License-Identifier: Apache-2.0
// All configurations that satisfy the conditions, counted and indexed without being stored one by
// one.
//
// Parameters that share no condition, even through others, form independent groups: the space is
// the product of the groups. A group is a decision diagram: one level a parameter, one node for
// each distinct state of the values that later conditions still look at. So the cost grows with how
// many values the conditions tie together, not with the product of all values.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problem/expression.hpp"
#include "problem/value.hpp"

namespace bench::problem {

struct Parameter {
  std::string name;
  std::string type;  // T1's: int uint float bool string
  std::vector<Value> values;
};

struct Configuration {
  std::uint64_t index = 0;    // in its space
  std::vector<Value> values;  // in the order of Space::parameters()
};

/// Bounds of one space. Each has its own error, which names the condition that binds most.
struct SpaceLimits {
  std::size_t parameters = 4096;
  std::uint64_t bytes = std::uint64_t{512} << 20;
  std::uint64_t evaluations = 1'000'000'000;  // of conditions, some 30 ns each
};

class Space {
 public:
  using Constants = std::vector<std::pair<std::string, Value>>;

  Space() = default;
  /// Throws Failure: unknown names, faults inside conditions, limits. A space may be empty: see
  /// `explain_empty`. Values that a list repeats count once.
  static Space build(std::vector<Parameter> parameters, const std::vector<std::string> &conditions,
                     const Constants &constants = {}, const SpaceLimits &limits = {});

  std::uint64_t size() const { return size_; }
  /// Product of the list lengths; exact up to 2^53.
  double raw() const;
  /// The same in digits, exact up to 2^127, else as 1.2e+40.
  std::string raw_text() const;

  const std::vector<Parameter> &parameters() const { return parameters_; }
  std::vector<std::string> names() const;
  const std::vector<Expression> &conditions() const { return conditions_; }

  /// `index` < size().
  Configuration at(std::uint64_t index) const;
  /// Positions in the parameters' value lists instead of values; `indices` has one place a
  /// parameter.
  void indices_at(std::uint64_t index, std::span<std::uint32_t> indices) const;
  /// Nothing if a value is not listed or a condition does not hold.
  std::optional<std::uint64_t> index_of(std::span<const Value> values) const;
  std::optional<std::uint64_t> index_of_indices(std::span<const std::uint32_t> indices) const;
  /// Configuration that differs from `indices` in the fewest parameters, then by the fewest steps
  /// in their lists. size() > 0.
  std::uint64_t nearest(std::span<const std::uint32_t> indices) const;

  /// Calls `visit(std::span<const std::uint32_t> value_indices)` for each configuration in the
  /// order of the index, in one buffer that is reused. A visit that returns false ends it.
  template <typename Visit>
  void for_each(Visit &&visit) const {
    Cursor cursor(*this);
    while (cursor.next()) {
      if constexpr (std::is_same_v<decltype(visit(cursor.indices())), bool>) {
        if (!visit(cursor.indices())) return;
      } else {
        visit(cursor.indices());
      }
    }
  }

  /// For an empty space: how many assignments each condition left, in order, and which left none.
  std::string explain_empty() const;

 private:
  struct Edge {
    std::uint64_t before;  // configurations of this node under smaller values
    std::uint32_t value;
    std::uint32_t child;  // node
  };
  struct DiagramNode {
    std::uint64_t count;
    std::uint64_t first;  // edge
    std::uint32_t edges;
    std::uint32_t level;  // of its group
  };
  struct Group {
    std::vector<std::uint32_t> levels;  // parameters, in the order of assignment
    std::uint64_t count = 0;
    bool free = false;  // one parameter, no condition: no diagram
    std::uint32_t root = 0;
    std::vector<DiagramNode> nodes;  // children before parents; node 0 is the end
    std::vector<Edge> edges;
  };
  class GroupBuilder;

  /// Odometer over all levels of all groups.
  class Cursor {
   public:
    explicit Cursor(const Space &space);
    bool next() {
      if (!started_) return start();
      std::size_t level = levels_.size();
      while (level > 0) {
        Level &last = levels_[level - 1];
        if (++last.at < last.end) {
          set(level - 1);
          return level == levels_.size() || descend(level);
        }
        --level;
      }
      return false;
    }
    std::span<const std::uint32_t> indices() const { return indices_; }

   private:
    struct Level {
      const Group *group;
      std::uint32_t parameter;
      bool first;  // of its group
      std::uint64_t at, end;
    };
    bool start();
    bool descend(std::size_t level);
    void set(std::size_t level) {
      const Level &here = levels_[level];
      indices_[here.parameter] =
          here.group->free ? static_cast<std::uint32_t>(here.at) : here.group->edges[here.at].value;
    }
    const Space &space_;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> indices_;
    bool started_ = false;
  };

  std::vector<Parameter> parameters_;
  std::vector<Expression> conditions_;
  Constants constants_;
  SpaceLimits limits_;
  std::vector<Group> groups_;
  std::uint64_t size_ = 0;
};

/// "a=1, b=2".
std::string configuration_text(const Space &space, const Configuration &configuration);
/// Names and values, the same in every process and build; the order of declaration does not matter.
std::uint64_t configuration_hash(const Space &space, const Configuration &configuration);

/// FNV-1a, 64 bits.
constexpr std::uint64_t hash_seed = 0xcbf29ce484222325ull;
std::uint64_t hash_text(std::string_view text, std::uint64_t hash = hash_seed);

}  // namespace bench::problem
