// SPDX-License-Identifier: Apache-2.0
#include "worker/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace bench;
using problem::ValidationMethod;
using worker::Rule;

namespace {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

problem::Argument argument(const char *type) {
  problem::Argument result;
  result.name = "out";
  result.type = *problem::find_data_type(type);
  return result;
}

template <typename T>
std::optional<worker::Mismatch> compare(const char *type, const Rule &rule,
                                        const std::vector<T> &actual,
                                        const std::vector<T> &expected) {
  return worker::compare(argument(type), rule, bytes_of(actual),
                         worker::Expected(argument(type), bytes_of(expected)));
}

std::optional<worker::Mismatch> floats(const Rule &rule, const std::vector<float> &actual,
                                       const std::vector<float> &expected) {
  return compare("float", rule, actual, expected);
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("equal outputs agree under every rule") {
  for (const auto method : {ValidationMethod::sum_of_differences, ValidationMethod::each_difference,
                            ValidationMethod::each_relative}) {
    CHECK_FALSE(floats({0, method, 0.0}, {1, 2, not_a_number}, {1, 2, not_a_number}));
  }
  CHECK_FALSE(floats({0, std::nullopt, 0.0}, {1, 2, 3}, {1, 2, 3}));
}

TEST_CASE(
    "a NaN or an infinity where a number is expected is wrong under every rule, and said to be not "
    "finite") {
  for (const auto method : {ValidationMethod::sum_of_differences, ValidationMethod::each_difference,
                            ValidationMethod::each_relative}) {
    for (const float bad : {not_a_number, infinity, -infinity}) {
      const auto mismatch = floats({0, method, 1e30}, {1, bad, 3}, {1, 2, 3});
      REQUIRE(mismatch);
      CHECK(mismatch->non_finite);
      CHECK(mismatch->what.find("out[1]") != std::string::npos);
    }
  }
  CHECK(floats({0, std::nullopt, 0.0}, {1, not_a_number, 3}, {1, 2, 3}));
}

TEST_CASE("the sum rule adds up, the others look at each element") {
  CHECK_FALSE(
      floats({0, ValidationMethod::sum_of_differences, 0.31}, {1.1f, 2.1f, 3.1f}, {1, 2, 3}));
  CHECK(floats({0, ValidationMethod::sum_of_differences, 0.29}, {1.1f, 2.1f, 3.1f}, {1, 2, 3}));
  CHECK_FALSE(floats({0, ValidationMethod::each_difference, 0.11}, {1.1f, 2.1f, 3.1f}, {1, 2, 3}));
  CHECK(floats({0, ValidationMethod::each_difference, 0.09}, {1.1f, 2, 3}, {1, 2, 3}));
  CHECK_FALSE(floats({0, ValidationMethod::each_relative, 0.01}, {100.5f}, {100}));
  CHECK(floats({0, ValidationMethod::each_relative, 0.001}, {100.5f}, {100}));
  CHECK(floats({0, ValidationMethod::each_relative, 0.001}, {0.5f}, {0}));
}

TEST_CASE("the default rule forgives rounding in cancelled sums but not a small wrong element") {
  // 1e-7 beside elements of 1: the error of its terms. 1e-2 is none.
  CHECK_FALSE(floats({0, std::nullopt, 0.0}, {1, 1, 2e-7f}, {1, 1, 1e-7f}));
  CHECK(floats({0, std::nullopt, 0.0}, {1, 1, 1e-2f}, {1, 1, 1e-7f}));
}

TEST_CASE("integers and booleans must be equal, beyond what a double can tell too") {
  const Rule exact{0, std::nullopt, 0.0};
  CHECK(compare<std::int32_t>("int32", exact, {1, 2}, {1, 3}));
  CHECK(compare<std::uint8_t>("uint8", exact, {255}, {254}));
  CHECK(compare<std::uint8_t>("bool", exact, {1}, {0}));
  CHECK_FALSE(compare<std::int64_t>("int64", exact, {-5}, {-5}));
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  const auto mismatch = compare<std::int64_t>("int64", exact, {large}, {large - 1});
  REQUIRE(mismatch);
  CHECK(mismatch->what.find("is 9007199254740993, expected 9007199254740992") != std::string::npos);
  CHECK(compare<std::uint64_t>("uint64", exact, {UINT64_MAX}, {UINT64_MAX - 1}));
  CHECK(compare<std::int64_t>("int64", exact, {INT64_MIN}, {INT64_MAX}));
  CHECK(compare<std::int64_t>("int64", {0, ValidationMethod::each_difference, 1e18}, {INT64_MIN},
                              {INT64_MAX}));
  CHECK_FALSE(
      compare<std::int8_t>("int8", {0, ValidationMethod::each_difference, 255.0}, {-128}, {127}));
}

TEST_CASE("a number is wrong where infinity is expected, and the other infinity too") {
  for (const Rule &rule :
       {Rule{0, std::nullopt, 0.0}, Rule{0, ValidationMethod::each_relative, 1}}) {
    CHECK(floats(rule, {5, 1}, {infinity, 1}));
    CHECK(floats(rule, {-infinity, 1}, {infinity, 1}));
    CHECK_FALSE(floats(rule, {infinity, 1}, {infinity, 1}));
  }
}

TEST_CASE("a giant in the reference hides nothing wrong beside it") {
  std::vector<float> expected(256, 1.0f), actual(256, 1.0f);
  expected[7] = actual[7] = 1e10f;
  CHECK_FALSE(floats({0, std::nullopt, 0.0}, actual, expected));
  actual[100] = 2.0f;
  CHECK(floats({0, std::nullopt, 0.0}, actual, expected));
}

TEST_CASE("numbers whose squares are too large for their type are compared") {
  const Rule rule{0, std::nullopt, 0.0};
  CHECK(compare<double>("double", rule, {1e200, 1e160}, {1e200, 2e200}));
  CHECK_FALSE(compare<double>("double", rule, {1e200, 2e200}, {1e200, 2e200 * (1 + 1e-12)}));
}

TEST_CASE("the first wrong element is told, wherever it lies and however many threads look") {
  constexpr std::size_t count = 5'000'000;
  std::vector<float> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = 1.0f + static_cast<float>(i % 1000);
  for (const std::size_t at : {std::size_t{0}, std::size_t{16383}, std::size_t{16384}, count / 2,
                               count / 2 + 1, count - 1}) {
    std::vector<float> actual = expected;
    for (std::size_t i = at; i < count; i += 700'000) actual[i] += 3.0f;
    for (const Rule &rule :
         {Rule{0, std::nullopt, 0.0}, Rule{0, ValidationMethod::each_difference, 0.5},
          Rule{0, ValidationMethod::sum_of_differences, 0.5}}) {
      const auto mismatch = floats(rule, actual, expected);
      REQUIRE(mismatch);
      CHECK(mismatch->what.rfind("out[" + std::to_string(at) + "]", 0) == 0);
    }
  }
}

namespace {

/// Sums of `terms` products in an order of its own for each `variant`, as kernels differ.
template <typename T>
std::vector<T> sums(std::size_t count, std::size_t terms, unsigned variant, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5; };
  std::vector<T> inputs(terms * 2), outputs;
  for (std::size_t i = 0; i < count; ++i) {
    for (T &input : inputs) {
      if constexpr (std::is_integral_v<T>)
        input = static_cast<T>(static_cast<std::int64_t>(uniform() * 20));
      else
        input = static_cast<T>(uniform() * 20);
    }
    T lanes[8] = {};
    const unsigned width = 1u << (variant % 4);
    for (std::size_t k = 0; k < terms; ++k) {
      const std::size_t at = variant >= 4 ? terms - 1 - k : k;
      lanes[k % width] =
          static_cast<T>(lanes[k % width] + static_cast<T>(inputs[2 * at] * inputs[2 * at + 1]));
    }
    T total{};
    for (unsigned lane = 0; lane < width; ++lane) total = static_cast<T>(total + lanes[lane]);
    outputs.push_back(total);
  }
  return outputs;
}

template <typename T>
void check_right_ones(const char *type, int &right) {
  const Rule rule{0, std::nullopt, 0.0};
  for (std::uint64_t seed = 1; seed <= 13; ++seed) {
    for (const std::size_t terms : {1, 100, 4096}) {
      const auto expected = sums<T>(64, terms, 0, seed);
      for (unsigned variant = 1; variant < 8; ++variant) {
        const auto mismatch = compare<T>(type, rule, sums<T>(64, terms, variant, seed), expected);
        CHECK_MESSAGE(!mismatch, type << ", " << terms << " terms: " << mismatch->what);
        right += !mismatch;
      }
    }
  }
}

}  // namespace

TEST_CASE("sums in another order are no false alarm, in any type") {
  int right = 0;
  check_right_ones<std::int8_t>("int8", right);
  check_right_ones<std::uint8_t>("uint8", right);
  check_right_ones<std::int16_t>("int16", right);
  check_right_ones<std::uint16_t>("uint16", right);
  check_right_ones<std::int32_t>("int32", right);
  check_right_ones<std::uint32_t>("uint32", right);
  check_right_ones<std::int64_t>("int64", right);
  check_right_ones<std::uint64_t>("uint64", right);
  check_right_ones<float>("float", right);
  check_right_ones<double>("double", right);
  CHECK(right == 10 * 13 * 3 * 7);
}

TEST_CASE("an output that is too short is wrong") {
  CHECK(floats({0, std::nullopt, 0.0}, {1}, {1, 2}));
}
