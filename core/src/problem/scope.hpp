// SPDX-License-Identifier: Apache-2.0
// The names that expressions of a problem file may use: parameters, ProblemSize, the file's
// constants.
#pragma once
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace bench::problem {

class ProblemScope final : public Scope {
 public:
  /// With a configuration parameters have its values. Without one (null: sizes of memory, which is
  /// allocated once for all) only those with a single value have one; max(name) works for all.
  explicit ProblemScope(const Problem &problem, const Configuration *configuration = nullptr);

  const Value *find(const std::string &name) const override;
  const Value *values_of(const std::string &name) const override;
  std::vector<std::string> names() const override;

 private:
  const Problem &problem_;
  const Configuration *configuration_;
  std::vector<Value> lists_;  // of each parameter's values
};

}  // namespace bench::problem
