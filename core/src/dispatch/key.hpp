// SPDX-License-Identifier: Apache-2.0
// The key of a tuned choice: values of the key arguments in declaration order (tensors: their
// shapes), dtypes of all tensors, the device. What is the same for every call of a tuner (its
// policy, names, configurations) goes in once, as a seed.
//
// A key is a sequence of 64-bit words, so prefixed that no two different keys give the same
// sequence. It is walked, never built, on the hot path: hashing and comparing need no buffer, and
// so neither an allocation nor a limit on the number of arguments.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "dispatch/classes.hpp"

namespace bench::dispatch {

struct KeyLayout {
  std::vector<std::string> argument_names;
  std::vector<const char *> name_pointers;  ///< into argument_names, for messages
  std::vector<std::uint8_t> is_key;         ///< one per argument
  std::vector<std::uint8_t> bucket;         ///< one per argument: BENCH_BUCKET_*
  std::uint64_t seed = 0;

  KeyLayout() = default;
  KeyLayout(const KeyLayout &) = delete;  // name_pointers point into it
  KeyLayout &operator=(const KeyLayout &) = delete;
  KeyLayout(KeyLayout &&) = default;
  KeyLayout &operator=(KeyLayout &&) = default;
};

/// Throws INVALID_ARGUMENT for an unknown, repeated or missing name. `seed_text` holds all that is
/// the same for every call. `key_buckets` may be null: exact values.
KeyLayout make_layout(const char *const *argument_names, std::uint32_t argument_count,
                      const char *const *key_names, std::uint32_t key_count,
                      const std::string &seed_text, const std::uint32_t *key_buckets = nullptr);

/// A size as its bucket has it: sizes that vary a little must not tune without end. The bucket's
/// upper end, so that a small exact size and its bucket are one key.
inline std::int64_t bucketed(std::int64_t value, std::uint8_t bucket) noexcept {
  constexpr std::int64_t last_power = std::int64_t{1} << 62;
  if (bucket != BENCH_BUCKET_POWER_OF_TWO || value < 1 || value > last_power) return value;
  return std::int64_t(std::bit_ceil(std::uint64_t(value)));
}

namespace detail {

/// Words of a key argument's value. The kind comes first, so that integer 1, true and 1.0 differ.
template <typename Sink>
void walk_value(const bench_argument_v1 &argument, std::uint8_t bucket, Sink &sink) {
  sink(argument.kind);
  switch (argument.kind) {
    case BENCH_ARGUMENT_INTEGER:
      sink(std::uint64_t(bucketed(argument.integer, bucket)));
      break;
    case BENCH_ARGUMENT_BOOLEAN:
      sink(argument.integer ? 1u : 0u);
      break;
    case BENCH_ARGUMENT_REAL:
      sink(std::bit_cast<std::uint64_t>(argument.real));
      break;
    case BENCH_ARGUMENT_TEXT: {
      const std::size_t size = std::strlen(argument.text);
      sink(size);
      for (std::size_t at = 0; at < size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, argument.text + at, size - at < 8 ? size - at : 8);
        sink(word);
      }
      break;
    }
    case BENCH_ARGUMENT_TENSOR:
      sink(argument.rank);
      for (std::uint32_t axis = 0; axis < argument.rank; ++axis)
        sink(std::uint64_t(bucketed(argument.shape[axis], bucket)));
      break;
    default:
      break;
  }
}

}  // namespace detail

/// Arguments must have passed count_votes, which checks their form.
template <typename Sink>
void walk_key(const KeyLayout &layout, const bench_argument_v1 *const *arguments,
              bench_device_v1 device, Sink &sink) {
  sink(std::uint64_t(std::uint32_t(device.type)) << 32 | std::uint32_t(device.id));
  const std::size_t count = layout.is_key.size();
  for (std::size_t index = 0; index < count; ++index) {
    const bench_argument_v1 &argument = *arguments[index];
    // A word for each argument, also for those without a dtype: an absent tensor is another key.
    std::uint64_t dtype = 0;
    if (argument.kind == BENCH_ARGUMENT_TENSOR)
      dtype = std::uint64_t{1} << 63 | std::uint64_t(argument.dtype_lanes) << 16 |
              std::uint64_t(argument.dtype_bits) << 8 | argument.dtype_code;
    sink(dtype);
    if (layout.is_key[index]) detail::walk_value(argument, layout.bucket[index], sink);
  }
}

std::uint64_t key_hash(const KeyLayout &layout, const bench_argument_v1 *const *arguments,
                       bench_device_v1 device) noexcept;
std::vector<std::uint64_t> key_words(const KeyLayout &layout,
                                     const bench_argument_v1 *const *arguments,
                                     bench_device_v1 device);
/// Compares in full: two keys with one hash must not share a choice.
bool key_equals(const std::vector<std::uint64_t> &words, const KeyLayout &layout,
                const bench_argument_v1 *const *arguments, bench_device_v1 device) noexcept;

/// The same content for people and for the store, without the device: "n=1024, x:float32".
std::string key_text(const KeyLayout &layout, const bench_argument_v1 *const *arguments);

/// "x:float32, y:float32", of all tensors.
std::string dtypes_text(const KeyLayout &layout, const bench_argument_v1 *const *arguments);

/// 64-bit FNV-1a, the same in every process: for identities that are stored.
std::uint64_t text_hash(const std::string &text) noexcept;

}  // namespace bench::dispatch
