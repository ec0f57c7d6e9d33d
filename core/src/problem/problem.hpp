// SPDX-License-Identifier: Apache-2.0
// A tuning problem as T1 1.0.0 files describe it, read tolerantly: members that are not known give
// a note.
//
// Ours beyond T1: Language "C", "C++", "HIP"; the object "x-bench", at the top or in
// KernelSpecification:
//   Bytes, Flops, Items  expressions: work of one launch
//   Repeatable           true: launching again without restoring the arguments gives the same
//   result ReferenceKernel      {KernelName, KernelFile}: run once, its outputs are what candidates
//   must give
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/arguments.hpp"
#include "problem/space.hpp"

namespace bench::problem {

struct Kernel {
  std::string language;  // "CUDA", "OpenCL", "HIP", "C", "C++", ...
  std::string name;
  std::filesystem::path file;         // beside the problem file unless absolute
  std::optional<std::string> source;  // nothing when the file cannot be read: see kernel_source
  std::vector<std::string> options;
};

struct ReferenceKernel {
  std::string name;
  std::filesystem::path file;
};

enum class ValidationMethod {
  sum_of_differences,  // T1's AbsoluteDifference: sum of |a - b| over all elements
  each_difference,     // SideBySideComparison: every |a - b|
  each_relative,       // SideBySideRelativeComparison: every |a - b| / |b|
};

struct Reference {
  std::string target;  // argument
  ValidationMethod method = ValidationMethod::each_relative;
  double threshold = 1e-4;
  Argument data;  // type and count of the target; its fill gives the expected content
};

enum class BudgetKind { duration_s, configurations, fraction };
struct Budget {
  BudgetKind kind = BudgetKind::configurations;
  double value = 0;
};

struct Geometry {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   // blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  // threads
};

struct Problem {
  std::string name;
  std::filesystem::path origin;
  Space space;
  Configuration default_configuration;
  Kernel kernel;
  std::vector<Argument> arguments;
  std::vector<Reference> references;
  std::optional<ReferenceKernel> reference_kernel;
  std::vector<Budget> budgets;
  bool repeatable = false;
  std::vector<std::string> notes;  // what was ignored, replaced or assumed

  // Expressions over the parameters, ProblemSize and the file's BenchmarkConfig.
  Value problem_size{List{}};                          // always a list
  std::vector<std::vector<Expression>> grid_divisors;  // x, y, z; empty: not given
  std::vector<std::optional<Expression>> global_size;  // x, y, z
  std::vector<std::optional<Expression>> local_size;
  std::vector<std::optional<Expression>> problem_size_parts;  // those that depend on parameters
  bool global_counts_threads = false;                         // GlobalSizeType OpenCL
  std::optional<Expression> shared_memory, bytes, flops, items;
  std::vector<std::pair<std::string, Value>> constants;

  /// ProblemSize with GridDivX/Y/Z, as Kernel Tuner reads them, wins over a GlobalSize that
  /// disagrees.
  Geometry geometry(const Configuration &configuration) const;
  std::uint64_t shared_bytes(const Configuration &configuration) const;
  std::uint64_t local_bytes(const Argument &argument, const Configuration &configuration) const;
  /// Value of an expression for one configuration; `role` names it in errors ("GlobalSize.X").
  Value evaluate(const Expression &expression, const Configuration &configuration,
                 const std::string &role) const;
  /// Of bytes, flops or items; nothing where the file has none.
  std::optional<double> metric(const std::optional<Expression> &expression,
                               const Configuration &configuration, const std::string &role) const;
};

Problem read_problem(const std::filesystem::path &path);
/// `origin`: for messages and relative files.
Problem parse_problem(std::string_view json, const std::filesystem::path &origin);

/// The kernel's text, or a Failure that says which file is missing.
const std::string &kernel_source(const Problem &problem);

/// 16 hexadecimal digits over space, kernel text, options, geometry and arguments, not over paths.
std::string identity_hash(const Problem &problem);

}  // namespace bench::problem
