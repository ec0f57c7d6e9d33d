// SPDX-License-Identifier: Apache-2.0
// Which arguments of a problem are compared, and how.
#pragma once
#include <vector>

#include "worker/compare.hpp"

namespace bench::worker {

/// The rules of a problem: its references, else every output, else every argument that is written.
std::vector<Rule> rules_of(const problem::Problem &problem);

}  // namespace bench::worker
