// SPDX-License-Identifier: Apache-2.0
#include "problem/arguments.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "temp_dir.hpp"

using namespace bench::problem;
using bench::Failure;

namespace {

Argument argument(const char *type, FillKind kind, Value value, std::uint64_t count = 1000) {
  Argument result;
  result.name = "a";
  result.type = *find_data_type(type);
  result.count = count;
  result.fill.kind = kind;
  result.fill.value = std::move(value);
  return result;
}

template <typename T>
std::vector<T> values(const Argument &argument, std::uint64_t seed = 0) {
  const auto bytes = fill_bytes(argument, seed);
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

}  // namespace

TEST_CASE("every type of T1 and its C name is known") {
  const std::pair<const char *, std::size_t> known[] = {
      {"bool", 1},   {"int8", 1},   {"int16", 2},  {"int32", 4}, {"int64", 8}, {"uint8", 1},
      {"uint16", 2}, {"uint32", 4}, {"uint64", 8}, {"half", 2},  {"float", 4}, {"double", 8},
      {"char", 1},   {"short", 2},  {"int", 4},    {"long", 8},  {"uint", 4},  {"ulong", 8}};
  for (const auto &[name, size] : known) {
    const auto type = find_data_type(name);
    REQUIRE_MESSAGE(type, name);
    CHECK(type->bytes() == size);
  }
  CHECK_FALSE(find_data_type("float8"));
}

TEST_CASE("constants fill every element") {
  for (const float value : values<float>(argument("float", FillKind::constant, Value(1.5))))
    CHECK(value == 1.5f);
  for (const std::int16_t value :
       values<std::int16_t>(argument("int16", FillKind::constant, Value(-3))))
    CHECK(value == -3);
  CHECK(values<std::uint64_t>(argument("uint64", FillKind::constant, Value(std::int64_t{1} << 62),
                                       1))[0] == std::uint64_t{1} << 62);
  CHECK_THROWS_AS(fill_bytes(argument("int8", FillKind::constant, Value(200))), Failure);
  CHECK_THROWS_AS(fill_bytes(argument("uint32", FillKind::constant, Value(-1))), Failure);
  CHECK_THROWS_AS(fill_bytes(argument("int32", FillKind::constant, Value(1.5))), Failure);
}

TEST_CASE("random values are in range, seeded, and the same everywhere") {
  const auto reals = values<float>(argument("float", FillKind::random, Value(4.0)));
  double sum = 0;
  for (const float value : reals) {
    CHECK(value >= 0.0f);
    CHECK(value <= 4.0f);
    sum += value;
  }
  CHECK(sum / 1000 == doctest::Approx(2.0).epsilon(0.1));
  CHECK(reals == values<float>(argument("float", FillKind::random, Value(4.0))));
  CHECK(reals != values<float>(argument("float", FillKind::random, Value(4.0)), 1));
  Argument seeded = argument("float", FillKind::random, Value(4.0));
  seeded.fill.seed = 42;
  CHECK(reals != values<float>(seeded));
  for (const std::int32_t value :
       values<std::int32_t>(argument("int32", FillKind::random, Value(10))))
    CHECK((value >= 0 && value < 10));
  for (const std::uint8_t value :
       values<std::uint8_t>(argument("bool", FillKind::random, Value(1))))
    CHECK(value <= 1);
}

TEST_CASE("random values keep to the type's range and below their bound") {
  for (const auto &[type, bound] : {std::pair<const char *, Value>{"int8", Value(300)},
                                    {"uint8", Value(-5)},
                                    {"int64", Value(1e300)},
                                    {"uint64", Value(2e19)}}) {
    try {
      fill_bytes(argument(type, FillKind::random, bound));
      FAIL("no failure for " << std::string(type));
    } catch (const bench::Failure &failure) {
      CHECK(failure.text().what.find(type) != std::string::npos);
      CHECK(failure.text().where.find("FillValue") != std::string::npos);
      CHECK_FALSE(failure.text().hint.empty());
    }
  }
  for (const std::int8_t value :
       values<std::int8_t>(argument("int8", FillKind::random, Value(128))))
    CHECK(value >= 0);
  // Beyond 2^63 half of the values were one and the same.
  const auto wide = values<std::uint64_t>(argument("uint64", FillKind::random, Value(1.5e19)));
  CHECK(std::set<std::uint64_t>(wide.begin(), wide.end()).size() == wide.size());
  for (const std::uint64_t value : wide) CHECK(value < 15'000'000'000'000'000'000u);
  // One in 2^12 draws rounds to the bound in 16 bits.
  for (const std::uint16_t half :
       values<std::uint16_t>(argument("half", FillKind::random, Value(1.0), 100'000)))
    if (double_from_half(half) >= 1.0) FAIL("reached the bound");
}

TEST_CASE("a file gives its bytes, and its size must fit") {
  const bench::test::TempDir folder;
  Argument raw = argument("int32", FillKind::binary_file, Value(0), 2);
  raw.fill.file = folder.write("two.bin", std::string("\1\0\0\0\2\0\0\0", 8));
  CHECK(values<std::int32_t>(raw) == std::vector<std::int32_t>{1, 2});
  raw.count = 3;
  CHECK_THROWS_WITH_AS(fill_bytes(raw), doctest::Contains("holds 8 bytes"), Failure);
  raw.fill.file = folder.path() / "absent.bin";
  CHECK_THROWS_WITH_AS(fill_bytes(raw), doctest::Contains("absent.bin"), Failure);
}

TEST_CASE("half precision rounds to nearest even and comes back") {
  const std::pair<double, std::uint16_t> known[] = {
      {0.0, 0x0000},           {-0.0, 0x8000},          {1.0, 0x3c00},
      {-2.0, 0xc000},          {65504.0, 0x7bff},       {65520.0, 0x7c00},
      {1e9, 0x7c00},           {0x1p-24, 0x0001},       {0x1p-25, 0x0000},
      {0x1p-14, 0x0400},       {1.0 + 0x1p-11, 0x3c00}, {1.0 + 3 * 0x1p-11, 0x3c02},
      {0.333251953125, 0x3555}};
  for (const auto &[value, bits] : known) CHECK_MESSAGE(half_from_double(value) == bits, value);
  CHECK(std::isnan(double_from_half(half_from_double(std::nan("")))));
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    CHECK(half_from_double(double_from_half(static_cast<std::uint16_t>(bits))) == bits);
  }
}
