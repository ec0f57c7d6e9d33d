// SPDX-License-Identifier: Apache-2.0
// Launch geometry and other values that follow from a configuration.
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "problem/scope.hpp"

namespace bench::problem {
namespace {

std::uint32_t extent(const Value &value, const std::string &role,
                     const std::string &configuration) {
  const double real = value.is_number() ? std::ceil(value.real()) : 0.0;
  if (!(real >= 1.0 && real <= 4294967295.0)) {
    throw Failure(BENCH_ERROR_CONFIG_REJECTED,
                  role + " is " + value.to_text() + " for " + configuration, role,
                  "it must be a whole number from 1 to 2^32 - 1");
  }
  return static_cast<std::uint32_t>(real);
}

constexpr const char *axis_names[] = {"X", "Y", "Z"};
// Kernel Tuner divides an axis without divisors by the parameter of this name, if it is one.
constexpr const char *block_names[] = {"block_size_x", "block_size_y", "block_size_z"};

const Value *find_value(const Space &space, const Configuration &configuration,
                        std::string_view name) {
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    if (space.parameters()[p].name == name) return &configuration.values[p];
  }
  return nullptr;
}

}  // namespace

Value Problem::evaluate(const Expression &expression, const Configuration &configuration,
                        const std::string &role) const {
  try {
    return expression.evaluate(ProblemScope(*this, &configuration));
  } catch (const Failure &failure) {
    ErrorText text = failure.text();
    text.where = origin.string() + ", " + role + ", " + text.where;
    throw Failure(text);
  }
}

Geometry Problem::geometry(const Configuration &configuration) const {
  Geometry geometry;
  const std::string shown = configuration_text(space, configuration);
  const auto value_of = [&](const std::optional<Expression> &expression, const std::string &role) {
    return extent(evaluate(*expression, configuration, role), role, shown);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string letter = axis_names[axis];
    if (axis < local_size.size() && local_size[axis])
      geometry.block[axis] = value_of(local_size[axis], "LocalSize." + letter);
    std::optional<double> size;
    if (axis < problem_size_parts.size() && problem_size_parts[axis]) {
      size = evaluate(*problem_size_parts[axis], configuration, "ProblemSize").real();
    } else if (axis < problem_size.list().size()) {
      const Value &given = problem_size.list()[axis];
      size = extent(given, "ProblemSize", shown);
    }
    const bool divided = axis < grid_divisors.size() && !grid_divisors[axis].empty();
    const bool any_divisor = !grid_divisors.empty();
    if (size && (divided || any_divisor)) {
      double divisor = 1.0;
      if (divided) {
        for (const Expression &expression : grid_divisors[axis])
          divisor *= evaluate(expression, configuration, "GridDiv" + letter).real();
      } else if (const Value *block = find_value(space, configuration, block_names[axis])) {
        if (block->is_number()) divisor = block->real();
      }
      if (!(divisor > 0.0))
        throw Failure(BENCH_ERROR_CONFIG_REJECTED,
                      "GridDiv" + letter + " is " + Value(divisor).to_text() + " for " + shown,
                      "GridDiv" + letter, "divisors must be positive");
      geometry.grid[axis] = extent(Value(std::ceil(*size / divisor)), "grid " + letter, shown);
    } else if (axis < global_size.size() && global_size[axis]) {
      const std::uint32_t global = value_of(global_size[axis], "GlobalSize." + letter);
      geometry.grid[axis] = global_counts_threads
                                ? (global - 1) / geometry.block[axis] + 1  // no sum to overflow
                                : global;
    } else if (size) {
      geometry.grid[axis] =
          extent(Value(std::ceil(*size / geometry.block[axis])), "grid " + letter, shown);
    }
  }
  return geometry;
}

std::uint64_t Problem::shared_bytes(const Configuration &configuration) const {
  if (!shared_memory) return 0;
  const Value value = evaluate(*shared_memory, configuration, "SharedMemory");
  if (!value.is_number() || !(value.real() >= 0 && value.real() < 4294967296.0)) {
    throw Failure(BENCH_ERROR_CONFIG_REJECTED, "SharedMemory is " + value.to_text(), "SharedMemory",
                  "it must be a number of bytes, at least 0");
  }
  return static_cast<std::uint64_t>(value.real());
}

std::uint64_t Problem::local_bytes(const Argument &argument,
                                   const Configuration &configuration) const {
  const Value value = evaluate(Expression::parse(argument.size_text), configuration,
                               "argument " + argument.name + ", Size");
  return std::uint64_t{
             extent(value, "Size of " + argument.name, configuration_text(space, configuration))} *
         argument.type.bytes();
}

std::optional<double> Problem::metric(const std::optional<Expression> &expression,
                                      const Configuration &configuration,
                                      const std::string &role) const {
  if (!expression) return std::nullopt;
  const Value value = evaluate(*expression, configuration, role);
  if (!value.is_number() || !std::isfinite(value.real())) return std::nullopt;
  return value.real();
}

}  // namespace bench::problem
