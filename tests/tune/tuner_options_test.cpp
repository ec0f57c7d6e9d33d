// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_options.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "base/error.hpp"

using namespace bench;
using tune::TunerOptions;

namespace {

/// Three configurations {tile: integer, mode: text}; tests change what they are about.
struct Input {
  bench_value_v1 tiles[3]{}, modes[3]{};
  const bench_value_v1 *values[3][2];
  const char *names[2] = {"tile", "mode"};
  bench_config_v1 configs[3]{};
  const bench_config_v1 *pointers[3];
  const char *argument_names[2] = {"x", "n"};
  const char *key_names[1] = {"n"};
  bench_policy_v1 policy{};
  bench_tuner_options_v1 options{};

  Input() {
    for (int at = 0; at < 3; ++at) {
      tiles[at].struct_size = modes[at].struct_size = sizeof(bench_value_v1);
      tiles[at].type = BENCH_VALUE_INTEGER;
      tiles[at].integer = 8 << at;
      modes[at].type = BENCH_VALUE_TEXT;
      modes[at].text = "nt";
      values[at][0] = &tiles[at];
      values[at][1] = &modes[at];
      configs[at].struct_size = sizeof(bench_config_v1);
      configs[at].count = 2;
      configs[at].names = names;
      configs[at].values = values[at];
      pointers[at] = &configs[at];
    }
    policy.struct_size = sizeof policy;
    options.struct_size = sizeof options;
    options.name = "gemm/1";
    options.config_count = 3;
    options.configs = pointers;
    options.argument_names = argument_names;
    options.argument_count = 2;
    options.key_names = key_names;
    options.key_count = 1;
    options.policy = &policy;
  }
};

void check_refused(const std::function<void(Input &)> &change, const std::string &part) {
  Input input;
  change(input);
  try {
    const TunerOptions options(input.options);
    FAIL("accepted: " << part);
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_INVALID_ARGUMENT);
    CHECK_MESSAGE(failure.text().what.find(part) != std::string::npos, failure.text().what);
    CHECK_FALSE(failure.text().where.empty());
    CHECK_FALSE(failure.text().hint.empty());
  }
}

}  // namespace

TEST_CASE("configurations are copied, numbered and labelled") {
  std::unique_ptr<TunerOptions> options;
  {
    Input input;
    options = std::make_unique<TunerOptions>(input.options);
  }
  REQUIRE(options->configs.size() == 3);
  const bench_config_v1 &raw = options->configs[2]->raw();
  CHECK(raw.index == 2);
  CHECK(raw.count == 2);
  CHECK(std::string(raw.names[0]) == "tile");
  CHECK(raw.values[0]->integer == 32);
  CHECK(std::string(raw.values[1]->text) == "nt");
  CHECK(options->configs[2]->label() == "tile=32, mode=\"nt\"");
  CHECK(options->eps == doctest::Approx(0.01));
  CHECK(options->delta == doctest::Approx(0.05));
  CHECK(options->switch_margin == doctest::Approx(0.01));
}

TEST_CASE("equal configurations have equal hashes and yet labels of their own") {
  Input input;
  input.tiles[1].integer = input.tiles[0].integer;
  const TunerOptions options(input.options);
  CHECK(options.configs[0]->raw().hash == options.configs[1]->raw().hash);
  CHECK(options.configs[0]->raw().hash != options.configs[2]->raw().hash);
  CHECK(options.configs[0]->label() != options.configs[1]->label());
}

TEST_CASE("any change of a configuration is another space") {
  Input input, other;
  const std::uint64_t hash = TunerOptions(input.options).space_hash;
  CHECK(TunerOptions(other.options).space_hash == hash);
  other.tiles[2].integer = 33;
  CHECK(TunerOptions(other.options).space_hash != hash);
  std::swap(input.pointers[0], input.pointers[1]);
  CHECK(TunerOptions(input.options).space_hash != hash);
}

TEST_CASE("wrong options are refused with the value given and what was expected") {
  check_refused([](Input &input) { input.options.struct_size = 8; }, "struct_size 8");
  check_refused([](Input &input) { input.options.name = ""; }, "no name");
  check_refused([](Input &input) { input.options.config_count = 0; }, "no configuration");
  check_refused([](Input &input) { input.options.default_config = 3; },
                "default_config is 3, but there are 3");
  check_refused([](Input &input) { input.key_names[0] = "m"; }, "'m', which is no argument");
  check_refused([](Input &input) { input.argument_names[0] = "n"; }, "two arguments");
  check_refused([](Input &input) { input.options.eps = 2; }, "eps is 2");
  check_refused([](Input &input) { input.options.delta = -1; }, "delta is -1");
  check_refused([](Input &input) { input.options.max_time_ns = -5; }, "max_time_ns is -5");
  check_refused([](Input &input) { input.pointers[1] = nullptr; }, "configuration 1");
  check_refused([](Input &input) { input.modes[1].text = nullptr; },
                "configuration 1, parameter 1");
  check_refused([](Input &input) { input.configs[0].struct_size = 4; }, "struct_size 4");
  check_refused([](Input &input) { input.policy.kind = 77; }, "policy kind 77");
  check_refused([](Input &input) { input.policy.max_time_ns = -1; }, "negative");
}

TEST_CASE("a larger struct of a newer caller is accepted") {
  Input input;
  input.options.struct_size += 64;
  CHECK_NOTHROW(TunerOptions(input.options));
}

TEST_CASE("an older caller's smaller struct keeps the behaviour that it knew") {
  Input input;
  const char *no_names[1] = {"nonsense"};
  input.options.struct_size = offsetof(bench_tuner_options_v1, mode);
  // What lies behind is not the caller's: it must not be read.
  input.options.mode = 99;
  input.options.restore_names = no_names;
  input.options.restore_count = 1;
  input.options.top_fraction = -1;
  const TunerOptions options(input.options);
  CHECK(options.mode == BENCH_TUNER_MODE_FULL);
  CHECK(options.restored == std::vector<std::uint8_t>{0, 0});
  CHECK(options.top_fraction == 0);
}

TEST_CASE("newer members are checked where they are given") {
  const auto refuses = [](const std::function<void(bench_tuner_options_v1 &)> &change) {
    Input input;
    change(input.options);
    try {
      const TunerOptions options(input.options);
      return false;
    } catch (const Failure &failure) {
      return failure.status() == BENCH_ERROR_INVALID_ARGUMENT && !failure.text().hint.empty();
    }
  };
  static const char *unknown[1] = {"m"};
  CHECK(refuses([](auto &options) { options.mode = 9; }));
  CHECK(refuses([](auto &options) {
    options.mode = BENCH_TUNER_MODE_PINNED;
    options.pinned_config = 3;
  }));
  CHECK(refuses([](auto &options) {
    options.zero_names = unknown;
    options.zero_count = 1;
  }));
  CHECK(refuses([](auto &options) { options.restore_count = 1; }));
  CHECK(refuses([](auto &options) { options.top_fraction = 1.5; }));
  CHECK(refuses([](auto &options) { options.tolerance = -1; }));
  CHECK_FALSE(refuses([](auto &) {}));
}
