// SPDX-License-Identifier: Apache-2.0
#include "worker/verify.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

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

std::optional<worker::Mismatch> floats(const Rule &rule, const std::vector<float> &actual,
                                       const std::vector<float> &expected) {
  return worker::compare(argument("float"), rule, bytes_of(actual), bytes_of(expected));
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

TEST_CASE("integers and booleans must be equal") {
  CHECK(worker::compare(argument("int32"), {0, std::nullopt, 0.0}, bytes_of<std::int32_t>({1, 2}),
                        bytes_of<std::int32_t>({1, 3})));
  CHECK(worker::compare(argument("uint8"), {0, std::nullopt, 0.0}, bytes_of<std::uint8_t>({255}),
                        bytes_of<std::uint8_t>({254})));
  CHECK(worker::compare(argument("bool"), {0, std::nullopt, 0.0}, bytes_of<std::uint8_t>({1}),
                        bytes_of<std::uint8_t>({0})));
  CHECK_FALSE(worker::compare(argument("int64"), {0, std::nullopt, 0.0},
                              bytes_of<std::int64_t>({-5}), bytes_of<std::int64_t>({-5})));
}

TEST_CASE("an output that is too short is wrong") {
  CHECK(floats({0, std::nullopt, 0.0}, {1}, {1, 2}));
}
