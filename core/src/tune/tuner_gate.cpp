// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_gate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "problem/arguments.hpp"

namespace bench::tune {

namespace {

// DLPack's type codes.
constexpr std::uint8_t code_float = 2, code_bfloat = 4;

/// What a sum of thousands of terms in another order may differ by, with room.
double tolerance_of(std::uint8_t code, std::uint8_t bits) {
  if (code == code_bfloat) return 5e-2;
  return bits == 64 ? 1e-9 : bits == 32 ? 1e-4 : 2e-2;
}

double element(std::uint8_t code, std::uint8_t bits, const std::byte *source) {
  if (bits == 64) {
    double value;
    std::memcpy(&value, source, sizeof value);
    return value;
  }
  if (bits == 32) {
    float value;
    std::memcpy(&value, source, sizeof value);
    return double(value);
  }
  std::uint16_t half;
  std::memcpy(&half, source, sizeof half);
  return code == code_bfloat ? double(std::bit_cast<float>(std::uint32_t(half) << 16))
                             : problem::double_from_half(half);
}

std::string number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  // The application's locale may have a decimal comma.
  std::replace(buffer, buffer + std::strlen(buffer), ',', '.');
  return buffer;
}

}  // namespace

std::optional<std::string> compare_outputs(const std::string &name, std::uint8_t code,
                                           std::uint8_t bits, const std::vector<std::byte> &actual,
                                           const std::vector<std::byte> &expected,
                                           double tolerance) {
  if (actual == expected) return std::nullopt;  // the same bits agree, NaN or not
  const bool floats = (code == code_float && (bits == 16 || bits == 32 || bits == 64)) ||
                      (code == code_bfloat && bits == 16);
  const std::size_t width = floats ? bits / 8u : 1u;
  const std::size_t count = actual.size() / width;
  double scale = 0.0;
  for (std::size_t at = 0; floats && at < count; ++at) {
    const double value = element(code, bits, &expected[at * width]);
    if (std::isfinite(value)) scale += value * value / double(count);
  }
  scale = std::sqrt(scale);
  const double allowed_part = tolerance > 0 ? tolerance : tolerance_of(code, bits);
  for (std::size_t at = 0; at < count; ++at) {
    const std::byte *got = &actual[at * width], *wanted = &expected[at * width];
    if (std::memcmp(got, wanted, width) == 0) continue;
    if (!floats)
      return "byte " + std::to_string(at) + " of '" + name + "' is " +
             std::to_string(std::to_integer<int>(*got)) + ", the default wrote " +
             std::to_string(std::to_integer<int>(*wanted));
    const double x = element(code, bits, got), y = element(code, bits, wanted);
    if (std::isnan(x) && std::isnan(y)) continue;
    // Negated, so that a NaN fails.
    if (!(std::fabs(x - y) <= allowed_part * std::max(std::fabs(y), scale)))
      return "element " + std::to_string(at) + " of '" + name + "' is " + number(x) +
             ", the default wrote " + number(y);
  }
  return std::nullopt;
}

void TunerGate::launch(measure::Session &session, const bench_callable_v1 &callable,
                       const bench_config_v1 *config) {
  for (const std::size_t output : arguments_.outputs()) arguments_.poison(output);
  session.launch_untimed(callable, config, 1);
}

void TunerGate::learn(measure::Session &session, const bench_callable_v1 &callable,
                      const bench_config_v1 *config) {
  if (arguments_.outputs().empty())
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "outputs are to be checked, but no argument has the role OUT or INOUT",
                  "output gate", "mark the arguments that the kernel writes");
  measure::RestoreGuard restore(callable, config, session);
  launch(session, callable, config);
  expected_.clear();
  for (const std::size_t output : arguments_.outputs())
    expected_.push_back(arguments_.read(output));
  restore.run();
  learned_ = true;
}

std::optional<std::string> TunerGate::check(measure::Session &session,
                                            const bench_callable_v1 &callable,
                                            const bench_config_v1 *config) {
  launch(session, callable, config);
  const std::vector<std::size_t> outputs = arguments_.outputs();
  for (std::size_t at = 0; at < outputs.size(); ++at) {
    const bench_argument_v1 &argument = arguments_.argument(outputs[at]);
    if (auto wrong =
            compare_outputs(arguments_.name(outputs[at]), argument.dtype_code, argument.dtype_bits,
                            arguments_.read(outputs[at]), expected_[at], tolerance_))
      return wrong;
  }
  return std::nullopt;
}

std::vector<std::string> changed_by_each_launch(TunerArguments &arguments,
                                                measure::Session &session,
                                                const bench_callable_v1 &callable,
                                                const bench_config_v1 *config) {
  std::vector<std::string> names;
  const std::vector<std::size_t> suspects = arguments.unmarked();
  if (suspects.empty()) return names;
  measure::RestoreGuard restore(callable, config, session);
  session.launch_untimed(callable, config, 1);
  std::vector<std::vector<std::byte>> before;
  for (const std::size_t suspect : suspects) before.push_back(arguments.sample(suspect));
  session.launch_untimed(callable, config, 1);
  for (std::size_t at = 0; at < suspects.size(); ++at)
    if (arguments.sample(suspects[at]) != before[at]) names.push_back(arguments.name(suspects[at]));
  restore.run();
  return names;
}

}  // namespace bench::tune
