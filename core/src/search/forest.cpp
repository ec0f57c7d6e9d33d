// SPDX-License-Identifier: Apache-2.0
#include "search/forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench::search {
namespace {

constexpr std::size_t tree_count = 12;
constexpr std::size_t leaf_rows = 2;
// With so many rows a few more change little: a call then renews the oldest trees only.
constexpr std::size_t whole_rows = 100;
constexpr std::size_t renewed_trees = 3;

}  // namespace

/// Four parameters side by side, in one register: growing trees is most of what a search takes, and
/// compilers leave the loops over parameters scalar.
typedef float Four __attribute__((vector_size(16)));
constexpr std::size_t lanes = 4;

float &lane(std::vector<Four> &values, std::size_t at) {
  return reinterpret_cast<float *>(values.data())[at];
}

/// Rows lie one after the other and are swapped, not referred to. Positions in value lists are
/// exact in a float up to 2^24.
struct Forest::Table {
  std::size_t parameters, fours;  // of each row; what fills the last four never varies
  std::vector<Four> values;       // `fours` a row
  std::vector<float> targets;     // less their mean, which would take the digits of a sum
  double mean = 0.0;
  // Of the node that is being split.
  std::vector<Four> least, most, cut, left_sum, left_count;

  Table(const std::vector<const Point *> &points, const std::vector<double> &wanted)
      : parameters(points[0]->size()),
        fours((parameters + lanes - 1) / lanes),
        values(points.size() * fours, Four{}),
        mean(std::accumulate(wanted.begin(), wanted.end(), 0.0) /
             static_cast<double>(wanted.size())),
        least(fours),
        most(fours),
        cut(fours),
        left_sum(fours),
        left_count(fours) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t p = 0; p < parameters; ++p)
        lane(values, i * fours * lanes + p) = static_cast<float>((*points[i])[p]);
    }
    for (const double target : wanted) targets.push_back(static_cast<float>(target - mean));
  }

  float value(std::size_t row, std::size_t parameter) {
    return lane(values, row * fours * lanes + parameter);
  }

  void find_ranges(std::size_t begin, std::size_t end) {
    for (std::size_t f = 0; f < fours; ++f) {
      Four low = values[begin * fours + f], high = low;
      for (std::size_t i = begin + 1; i < end; ++i) {
        const Four here = values[i * fours + f];
        low = here < low ? here : low;
        high = here > high ? here : high;
      }
      least[f] = low;
      most[f] = high;
    }
  }

  void sum_left(std::size_t begin, std::size_t end) {
    const Four zero{}, one = zero + 1.0f;
    for (std::size_t f = 0; f < fours; ++f) {
      Four sum{}, count{};
      for (std::size_t i = begin; i < end; ++i) {
        const auto left = values[i * fours + f] <= cut[f];
        sum += left ? zero + targets[i] : zero;
        count += left ? one : zero;
      }
      left_sum[f] = sum;
      left_count[f] = count;
    }
  }

  /// Rows with value <= cut first; where the others begin.
  std::size_t split(std::size_t begin, std::size_t end, std::size_t parameter) {
    const float at = lane(cut, parameter);
    while (begin < end) {
      if (value(begin, parameter) <= at) {
        ++begin;
        continue;
      }
      --end;
      std::swap_ranges(&values[begin * fours], &values[begin * fours] + fours,
                       &values[end * fours]);
      std::swap(targets[begin], targets[end]);
    }
    return begin;
  }
};

int Forest::grow(Tree &tree, Table &table, std::size_t begin, std::size_t end, Random &random) {
  const int self = static_cast<int>(tree.size());
  tree.emplace_back();
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    const double target = table.targets[i];
    sum += target;
    squares += target * target;
  }
  const double count = static_cast<double>(end - begin);
  tree[static_cast<std::size_t>(self)].value = table.mean + sum / count;
  if (end - begin <= leaf_rows || squares - sum * sum / count < 1e-12) return self;
  // One random cut for each parameter that varies here; the one that explains most is taken.
  table.find_ranges(begin, end);
  for (std::size_t p = 0; p < table.parameters; ++p) {
    const auto least = static_cast<std::uint64_t>(lane(table.least, p));
    const auto most = static_cast<std::uint64_t>(lane(table.most, p));
    lane(table.cut, p) =
        static_cast<float>(least == most ? most : least + random.below(most - least));
  }
  table.sum_left(begin, end);
  int best_parameter = -1;
  double best_gain = -1.0;
  for (std::size_t p = 0; p < table.parameters; ++p) {
    const double left_sum = lane(table.left_sum, p), left_count = lane(table.left_count, p);
    const double right_count = count - left_count, right_sum = sum - left_sum;
    if (left_count == 0.0 || right_count == 0.0) continue;
    const double gain = left_sum * left_sum / left_count + right_sum * right_sum / right_count;
    if (gain > best_gain || best_parameter < 0) {
      best_gain = gain;
      best_parameter = static_cast<int>(p);
    }
  }
  if (best_parameter < 0) return self;
  const auto parameter = static_cast<std::size_t>(best_parameter);
  const auto best_cut = static_cast<std::uint32_t>(lane(table.cut, parameter));
  const std::size_t split = table.split(begin, end, parameter);
  const int left = grow(tree, table, begin, split, random);
  const int right = grow(tree, table, split, end, random);
  Node &node = tree[static_cast<std::size_t>(self)];
  node.parameter = best_parameter;
  node.cut = best_cut;
  node.left = left;
  node.right = right;
  return self;
}

void Forest::fit(const std::vector<const Point *> &points, const std::vector<double> &targets,
                 Random &random) {
  const bool whole = trees_.empty() || targets.size() < whole_rows;
  trees_.resize(tree_count);
  Table table(points, targets);  // each tree finds it in the order that the one before left
  for (std::size_t i = 0; i < (whole ? tree_count : renewed_trees); ++i) {
    Tree &tree = trees_[oldest_++ % tree_count];
    tree.clear();
    grow(tree, table, 0, targets.size(), random);
  }
}

Forest::Guess Forest::guess(const Point &point) const {
  double sum = 0.0, squares = 0.0;
  for (const Tree &tree : trees_) {
    const Node *node = &tree[0];
    while (node->parameter >= 0) {
      const bool left = point[static_cast<std::size_t>(node->parameter)] <= node->cut;
      node = &tree[static_cast<std::size_t>(left ? node->left : node->right)];
    }
    sum += node->value;
    squares += node->value * node->value;
  }
  const double count = static_cast<double>(trees_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace bench::search
