// SPDX-License-Identifier: Apache-2.0
// Kernel arguments of a problem file and the bytes they start with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problem/value.hpp"

namespace bench::problem {

/// DLPack's codes: 0 int, 1 uint, 2 float, 6 bool.
struct DataType {
  std::string name;  // bool int8 .. uint64 half float double
  std::uint8_t code = 2;
  std::uint8_t bits = 32;
  std::size_t bytes() const { return (bits + 7u) / 8u; }
};

/// T1's types and C's names for them; nothing for others.
std::optional<DataType> find_data_type(const std::string &name);

enum class MemoryKind { vector, scalar, local, symbol };
enum class FillKind { constant, random, binary_file };

struct Fill {
  FillKind kind = FillKind::constant;
  Value value{0};                     // constant; random: exclusive upper bound
  std::optional<std::uint64_t> seed;  // RandomSeed; else one is derived from the argument's name
  std::filesystem::path file;         // binary_file, absolute or relative to the working folder
};

struct Argument {
  std::string name;
  DataType type;
  MemoryKind kind = MemoryKind::vector;
  std::uint32_t access = 3;  // BENCH_ACCESS_*
  std::uint64_t count = 1;   // elements; local: see Problem::local_bytes
  std::string size_text;     // as the file has it
  Fill fill;
  bool output = false;  // its content after a launch is checked

  std::uint64_t bytes() const { return count * type.bytes(); }  // checked when the file was read
};

/// The bytes before each first launch. `seed` is mixed in; the same call gives the same bytes on
/// every machine. Random reals are uniform in [0, value), integers in [0, value), booleans 0 or 1.
/// A constant that the type cannot hold, a file of another size and exhausted memory are Failures.
std::vector<std::byte> fill_bytes(const Argument &argument, std::uint64_t seed = 0);

/// One value as the type's bytes, little-endian: what a scalar passes.
std::vector<std::byte> value_bytes(const Value &value, const DataType &type);

/// IEEE binary16 of the nearest value, ties to even; and back.
std::uint16_t half_from_double(double value);
double double_from_half(std::uint16_t half);

}  // namespace bench::problem
