// SPDX-License-Identifier: Apache-2.0
// Compares an output with what it should be, as fast as memory allows: each candidate of a tune is
// compared, and outputs may have hundreds of millions of elements.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace bench::worker {

/// How one argument is compared.
struct Rule {
  std::size_t argument = 0;
  /// Nothing: the default of the type, relative to the larger of the element and what is typical of
  /// the reference (elements that cancel to nearly zero carry the error of their terms); integers
  /// and booleans exactly.
  std::optional<problem::ValidationMethod> method;
  double threshold = 0.0;
};

struct Mismatch {
  bool non_finite = false;  // the output holds NaN or infinity where the reference is finite
  std::string what;
};

/// An output as it should be.
struct Expected {
  Expected() = default;
  Expected(const problem::Argument &argument, std::vector<std::byte> contents);
  std::vector<std::byte> bytes;
  /// Root mean square of its elements that are neither zero nor infinite, at most four times their
  /// median; 0 for integers.
  double scale = 0.0;
};

/// Nothing if `actual` agrees. The rule is `!(difference <= threshold)`: a NaN never agrees, unless
/// the reference has the same bits in the same place. The first element that does not agree is
/// told, whatever the number of threads.
std::optional<Mismatch> compare(const problem::Argument &argument, const Rule &rule,
                                const std::vector<std::byte> &actual, const Expected &expected);

}  // namespace bench::worker
