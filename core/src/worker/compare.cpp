// SPDX-License-Identifier: Apache-2.0
#include "worker/compare.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>

#include "worker/compile_pool.hpp"

namespace bench::worker {
namespace {

using problem::ValidationMethod;

constexpr std::uint8_t code_uint = 1, code_float = 2, code_bool = 6;
// Elements looked at together: a chunk of both sides stays in a second-level cache.
constexpr std::uint64_t chunk_elements = 16384;
// Below this a thread takes longer to start than to compare.
constexpr std::uint64_t elements_per_thread = std::uint64_t{1} << 20;
// Memory is the limit from here on.
constexpr unsigned max_threads = 8;
constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

/// binary16, as stored.
struct Half {
  std::uint16_t bits;
};

template <typename T>
T load(const std::byte *bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof value);
  return value;
}

template <typename T>
double real(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return problem::double_from_half(value.bits);
  else
    return static_cast<double>(value);
}

/// Integers beyond 2^53 differ although their nearest doubles do not: subtracted as integers.
template <typename T>
double difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto x = static_cast<Unsigned>(a), y = static_cast<Unsigned>(b);
    return static_cast<double>(static_cast<Unsigned>(a > b ? x - y : y - x));
  } else {
    return std::fabs(real(a) - real(b));
  }
}

template <typename T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// What an element may differ by: max(absolute, relative * max(|expected|, scale)).
struct Allowance {
  double absolute = 0.0, relative = 0.0, scale = 0.0;
  bool absolute_at_zero = false;  // a zero has no relative difference

  double operator()(double expected) const {
    const double magnitude = std::max(std::fabs(expected), scale);
    const double allowed =
        absolute_at_zero && expected == 0.0 ? relative : absolute + relative * magnitude;
    // A part of infinity is infinity: without this any number would pass for it.
    return magnitude <= std::numeric_limits<double>::max() ? allowed : 0.0;
  }
};

template <typename T>
struct Sides {
  const std::byte *actual, *expected;
  bool equal(std::uint64_t begin, std::uint64_t end) const {
    return std::memcmp(actual + begin * sizeof(T), expected + begin * sizeof(T),
                       (end - begin) * sizeof(T)) == 0;
  }
  bool agrees(std::uint64_t i, const Allowance &allowed) const {
    const T a = load<T>(actual, i), b = load<T>(expected, i);
    // `|` rather than `||`: a loop without branches is vectorised.
    return static_cast<bool>(int(difference(a, b) <= allowed(real(b))) | int(same_bits(a, b)));
  }
};

/// Calls body(first chunk, end of chunks, thread) over `chunks`.
template <typename Body>
void in_threads(std::uint64_t elements, std::uint64_t chunks, Body &&body) {
  const std::uint64_t wanted = elements / elements_per_thread;
  const auto threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(wanted, 1, std::min<std::uint64_t>(usable_cores(), max_threads)));
  std::vector<std::thread> others;
  const auto part = [&](unsigned i) { return chunks * i / threads; };
  try {
    for (unsigned i = 1; i < threads; ++i) {
      others.emplace_back([&body, from = part(i), to = part(i + 1)] { body(from, to); });
    }
  } catch (const std::system_error &) {
    // No further thread is to be had: this one does their part.
    body(part(static_cast<unsigned>(others.size()) + 1), chunks);
  }
  body(0, part(1));
  for (std::thread &thread : others) thread.join();
}

template <typename T>
std::uint64_t first_disagreement(const Sides<T> &sides, std::uint64_t count,
                                 const Allowance &allowed) {
  std::atomic<std::uint64_t> first{nowhere};
  const std::uint64_t chunks = (count + chunk_elements - 1) / chunk_elements;
  in_threads(count, chunks, [&](std::uint64_t chunk, std::uint64_t last) {
    for (; chunk < last && chunk * chunk_elements < first.load(std::memory_order_relaxed);
         ++chunk) {
      const std::uint64_t begin = chunk * chunk_elements;
      const std::uint64_t end = std::min(begin + chunk_elements, count);
      if (sides.equal(begin, end)) continue;
      int all = 1;
      for (std::uint64_t i = begin; i < end; ++i) all &= sides.agrees(i, allowed);
      if (all) continue;
      std::uint64_t at = begin;
      while (sides.agrees(at, allowed)) ++at;
      std::uint64_t known = first.load();
      while (at < known && !first.compare_exchange_weak(known, at)) {
      }
      return;  // this thread's chunks come in order
    }
  });
  return first;
}

/// The element at which the sum of differences passes the threshold.
template <typename T>
std::uint64_t sum_passes(const Sides<T> &sides, std::uint64_t count, double threshold) {
  const auto term = [&](std::uint64_t i) {
    const T a = load<T>(sides.actual, i), b = load<T>(sides.expected, i);
    return same_bits(a, b) ? 0.0 : difference(a, b);
  };
  const std::uint64_t chunks = (count + chunk_elements - 1) / chunk_elements;
  std::vector<double> sums(chunks, 0.0);  // by chunk: the total is the same for any threads
  in_threads(count, chunks, [&](std::uint64_t chunk, std::uint64_t last) {
    for (; chunk < last; ++chunk) {
      const std::uint64_t begin = chunk * chunk_elements;
      const std::uint64_t end = std::min(begin + chunk_elements, count);
      if (sides.equal(begin, end)) continue;
      double sum = 0.0;
      for (std::uint64_t i = begin; i < end; ++i) sum += term(i);
      sums[chunk] = sum;
    }
  });
  double before = 0.0;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    if (before + sums[chunk] <= threshold) {
      before += sums[chunk];
      continue;
    }
    const std::uint64_t begin = chunk * chunk_elements;
    const std::uint64_t end = std::min(begin + chunk_elements, count);
    double sum = 0.0;
    for (std::uint64_t i = begin; i < end; ++i) {
      sum += term(i);
      if (!(before + sum <= threshold)) return i;
    }
    return end - 1;
  }
  return nowhere;
}

/// What a sum of thousands of terms in another order may differ by, with room.
double default_threshold(const problem::DataType &type) {
  if (type.code != code_float) return 0.0;
  return type.bits == 64 ? 1e-9 : type.bits == 32 ? 1e-4 : 2e-2;
}

Allowance allowance_of(const problem::DataType &type, const Rule &rule, double scale) {
  Allowance allowed;
  if (!rule.method) {
    allowed.relative = default_threshold(type);
    allowed.scale = scale;
  } else if (*rule.method == ValidationMethod::each_relative) {
    allowed.relative = rule.threshold;
    allowed.absolute_at_zero = true;
  } else {
    allowed.absolute = rule.threshold;
  }
  return allowed;
}

std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  for (char *c = buffer; *c; ++c) {
    if (*c == ',') *c = '.';  // the application's locale may have a decimal comma
  }
  return buffer;
}

template <typename T>
std::string text(T value) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(value);  // all digits: a double would show two different ones as equal
  else
    return text(real(value));
}

template <typename T>
std::optional<Mismatch> compare_as(const problem::Argument &argument, const Rule &rule,
                                   const Sides<T> &sides, std::uint64_t count, double scale) {
  const bool sums = rule.method == ValidationMethod::sum_of_differences;
  const Allowance allowed = allowance_of(argument.type, rule, scale);
  const std::uint64_t at =
      sums ? sum_passes(sides, count, rule.threshold) : first_disagreement(sides, count, allowed);
  if (at == nowhere) return std::nullopt;
  const T actual = load<T>(sides.actual, at), expected = load<T>(sides.expected, at);
  Mismatch mismatch;
  mismatch.non_finite = !std::isfinite(real(actual)) && std::isfinite(real(expected));
  mismatch.what = argument.name + "[" + std::to_string(at) + "] is " + text(actual) +
                  ", expected " + text(expected);
  if (sums)
    mismatch.what += "; the sum of differences passes " + text(rule.threshold) + " here";
  else
    mismatch.what += " within " + text(allowed(real(expected)));
  return mismatch;
}

/// What elements of a reference typically are.
template <typename T>
double typical_magnitude(const std::vector<std::byte> &bytes) {
  // A sample is enough for a scale, and has one for any size.
  constexpr std::uint64_t most = 65536;
  // A normal distribution's root mean square is 1.5 of its median; where it is many times that, a
  // few giants made it, and would hide what is wrong with all the others.
  constexpr double most_medians = 4.0;
  const std::uint64_t count = bytes.size() / sizeof(T);
  const std::uint64_t stride = std::max<std::uint64_t>(1, count / most);
  std::vector<double> magnitudes;
  for (std::uint64_t i = 0; i < count; i += stride) {
    const double value = std::fabs(real(load<T>(bytes.data(), i)));
    if (value > 0.0 && std::isfinite(value)) magnitudes.push_back(value);
  }
  if (magnitudes.empty()) return 0.0;
  const double largest = *std::max_element(magnitudes.begin(), magnitudes.end());
  double squares = 0.0;  // over the largest: 1e200 has no square
  for (const double value : magnitudes) squares += (value / largest) * (value / largest);
  const auto middle = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 2);
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return std::min(largest * std::sqrt(squares / static_cast<double>(magnitudes.size())),
                  most_medians * *middle);
}

/// visit(T{}) for the C++ type of `type`.
template <typename Visit>
auto with_type(const problem::DataType &type, Visit &&visit) {
  if (type.code == code_float) {
    if (type.bits == 64) return visit(double{});
    if (type.bits == 32) return visit(float{});
    return visit(Half{});
  }
  const bool is_unsigned = type.code == code_uint || type.code == code_bool;
  switch (type.bits) {
    case 8:
      return is_unsigned ? visit(std::uint8_t{}) : visit(std::int8_t{});
    case 16:
      return is_unsigned ? visit(std::uint16_t{}) : visit(std::int16_t{});
    case 32:
      return is_unsigned ? visit(std::uint32_t{}) : visit(std::int32_t{});
    default:
      return is_unsigned ? visit(std::uint64_t{}) : visit(std::int64_t{});
  }
}

}  // namespace

Expected::Expected(const problem::Argument &argument, std::vector<std::byte> contents)
    : bytes(std::move(contents)) {
  if (argument.type.code != code_float) return;
  scale =
      with_type(argument.type, [&](auto type) { return typical_magnitude<decltype(type)>(bytes); });
}

std::optional<Mismatch> compare(const problem::Argument &argument, const Rule &rule,
                                const std::vector<std::byte> &actual, const Expected &expected) {
  if (actual.size() != expected.bytes.size()) {
    return Mismatch{false, argument.name + " has " + std::to_string(actual.size()) +
                               " bytes, expected " + std::to_string(expected.bytes.size())};
  }
  const std::uint64_t count = actual.size() / argument.type.bytes();
  return with_type(argument.type, [&](auto type) {
    const Sides<decltype(type)> sides{actual.data(), expected.bytes.data()};
    return compare_as(argument, rule, sides, count, expected.scale);
  });
}

}  // namespace bench::worker
