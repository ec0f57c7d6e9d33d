// SPDX-License-Identifier: Apache-2.0
// When two outputs agree.
#include "tune/tuner_gate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using bench::tune::compare_outputs;

namespace {

constexpr std::uint8_t code_int = 0, code_float = 2, code_bfloat = 4;

template <typename T>
std::vector<std::byte> bytes(std::initializer_list<T> values) {
  std::vector<std::byte> result(values.size() * sizeof(T));
  std::memcpy(result.data(), std::data(values), result.size());
  return result;
}

bool agree(const std::vector<float> &actual, const std::vector<float> &expected,
           double tolerance = 0) {
  std::vector<std::byte> left(actual.size() * 4), right(expected.size() * 4);
  std::memcpy(left.data(), actual.data(), left.size());
  std::memcpy(right.data(), expected.data(), right.size());
  return !compare_outputs("y", code_float, 32, left, right, tolerance);
}

}  // namespace

TEST_CASE("floats agree within a part of the element or of the root mean square") {
  CHECK(agree({1.0f, 1000.0f}, {1.0f, 1000.0f}));
  CHECK(agree({1.0f, 1000.01f}, {1.0f, 1000.0f}));
  CHECK_FALSE(agree({1.0f, 1001.0f}, {1.0f, 1000.0f}));
  CHECK(agree({1.0f, 1001.0f}, {1.0f, 1000.0f}, 0.01));
  // An element that cancels to nearly zero carries the error of its terms.
  CHECK(agree({0.001f, 1000.0f}, {0.0f, 1000.0f}));
  CHECK_FALSE(agree({0.001f}, {0.0f}));
}

TEST_CASE("a NaN agrees with a NaN only") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(agree({nan}, {1.0f}));
  CHECK_FALSE(agree({1.0f}, {nan}));
  CHECK(agree({-nan, 1.0f}, {nan, 1.0f}));
  CHECK_FALSE(agree({std::numeric_limits<float>::infinity()}, {1.0f}));
}

TEST_CASE("half and bfloat16 have tolerances of their own, integers none") {
  // 1.0 and its neighbour, and 1.5.
  CHECK_FALSE(compare_outputs("y", code_float, 16, bytes<std::uint16_t>({0x3c01}),
                              bytes<std::uint16_t>({0x3c00}), 0));
  CHECK(compare_outputs("y", code_float, 16, bytes<std::uint16_t>({0x3e00}),
                        bytes<std::uint16_t>({0x3c00}), 0));
  CHECK_FALSE(compare_outputs("y", code_bfloat, 16, bytes<std::uint16_t>({0x3f81}),
                              bytes<std::uint16_t>({0x3f80}), 0));
  CHECK(compare_outputs("y", code_bfloat, 16, bytes<std::uint16_t>({0x3fc0}),
                        bytes<std::uint16_t>({0x3f80}), 0));
  const auto wrong = compare_outputs("y", code_int, 32, bytes<std::int32_t>({7, 8}),
                                     bytes<std::int32_t>({7, 9}), 0.5);
  REQUIRE(wrong);
  CHECK(wrong->find("'y'") != std::string::npos);
}
