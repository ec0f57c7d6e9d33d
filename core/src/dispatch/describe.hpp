// SPDX-License-Identifier: Apache-2.0
// Arguments in words, for the messages of dispatch and for the keys that people read in the store.
#pragma once
#include <cstdint>
#include <string>

#include "bench/bench.h"
#include "dispatch/classes.hpp"

namespace bench::dispatch {

/// "float32", "bfloat16x4"; unknown codes read "dtype9:8".
std::string dtype_text(const bench_argument_v1 &argument);
/// "[128, 64]".
std::string shape_text(const bench_argument_v1 &argument);
/// The value without its name: "1024", "\"nt\"", "float32[128, 64]".
std::string value_text(const bench_argument_v1 &argument);
/// One line: "argument 2 'x': cuda:0 float32[128, 64]". `name` may be null.
std::string argument_line(const ClassTable &classes, std::uint32_t index, const char *name,
                          const bench_argument_v1 *argument);

}  // namespace bench::dispatch
