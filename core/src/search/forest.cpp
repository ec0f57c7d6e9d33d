// SPDX-License-Identifier: Apache-2.0
#include "search/forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench::search {
namespace {

constexpr std::size_t tree_count = 12;
constexpr std::size_t leaf_rows = 2;

}  // namespace

int Forest::grow(Tree &tree, std::vector<std::size_t> &rows, std::size_t begin, std::size_t end,
                 const std::vector<const Point *> &points, const std::vector<double> &targets,
                 Random &random) {
  const int self = static_cast<int>(tree.size());
  tree.emplace_back();
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    sum += targets[rows[i]];
    squares += targets[rows[i]] * targets[rows[i]];
  }
  const double count = static_cast<double>(end - begin);
  tree[static_cast<std::size_t>(self)].value = sum / count;
  if (end - begin <= leaf_rows || squares - sum * sum / count < 1e-12) return self;
  // One random cut for each parameter that varies here; the one that explains most is taken.
  int best_parameter = -1;
  std::uint32_t best_cut = 0;
  double best_gain = -1.0;
  const std::size_t parameters = points[rows[begin]]->size();
  for (std::size_t p = 0; p < parameters; ++p) {
    std::uint32_t least = (*points[rows[begin]])[p], most = least;
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, (*points[rows[i]])[p]);
      most = std::max(most, (*points[rows[i]])[p]);
    }
    if (least == most) continue;
    const auto cut = static_cast<std::uint32_t>(least + random.below(most - least));
    double left_sum = 0.0, left_count = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      if ((*points[rows[i]])[p] > cut) continue;
      left_sum += targets[rows[i]];
      left_count += 1.0;
    }
    const double right_count = count - left_count, right_sum = sum - left_sum;
    if (left_count == 0.0 || right_count == 0.0) continue;
    const double gain = left_sum * left_sum / left_count + right_sum * right_sum / right_count;
    if (gain > best_gain || best_parameter < 0) {
      best_gain = gain;
      best_parameter = static_cast<int>(p);
      best_cut = cut;
    }
  }
  if (best_parameter < 0) return self;
  const auto middle =
      std::partition(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                     rows.begin() + static_cast<std::ptrdiff_t>(end), [&](std::size_t row) {
                       return (*points[row])[static_cast<std::size_t>(best_parameter)] <= best_cut;
                     });
  const auto split = static_cast<std::size_t>(middle - rows.begin());
  const int left = grow(tree, rows, begin, split, points, targets, random);
  const int right = grow(tree, rows, split, end, points, targets, random);
  Node &node = tree[static_cast<std::size_t>(self)];
  node.parameter = best_parameter;
  node.cut = best_cut;
  node.left = left;
  node.right = right;
  return self;
}

void Forest::fit(const std::vector<const Point *> &points, const std::vector<double> &targets,
                 Random &random) {
  trees_.assign(tree_count, {});
  std::vector<std::size_t> rows(points.size());
  for (Tree &tree : trees_) {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    grow(tree, rows, 0, rows.size(), points, targets, random);
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
