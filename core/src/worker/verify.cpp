// SPDX-License-Identifier: Apache-2.0
#include "worker/verify.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace bench::worker {
namespace {

constexpr std::uint8_t code_uint = 1, code_float = 2, code_bool = 6;

template <typename T>
double number(const std::byte *source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return static_cast<double>(value);
}

double element(const problem::DataType &type, const std::byte *source) {
  if (type.code == code_float) {
    if (type.bits == 64) return number<double>(source);
    if (type.bits == 32) return number<float>(source);
    std::uint16_t half;
    std::memcpy(&half, source, sizeof half);
    return problem::double_from_half(half);
  }
  const bool is_unsigned = type.code == code_uint || type.code == code_bool;
  switch (type.bits) {
    case 8:
      return is_unsigned ? number<std::uint8_t>(source) : number<std::int8_t>(source);
    case 16:
      return is_unsigned ? number<std::uint16_t>(source) : number<std::int16_t>(source);
    case 32:
      return is_unsigned ? number<std::uint32_t>(source) : number<std::int32_t>(source);
    default:
      return is_unsigned ? number<std::uint64_t>(source) : number<std::int64_t>(source);
  }
}

/// What a sum of thousands of terms in another order may differ by, with room.
double default_threshold(const problem::DataType &type) {
  if (type.code != code_float) return 0.0;
  return type.bits == 64 ? 1e-9 : type.bits == 32 ? 1e-4 : 2e-2;
}

std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  for (char *c = buffer; *c; ++c) {
    if (*c == ',') *c = '.';  // the application's locale may have a decimal comma
  }
  return buffer;
}

Mismatch at(const problem::Argument &argument, std::uint64_t index, double actual, double expected,
            const std::string &why) {
  Mismatch mismatch;
  mismatch.non_finite = !std::isfinite(actual) && std::isfinite(expected);
  mismatch.what = argument.name + "[" + std::to_string(index) + "] is " + text(actual) +
                  ", expected " + text(expected) + why;
  return mismatch;
}

}  // namespace

std::optional<Mismatch> compare(const problem::Argument &argument, const Rule &rule,
                                const std::vector<std::byte> &actual,
                                const std::vector<std::byte> &expected) {
  if (actual.size() != expected.size()) {
    return Mismatch{false, argument.name + " has " + std::to_string(actual.size()) +
                               " bytes, expected " + std::to_string(expected.size())};
  }
  if (actual == expected) return std::nullopt;  // the same bits agree, NaN or not
  const std::size_t width = argument.type.bytes();
  const std::uint64_t count = actual.size() / width;
  double scale = 0.0;  // root mean square of the finite reference
  if (!rule.method) {
    std::uint64_t finite = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = element(argument.type, &expected[i * width]);
      if (std::isfinite(value)) scale += value * value, ++finite;
    }
    scale = finite ? std::sqrt(scale / static_cast<double>(finite)) : 0.0;
  }
  const double threshold = rule.method ? rule.threshold : default_threshold(argument.type);
  double sum = 0.0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte *a = &actual[i * width], *b = &expected[i * width];
    if (std::memcmp(a, b, width) == 0) continue;
    const double x = element(argument.type, a), y = element(argument.type, b);
    const double difference = std::fabs(x - y);
    if (rule.method == problem::ValidationMethod::sum_of_differences) {
      sum += difference;
      if (!(sum <= threshold)) {
        return at(argument, i, x, y,
                  "; the sum of differences passes " + text(threshold) + " here");
      }
      continue;
    }
    double allowed = threshold;
    if (!rule.method) allowed = threshold * std::max(std::fabs(y), scale);
    // A zero has no relative difference: there the threshold is absolute.
    else if (*rule.method == problem::ValidationMethod::each_relative && y != 0.0)
      allowed = threshold * std::fabs(y);
    if (!(difference <= allowed)) {
      return at(argument, i, x, y, " within " + text(allowed));
    }
  }
  return std::nullopt;
}

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
