// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "arguments.hpp"
#include "base/error.hpp"

using namespace bench;
using dispatch::KeyLayout;
using test::ArgumentList;

namespace {

const char *const argument_names[] = {"x", "n", "alpha", "mode", "mask", "y"};
const char *const key_names[] = {"mode", "n", "alpha", "x", "mask"};

KeyLayout layout(const std::string &seed = "policy") {
  return dispatch::make_layout(argument_names, 6, key_names, 5, seed);
}

/// A call with every kind of argument; `change` alters one field.
struct Call {
  ArgumentList arguments;
  bench_device_v1 device{BENCH_DEVICE_CUDA, 0};
  explicit Call(const std::function<void(Call &)> &change = {}) {
    arguments.tensor(BENCH_DEVICE_CUDA, 0, {8, 4});
    arguments.integer(1);
    arguments.real(1.0);
    arguments.text("abcdefgh");
    arguments.none();
    arguments.tensor(BENCH_DEVICE_CUDA, 0, {16});
    if (change) change(*this);
  }
};

std::string refusal(std::function<void()> body) {
  try {
    body();
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_INVALID_ARGUMENT);
    return failure.what();
  }
  FAIL("no failure");
  return "";
}

}  // namespace

TEST_CASE("any change of a field of the key gives another key, in words, hash and text") {
  static const std::int64_t other_shape[] = {8, 5}, flat_shape[] = {32}, long_shape[] = {8, 4, 1};
  const std::vector<std::function<void(Call &)>> changes = {
      [](Call &) {},
      [](Call &call) { call.arguments.at(0).shape = other_shape; },
      [](Call &call) { call.arguments.at(0).shape = flat_shape, call.arguments.at(0).rank = 1; },
      [](Call &call) { call.arguments.at(0).shape = long_shape, call.arguments.at(0).rank = 3; },
      [](Call &call) { call.arguments.at(0).dtype_bits = 16; },
      [](Call &call) { call.arguments.at(0).dtype_code = 4; },
      [](Call &call) { call.arguments.at(0).dtype_lanes = 2; },
      [](Call &call) { call.arguments.at(1).integer = 2; },
      [](Call &call) { call.arguments.at(1).integer = -1; },
      [](Call &call) { call.arguments.at(1).kind = BENCH_ARGUMENT_BOOLEAN; },
      [](Call &call) {
        call.arguments.at(1).kind = BENCH_ARGUMENT_REAL, call.arguments.at(1).real = 1.0;
      },
      [](Call &call) { call.arguments.at(1).kind = BENCH_ARGUMENT_NONE; },
      [](Call &call) { call.arguments.at(2).real = 1.0000000000000002; },
      [](Call &call) { call.arguments.at(2).real = -1.0; },
      [](Call &call) { call.arguments.at(3).text = "abcdefg"; },
      [](Call &call) { call.arguments.at(3).text = "abcdefghi"; },
      [](Call &call) { call.arguments.at(3).text = ""; },
      [](Call &call) {
        bench_argument_v1 &mask = call.arguments.at(4);
        mask = call.arguments.at(0);
      },
      // No key argument, but a tensor: its dtype counts, its shape does not.
      [](Call &call) { call.arguments.at(5).dtype_bits = 64; },
      [](Call &call) { call.arguments.at(5).kind = BENCH_ARGUMENT_NONE; },
  };
  const KeyLayout keys = layout();
  std::set<std::vector<std::uint64_t>> words;
  std::set<std::uint64_t> hashes;
  std::set<std::string> texts;
  for (const auto &change : changes) {
    const Call call(change);
    words.insert(dispatch::key_words(keys, call.arguments.data(), call.device));
    hashes.insert(dispatch::key_hash(keys, call.arguments.data(), call.device));
    texts.insert(dispatch::key_text(keys, call.arguments.data()));
  }
  CHECK(words.size() == changes.size());
  CHECK(hashes.size() == changes.size());
  CHECK(texts.size() == changes.size());
}

TEST_CASE("device and policy are part of the key") {
  const KeyLayout keys = layout(), other_policy = layout("other policy");
  Call call;
  const auto hash = dispatch::key_hash(keys, call.arguments.data(), {BENCH_DEVICE_CUDA, 0});
  CHECK(hash != dispatch::key_hash(keys, call.arguments.data(), {BENCH_DEVICE_CUDA, 1}));
  CHECK(hash != dispatch::key_hash(keys, call.arguments.data(), {BENCH_DEVICE_CPU, 0}));
  CHECK(hash != dispatch::key_hash(other_policy, call.arguments.data(), {BENCH_DEVICE_CUDA, 0}));
}

TEST_CASE("what is no part of the key does not change it") {
  const KeyLayout keys = layout();
  const Call call;
  const Call same([](Call &other) {
    static const std::int64_t larger[] = {1024};
    other.arguments.at(5).shape = larger;  // no key argument
    other.arguments.at(0).data = &other;   // contents never count
    other.arguments.at(0).role = BENCH_ROLE_INOUT;
  });
  const auto words = dispatch::key_words(keys, call.arguments.data(), call.device);
  CHECK(words == dispatch::key_words(keys, same.arguments.data(), same.device));
  CHECK(dispatch::key_equals(words, keys, same.arguments.data(), same.device));
}

TEST_CASE("the order in which the key is named does not matter, the declaration's does") {
  const char *const reversed[] = {"mask", "x", "alpha", "n", "mode"};
  const KeyLayout keys = layout();
  const KeyLayout same = dispatch::make_layout(argument_names, 6, reversed, 5, "policy");
  Call call;
  CHECK(dispatch::key_words(keys, call.arguments.data(), call.device) ==
        dispatch::key_words(same, call.arguments.data(), call.device));
}

TEST_CASE("keys are compared in full, also where one is the beginning of the other") {
  const KeyLayout keys = layout();
  Call call;
  auto words = dispatch::key_words(keys, call.arguments.data(), call.device);
  CHECK(dispatch::key_equals(words, keys, call.arguments.data(), call.device));
  auto longer = words, shorter = words;
  longer.push_back(0);
  shorter.pop_back();
  CHECK_FALSE(dispatch::key_equals(longer, keys, call.arguments.data(), call.device));
  CHECK_FALSE(dispatch::key_equals(shorter, keys, call.arguments.data(), call.device));
  for (std::uint64_t &word : words) {
    word ^= 1;
    CHECK_FALSE(dispatch::key_equals(words, keys, call.arguments.data(), call.device));
    word ^= 1;
  }
}

TEST_CASE("texts cannot imitate the end of an argument") {
  const char *const names[] = {"a", "b"};
  const KeyLayout keys = dispatch::make_layout(names, 2, names, 2, "");
  ArgumentList one, two;
  one.text("x\", b=\"y");
  one.text("z");
  two.text("x");
  two.text("y\", b=\"z");
  CHECK(dispatch::key_text(keys, one.data()) != dispatch::key_text(keys, two.data()));
}

TEST_CASE("hashes of many neighbouring keys do not collide and fill the low bits evenly") {
  const char *const names[] = {"m", "n"};
  const KeyLayout keys = dispatch::make_layout(names, 2, names, 2, "");
  std::set<std::uint64_t> hashes;
  std::vector<int> buckets(64);
  for (int m = 0; m < 100; ++m) {
    for (int n = 0; n < 100; ++n) {
      ArgumentList arguments;
      arguments.integer(m);
      arguments.integer(n);
      const auto hash = dispatch::key_hash(keys, arguments.data(), {BENCH_DEVICE_CPU, 0});
      hashes.insert(hash);
      ++buckets[hash & 63];
    }
  }
  CHECK(hashes.size() == 10000);
  // 156 expected in each; 80 is more than six standard deviations away.
  for (const int bucket : buckets) {
    CHECK(bucket > 80);
    CHECK(bucket < 240);
  }
}

TEST_CASE("unknown, repeated and missing names are refused with the names") {
  const char *const unknown[] = {"n", "size"};
  const std::string line =
      refusal([&] { dispatch::make_layout(argument_names, 6, unknown, 2, ""); });
  CHECK(line.find("'size'") != std::string::npos);
  CHECK(line.find("x, n, alpha, mode, mask, y") != std::string::npos);
  const char *const twice[] = {"n", "n"};
  CHECK(refusal([&] { dispatch::make_layout(argument_names, 6, twice, 2, ""); }).find("twice") !=
        std::string::npos);
  CHECK(refusal([&] { dispatch::make_layout(twice, 2, nullptr, 0, ""); }).find("two arguments") !=
        std::string::npos);
  const char *const missing[] = {"n", nullptr};
  refusal([&] { dispatch::make_layout(missing, 2, nullptr, 0, ""); });
  refusal([&] { dispatch::make_layout(nullptr, 2, nullptr, 0, ""); });
}
