// SPDX-License-Identifier: Apache-2.0
// The bytes that arguments start with: the same on every machine for the same file.
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "problem/arguments.hpp"
#include "problem/space.hpp"

namespace bench::problem {
namespace {

constexpr std::uint8_t code_int = 0, code_uint = 1, code_float = 2, code_bool = 6;

/// SplitMix64 (Steele, Lea, Flood 2014): every seed is good, and it gives the same numbers
/// everywhere, which the standard library's distributions do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

[[noreturn]] void fail(bench_status status, const Argument &argument, const char *member,
                       const std::string &what, const std::string &hint) {
  throw Failure(status, what, "argument " + argument.name + ", " + member, hint);
}

std::vector<std::byte> read_file(const Argument &argument) {
  std::ifstream file(argument.fill.file, std::ios::binary | std::ios::ate);
  if (!file)
    fail(BENCH_ERROR_INVALID_ARGUMENT, argument, "DataSource",
         "cannot read " + argument.fill.file.string(),
         "name a readable file, relative to the problem file");
  const auto size = static_cast<std::uint64_t>(file.tellg());
  if (size != argument.bytes()) {
    fail(BENCH_ERROR_INVALID_ARGUMENT, argument, "DataSource",
         argument.fill.file.string() + " holds " + std::to_string(size) + " bytes, but " +
             std::to_string(argument.count) + " elements of " + argument.type.name + " are " +
             std::to_string(argument.bytes()),
         "correct Size or Type, or the file");
  }
  std::vector<std::byte> bytes(size);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size));
  return bytes;
}

template <typename T>
void put(T value, std::byte *target) {
  std::memcpy(target, &value, sizeof value);
}

void put_real(double value, std::uint8_t bits, std::byte *target) {
  if (bits == 16)
    put(half_from_double(value), target);
  else if (bits == 32)
    put(static_cast<float>(value), target);
  else
    put(value, target);
}

/// One past the largest integer of `type`.
double integer_end(const DataType &type) {
  return std::ldexp(1.0, type.code == code_int ? type.bits - 1 : type.bits);
}

/// Rounding to a narrow type may reach the bound, which is excluded: then the value before it.
void put_real_below(double value, double bound, std::uint8_t bits, std::byte *target) {
  if (bits == 16) {
    std::uint16_t half = half_from_double(value);
    while (bound > 0 && double_from_half(half) >= bound) --half;
    put(half, target);
  } else if (bits == 32) {
    auto single = static_cast<float>(value);
    while (bound > 0 && static_cast<double>(single) >= bound) single = std::nextafter(single, 0.0f);
    put(single, target);
  } else {
    put(value, target);
  }
}

}  // namespace

std::optional<DataType> find_data_type(const std::string &name) {
  static const std::map<std::string, DataType> types = [] {
    const DataType boolean{"bool", code_bool, 8}, half{"half", code_float, 16},
        single{"float", code_float, 32}, real{"double", code_float, 64};
    std::map<std::string, DataType> all{{"bool", boolean}, {"half", half},      {"float16", half},
                                        {"float", single}, {"float32", single}, {"double", real},
                                        {"float64", real}};
    for (const std::uint8_t bits :
         {std::uint8_t{8}, std::uint8_t{16}, std::uint8_t{32}, std::uint8_t{64}}) {
      all["int" + std::to_string(bits)] = {"int" + std::to_string(bits), code_int, bits};
      all["uint" + std::to_string(bits)] = {"uint" + std::to_string(bits), code_uint, bits};
    }
    const std::pair<const char *, const char *> aliases[] = {
        {"char", "int8"},   {"short", "int16"},  {"int", "int32"},
        {"long", "int64"},  {"uchar", "uint8"},  {"ushort", "uint16"},
        {"uint", "uint32"}, {"ulong", "uint64"}, {"size_t", "uint64"}};
    for (const auto &[alias, type] : aliases) all[alias] = all[type];
    return all;
  }();
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional<DataType>(found->second);
}

std::uint16_t half_from_double(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00);  // rounds to infinity
  if (magnitude < 0x1.0p-14)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1.0p24)));
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);  // in [1/2, 1)
  const double scaled = std::nearbyint(fraction * 2048.0);   // 1024..2048, ties to even
  return static_cast<std::uint16_t>(sign | ((exponent + 13) * 1024 + static_cast<int>(scaled)));
}

double double_from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
  double value;
  if (exponent == 31)
    value = fraction ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(fraction, -24);
  else
    value = std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) ? -value : value;
}

std::vector<std::byte> value_bytes(const Value &value, const DataType &type) {
  if (!value.is_number())
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "'" + value.to_text() + "' is no number",
                  "FillValue", "give a number");
  std::vector<std::byte> bytes(type.bytes());
  if (type.code == code_float) {
    put_real(value.real(), type.bits, bytes.data());
    return bytes;
  }
  if (type.code == code_bool) {
    put(static_cast<std::uint8_t>(value.truth()), bytes.data());
    return bytes;
  }
  const double real = value.real();
  if (std::nearbyint(real) != real)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, value.to_text() + " does not fit " + type.name,
                  "FillValue", "give a whole number, or a real type");
  const double low = type.code == code_int ? -std::ldexp(1.0, type.bits - 1) : 0.0;
  const double high = integer_end(type);
  if (!(real >= low && real < high))
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, value.to_text() + " does not fit " + type.name,
                  "FillValue", "use a wider type or a smaller value");
  const std::uint64_t integer =
      value.is_real() ? (real < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real))
                                  : static_cast<std::uint64_t>(real))
                      : static_cast<std::uint64_t>(value.integer());
  std::memcpy(bytes.data(), &integer,
              bytes.size());  // little-endian: the low bytes are the narrower value
  return bytes;
}

std::vector<std::byte> fill_bytes(const Argument &argument, std::uint64_t seed) {
  if (argument.fill.kind == FillKind::binary_file) return read_file(argument);
  std::vector<std::byte> bytes;
  try {
    bytes.resize(argument.bytes());
  } catch (const std::exception &) {
    fail(BENCH_ERROR_OUT_OF_RESOURCES, argument, "Size",
         "no host memory for " + std::to_string(argument.bytes()) + " bytes",
         "use a smaller problem");
  }
  const std::size_t width = argument.type.bytes();
  if (argument.fill.kind == FillKind::constant) {
    const auto one = value_bytes(argument.fill.value, argument.type);
    for (std::uint64_t i = 0; i < argument.count; ++i)
      std::memcpy(&bytes[i * width], one.data(), width);
    return bytes;
  }
  if (!argument.fill.value.is_number())
    fail(BENCH_ERROR_INVALID_ARGUMENT, argument, "FillValue",
         "'" + argument.fill.value.to_text() + "' is no number",
         "give the exclusive upper bound of the random values");
  Random random((argument.fill.seed ? *argument.fill.seed : hash_text(argument.name)) + seed);
  const double bound = argument.fill.value.real();
  const bool whole = argument.type.code == code_int || argument.type.code == code_uint;
  if (whole && !(bound >= 0 && bound <= integer_end(argument.type)))
    fail(BENCH_ERROR_INVALID_ARGUMENT, argument, "FillValue",
         "random values below " + argument.fill.value.to_text() + " do not fit " +
             argument.type.name,
         "use a wider type, or a bound from 0 to the type's largest value");
  for (std::uint64_t i = 0; i < argument.count; ++i) {
    std::byte *target = &bytes[i * width];
    if (argument.type.code == code_float) {
      put_real_below(random.unit() * bound, bound, argument.type.bits, target);
    } else if (argument.type.code == code_bool) {
      put(static_cast<std::uint8_t>(random.next() & 1), target);
    } else {
      const auto value = static_cast<std::uint64_t>(random.unit() * bound);
      std::memcpy(target, &value, width);
    }
  }
  return bytes;
}

}  // namespace bench::problem
