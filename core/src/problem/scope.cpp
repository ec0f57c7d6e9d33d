// SPDX-License-Identifier: Apache-2.0
#include "problem/scope.hpp"

#include "base/error.hpp"

namespace bench::problem {

ProblemScope::ProblemScope(const Problem &problem, const Configuration *configuration)
    : problem_(problem), configuration_(configuration) {
  for (const Parameter &parameter : problem.space.parameters()) {
    lists_.emplace_back(List(parameter.values));
  }
}

const Value *ProblemScope::find(const std::string &name) const {
  const auto &parameters = problem_.space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != name) continue;
    if (configuration_) return &configuration_->values[i];
    if (parameters[i].values.size() == 1) return &parameters[i].values[0];
    throw Failure(
        BENCH_ERROR_INVALID_ARGUMENT,
        "it depends on parameter " + name + ", but memory is allocated once for all configurations",
        "Size", "write max(" + name + ")");
  }
  if (name == "ProblemSize") return &problem_.problem_size;
  for (const auto &[constant, value] : problem_.constants) {
    if (constant == name) return &value;
  }
  return nullptr;
}

const Value *ProblemScope::values_of(const std::string &name) const {
  const auto &parameters = problem_.space.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return &lists_[i];
  }
  return nullptr;
}

std::vector<std::string> ProblemScope::names() const {
  auto names = problem_.space.names();
  names.push_back("ProblemSize");
  for (const auto &constant : problem_.constants) names.push_back(constant.first);
  return names;
}

}  // namespace bench::problem
