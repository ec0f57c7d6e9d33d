// SPDX-License-Identifier: Apache-2.0
// Arguments for the tests of dispatch and of the tuner.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace bench::test {

class ArgumentList {
 public:
  bench_argument_v1 &add(std::uint32_t kind) {
    bench_argument_v1 &argument = arguments_.emplace_back();
    argument.struct_size = sizeof argument;
    argument.kind = kind;
    pointers_.push_back(&argument);
    return argument;
  }
  bench_argument_v1 &integer(std::int64_t value) {
    bench_argument_v1 &argument = add(BENCH_ARGUMENT_INTEGER);
    argument.integer = value;
    return argument;
  }
  bench_argument_v1 &real(double value) {
    bench_argument_v1 &argument = add(BENCH_ARGUMENT_REAL);
    argument.real = value;
    return argument;
  }
  bench_argument_v1 &text(const char *value) {
    bench_argument_v1 &argument = add(BENCH_ARGUMENT_TEXT);
    argument.text = value;
    return argument;
  }
  bench_argument_v1 &none() { return add(BENCH_ARGUMENT_NONE); }
  /// float32; `class_name` wins over `type`.
  bench_argument_v1 &tensor(std::int32_t type, std::int32_t id, std::vector<std::int64_t> shape,
                            const char *class_name = nullptr) {
    bench_argument_v1 &argument = add(BENCH_ARGUMENT_TENSOR);
    argument.dtype_code = 2;
    argument.dtype_bits = 32;
    argument.dtype_lanes = 1;
    argument.device = {type, id};
    argument.device_class = class_name;
    argument.rank = std::uint32_t(shape.size());
    argument.shape = shapes_.emplace_back(std::move(shape)).data();
    return argument;
  }

  const bench_argument_v1 *const *data() const { return pointers_.data(); }
  std::uint32_t size() const { return std::uint32_t(pointers_.size()); }
  bench_argument_v1 &at(std::size_t index) { return arguments_[index]; }

 private:
  std::deque<bench_argument_v1> arguments_;  // deques keep the addresses that pointers_ hold
  std::deque<std::vector<std::int64_t>> shapes_;
  std::vector<const bench_argument_v1 *> pointers_;
};

}  // namespace bench::test
