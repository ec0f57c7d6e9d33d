// SPDX-License-Identifier: Apache-2.0
// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): the mean and the spread of what a
// point may take.
#pragma once
#include <vector>

#include "search/landscape.hpp"
#include "search/random.hpp"

namespace bench::search {

class Forest {
 public:
  struct Guess {
    double mean = 0.0;
    double deviation = 0.0;  // between trees
  };

  /// `points` and `targets` are equally long and not empty; used during the call only. Where they
  /// are many, some trees stay as earlier calls have made them.
  void fit(const std::vector<const Point *> &points, const std::vector<double> &targets,
           Random &random);
  Guess guess(const Point &point) const;

 private:
  struct Node {
    int parameter = -1;     // -1: a leaf
    std::uint32_t cut = 0;  // left: value <= cut
    int left = 0, right = 0;
    double value = 0.0;
  };
  using Tree = std::vector<Node>;
  struct Table;
  int grow(Tree &tree, Table &table, std::size_t begin, std::size_t end, Random &random);
  std::vector<Tree> trees_;
  std::size_t oldest_ = 0;  // of trees_, by turns
};

}  // namespace bench::search
