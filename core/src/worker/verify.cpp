// SPDX-License-Identifier: Apache-2.0
#include "worker/verify.hpp"

namespace bench::worker {

std::vector<Rule> rules_of(const problem::Problem &problem) {
  std::vector<Rule> rules;
  for (const problem::Reference &reference : problem.references) {
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      if (problem.arguments[i].name == reference.target)
        rules.push_back({i, reference.method, reference.threshold});
    }
  }
  if (!rules.empty()) return rules;
  const auto add = [&](bool only_outputs) {
    for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
      const problem::Argument &argument = problem.arguments[i];
      if (argument.kind != problem::MemoryKind::vector) continue;
      if (only_outputs ? argument.output : (argument.access & 2u) != 0)
        rules.push_back({i, std::nullopt, 0.0});
    }
  };
  add(true);
  if (rules.empty()) add(false);
  return rules;
}

}  // namespace bench::worker
