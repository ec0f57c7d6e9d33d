// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "dispatch/describe.hpp"

namespace bench::dispatch {

namespace {

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// Odd constant of the 64-bit golden ratio: spreads small integers over the whole word.
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

__extension__ using Wide = unsigned __int128;  // not ISO C++, and so not without a word

struct HashSink {
  std::uint64_t state;
  void operator()(std::uint64_t word) noexcept {
    // Folded 128-bit product: one multiplication a word, all bits mixed into all.
    const auto product = static_cast<Wide>(state ^ word ^ golden) * 0xd6e8feb86659fd93u;
    state = std::uint64_t(product) ^ std::uint64_t(product >> 64) ^ std::rotl(state, 23);
  }
};

struct AppendSink {
  std::vector<std::uint64_t> &words;
  void operator()(std::uint64_t word) { words.push_back(word); }
};

struct CompareSink {
  const std::uint64_t *next;
  const std::uint64_t *end;
  bool same = true;
  void operator()(std::uint64_t word) noexcept {
    // Never past the end: the walk may be longer than the stored key.
    if (next == end || *next++ != word) {
      same = false;
      next = end;
    }
  }
};

/// "=1024", and "<=1024" for the bucket that ends there.
std::string bucketed_text(const bench_argument_v1 &argument, std::uint8_t bucket) {
  if (bucket == BENCH_BUCKET_EXACT) return "=" + value_text(argument);
  bench_argument_v1 upper = argument;
  upper.integer = bucketed(argument.integer, bucket);
  std::vector<std::int64_t> shape;
  for (std::uint32_t axis = 0; argument.kind == BENCH_ARGUMENT_TENSOR && axis < argument.rank;
       ++axis)
    shape.push_back(bucketed(argument.shape[axis], bucket));
  upper.shape = shape.data();
  return "<=" + value_text(upper);
}

}  // namespace

KeyLayout make_layout(const char *const *argument_names, std::uint32_t argument_count,
                      const char *const *key_names, std::uint32_t key_count,
                      const std::string &seed_text, const std::uint32_t *key_buckets) {
  const char *where = "bench_tuner_create";
  if ((argument_count && !argument_names) || (key_count && !key_names))
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "argument_names or key_names is NULL while its count is not 0", where,
                  "pass an array of as many names as the count says");
  KeyLayout layout;
  for (std::uint32_t index = 0; index < argument_count; ++index) {
    if (!argument_names[index] || !*argument_names[index])
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "argument " + std::to_string(index) + " has no name", where,
                    "give every argument a name, in declaration order");
    std::string name = argument_names[index];
    if (std::find(layout.argument_names.begin(), layout.argument_names.end(), name) !=
        layout.argument_names.end())
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "two arguments have the name '" + name + "'",
                    where, "give every argument a name of its own");
    layout.argument_names.push_back(std::move(name));
  }
  layout.is_key.assign(argument_count, 0);
  layout.bucket.assign(argument_count, BENCH_BUCKET_EXACT);
  for (std::uint32_t index = 0; index < key_count; ++index) {
    const std::string name = key_names[index] ? key_names[index] : "";
    const auto found = std::find(layout.argument_names.begin(), layout.argument_names.end(), name);
    if (found == layout.argument_names.end())
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "the key names '" + name + "', which is no argument; the arguments are: " +
                        joined(layout.argument_names),
                    where, "correct the name in key_names, or add the argument");
    const auto at = std::size_t(found - layout.argument_names.begin());
    if (key_buckets && key_buckets[index] > BENCH_BUCKET_POWER_OF_TWO)
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "the bucket of '" + name + "' is " + std::to_string(key_buckets[index]), where,
                    "give a BENCH_BUCKET_* of this version");
    if (key_buckets) layout.bucket[at] = std::uint8_t(key_buckets[index]);
    std::uint8_t &flag = layout.is_key[at];
    if (flag)
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "the key names '" + name + "' twice", where,
                    "name each key argument once");
    flag = 1;
  }
  for (const std::string &name : layout.argument_names)
    layout.name_pointers.push_back(name.c_str());
  layout.seed = text_hash(seed_text);
  return layout;
}

std::uint64_t key_hash(const KeyLayout &layout, const bench_argument_v1 *const *arguments,
                       bench_device_v1 device) noexcept {
  HashSink sink{layout.seed};
  walk_key(layout, arguments, device, sink);
  return sink.state;
}

std::vector<std::uint64_t> key_words(const KeyLayout &layout,
                                     const bench_argument_v1 *const *arguments,
                                     bench_device_v1 device) {
  std::vector<std::uint64_t> words;
  words.reserve(64);
  AppendSink sink{words};
  walk_key(layout, arguments, device, sink);
  return words;
}

bool key_equals(const std::vector<std::uint64_t> &words, const KeyLayout &layout,
                const bench_argument_v1 *const *arguments, bench_device_v1 device) noexcept {
  CompareSink sink{words.data(), words.data() + words.size()};
  walk_key(layout, arguments, device, sink);
  return sink.same && sink.next == sink.end;
}

std::string key_text(const KeyLayout &layout, const bench_argument_v1 *const *arguments) {
  std::string text;
  for (std::size_t index = 0; index < layout.is_key.size(); ++index) {
    const bench_argument_v1 &argument = *arguments[index];
    std::string part;
    if (layout.is_key[index])
      part = layout.argument_names[index] + bucketed_text(argument, layout.bucket[index]);
    else if (argument.kind == BENCH_ARGUMENT_TENSOR)
      part = layout.argument_names[index] + ":" + dtype_text(argument);
    else
      continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string dtypes_text(const KeyLayout &layout, const bench_argument_v1 *const *arguments) {
  std::string text;
  for (std::size_t index = 0; index < layout.is_key.size(); ++index) {
    if (arguments[index]->kind != BENCH_ARGUMENT_TENSOR) continue;
    text += (text.empty() ? "" : ", ") + layout.argument_names[index] + ":" +
            dtype_text(*arguments[index]);
  }
  return text;
}

std::uint64_t text_hash(const std::string &text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char each : text) hash = (hash ^ std::uint8_t(each)) * 0x100000001b3u;
  return hash;
}

}  // namespace bench::dispatch
