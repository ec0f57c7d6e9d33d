// SPDX-License-Identifier: Apache-2.0
#include "dispatch/votes.hpp"

#include <doctest/doctest.h>

#include "arguments.hpp"
#include "base/error.hpp"

using namespace bench;
using dispatch::ClassTable;
using dispatch::Outcome;
using test::ArgumentList;

namespace {

constexpr std::int32_t npu_type = 1000, tpu_type = 1001;

/// cpu, cuda and an invented class without a DLPack number are served.
ClassTable table() {
  return ClassTable({{"cpu", BENCH_DEVICE_CPU, {}, {}, true},
                     {"cuda", BENCH_DEVICE_CUDA, {}, {}, true},
                     {"npu", npu_type, {"brain"}, {}, true}});
}

ErrorText refusal(const ClassTable &classes, const ArgumentList &arguments,
                  const char *const *names = nullptr) {
  try {
    dispatch::elect(classes, arguments.data(), arguments.size(), names);
  } catch (const Failure &failure) {
    return failure.text();
  }
  FAIL("no failure");
  return {};
}

Outcome outcome(const ClassTable &classes, const ArgumentList &arguments) {
  return dispatch::count_votes(classes, arguments.data(), arguments.size()).outcome;
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("all tensors on one device elect it; scalars, absent and 0-d host tensors do not vote") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.integer(5);
  arguments.tensor(BENCH_DEVICE_CUDA, 1, {16});
  arguments.none();
  arguments.tensor(BENCH_DEVICE_CPU, 0, {});
  arguments.tensor(BENCH_DEVICE_CUDA_HOST, 0, {});
  arguments.real(0.5);
  arguments.text("nt");
  arguments.tensor(BENCH_DEVICE_CUDA, 1, {});
  const auto device = dispatch::elect(classes, arguments.data(), arguments.size(), nullptr);
  CHECK(device.type == BENCH_DEVICE_CUDA);
  CHECK(device.id == 1);
}

TEST_CASE("a 0-d tensor on an accelerator votes") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_CUDA, 0, {});
  CHECK(outcome(classes, arguments) == Outcome::elected);
  arguments.tensor(BENCH_DEVICE_CUDA, 1, {4});
  CHECK(outcome(classes, arguments) == Outcome::two_devices);
}

TEST_CASE("host tensors alone elect the host") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_CPU, 0, {4});
  arguments.tensor(BENCH_DEVICE_CPU, 0, {0});
  const auto device = dispatch::elect(classes, arguments.data(), arguments.size(), nullptr);
  CHECK(device.type == BENCH_DEVICE_CPU);
}

TEST_CASE("two devices are an error with one line per argument") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_CUDA, 0, {128, 64});
  arguments.tensor(BENCH_DEVICE_CUDA, 1, {64});
  arguments.integer(7);
  const char *names[] = {"x", "y", "n"};
  const ErrorText text = refusal(classes, arguments, names);
  CHECK(text.status == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(text.what ==
        "the arguments live on different devices:\n"
        "  argument 0 'x': cuda:0 float32[128, 64]\n"
        "  argument 1 'y': cuda:1 float32[64]\n"
        "  argument 2 'n': 7");
  CHECK(text.where == "dispatch");
  CHECK(has(text.hint, "name the device"));
}

TEST_CASE("a real host tensor beside an accelerator's is an error in either order") {
  const ClassTable classes = table();
  for (const bool host_first : {false, true}) {
    ArgumentList arguments;
    if (host_first) arguments.tensor(BENCH_DEVICE_CPU, 0, {4});
    arguments.tensor(npu_type, 0, {4});
    if (!host_first) arguments.tensor(BENCH_DEVICE_CPU, 0, {4});
    const ErrorText text = refusal(classes, arguments);
    CHECK(has(text.what, "a host tensor stands beside"));
    CHECK(has(text.what, "cpu:0 float32[4]"));
    CHECK(has(text.what, "npu:0 float32[4]"));
  }
}

TEST_CASE("pinned and managed memory vote for their class, never for an id") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_CUDA_MANAGED, 0, {4});
  arguments.tensor(BENCH_DEVICE_CUDA_HOST, 0, {4});
  SUBCASE("alone they name no device") {
    const ErrorText text = refusal(classes, arguments);
    CHECK(has(text.what, "names a class (cuda) but no device"));
    CHECK(has(text.what, "cuda managed memory float32[4]"));
    CHECK(has(text.hint, "cuda:0"));
  }
  SUBCASE("beside a device of the class the device decides, whatever its id") {
    arguments.tensor(BENCH_DEVICE_CUDA, 3, {4});
    CHECK(dispatch::elect(classes, arguments.data(), arguments.size(), nullptr).id == 3);
  }
  SUBCASE("beside another class they disagree") {
    arguments.tensor(npu_type, 0, {4});
    CHECK(outcome(classes, arguments) == Outcome::two_devices);
  }
  SUBCASE("beside a host tensor too") {
    arguments.tensor(BENCH_DEVICE_CPU, 0, {4});
    CHECK(outcome(classes, arguments) == Outcome::host_beside_device);
  }
}

TEST_CASE("no tensor at all is an error") {
  const ClassTable classes = table();
  ArgumentList arguments;
  CHECK(outcome(classes, arguments) == Outcome::no_vote);
  arguments.integer(3);
  arguments.tensor(BENCH_DEVICE_CPU, 0, {});
  const ErrorText text = refusal(classes, arguments);
  CHECK(has(text.what, "nothing says where to run"));
  CHECK(has(text.what, "argument 0: 3"));
}

TEST_CASE("a class by name wins over the number, aliases count") {
  const ClassTable classes = table();
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_CPU, 2, {4}, "npu");
  arguments.tensor(BENCH_DEVICE_EXT, 2, {4}, "brain");
  const auto device = dispatch::elect(classes, arguments.data(), arguments.size(), nullptr);
  CHECK(device.type == npu_type);
  CHECK(device.id == 2);
}

TEST_CASE("type 12 without a name means the only plugin that claims it, else an error with names") {
  ArgumentList arguments;
  arguments.tensor(BENCH_DEVICE_EXT, 1, {4});
  const ClassTable one = table();
  CHECK(dispatch::elect(one, arguments.data(), arguments.size(), nullptr).type == npu_type);

  const ClassTable two({{"npu", npu_type, {}, {}, true}, {"tpu", tpu_type, {}, {}, true}});
  const ErrorText several = refusal(two, arguments);
  CHECK(has(several.what, "npu, tpu"));
  CHECK(has(several.what, "ext:1 float32[4]"));
  CHECK(has(several.hint, "device_class"));

  const ClassTable none({});
  CHECK(has(refusal(none, arguments).what, "none"));
}

TEST_CASE("unknown classes and numbers are an error that shows them") {
  const ClassTable classes = table();
  ArgumentList by_name;
  by_name.tensor(BENCH_DEVICE_CPU, 0, {4}, "gpu9000");
  const ErrorText named = refusal(classes, by_name);
  CHECK(has(named.what, "no plugin serves"));
  CHECK(has(named.what, "gpu9000:0"));
  ArgumentList by_number;
  by_number.tensor(77, 1, {4});
  CHECK(has(refusal(classes, by_number).what, "type 77:1"));
}

TEST_CASE("malformed arguments are refused before they are read") {
  const ClassTable classes = table();
  const bench_argument_v1 *null_argument = nullptr;
  const auto verdict = dispatch::count_votes(classes, &null_argument, 1);
  CHECK(verdict.outcome == Outcome::malformed);
  CHECK_THROWS_AS(dispatch::throw_verdict(classes, verdict, &null_argument, 1, nullptr), Failure);

  ArgumentList arguments;
  bench_argument_v1 &tensor = arguments.tensor(BENCH_DEVICE_CUDA, 0, {4});
  SUBCASE("struct_size") {
    tensor.struct_size = 8;
  }
  SUBCASE("shape") {
    tensor.shape = nullptr;
  }
  SUBCASE("kind") {
    tensor.kind = 99;
  }
  SUBCASE("id") {
    tensor.device.id = -1;
  }
  SUBCASE("text") {
    tensor.kind = BENCH_ARGUMENT_TEXT;
    tensor.text = nullptr;
  }
  CHECK(outcome(classes, arguments) == Outcome::malformed);
  CHECK(refusal(classes, arguments).status == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("lines that do not vote give way where the text would be cut") {
  const ClassTable classes = table();
  ArgumentList arguments;
  for (int index = 0; index < 20; ++index) arguments.integer(123456789);
  arguments.tensor(BENCH_DEVICE_CUDA, 0, {4});
  arguments.tensor(BENCH_DEVICE_CUDA, 1, {4});
  const ErrorText text = refusal(classes, arguments);
  CHECK(text.what.size() < sizeof(bench_error_v1{}.what));
  CHECK(has(text.what, "argument 20: cuda:0"));
  CHECK(has(text.what, "argument 21: cuda:1"));
  CHECK(has(text.what, "and 20 that are no tensors"));
}
