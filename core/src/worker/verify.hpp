// SPDX-License-Identifier: Apache-2.0
// Compares an output with what it should be.
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
  /// Nothing: the default of the type, relative to the larger of the element and the root mean
  /// square of the reference (elements that cancel to nearly zero carry the error of their terms);
  /// integers and booleans exactly.
  std::optional<problem::ValidationMethod> method;
  double threshold = 0.0;
};

struct Mismatch {
  bool non_finite = false;  // the output holds NaN or infinity where the reference is finite
  std::string what;
};

/// Nothing if `actual` agrees. The rule is `!(difference <= threshold)`: a NaN never agrees, unless
/// the reference has one in the same place.
std::optional<Mismatch> compare(const problem::Argument &argument, const Rule &rule,
                                const std::vector<std::byte> &actual,
                                const std::vector<std::byte> &expected);

/// The rules of a problem: its references, else every output, else every argument that is written.
std::vector<Rule> rules_of(const problem::Problem &problem);

}  // namespace bench::worker
