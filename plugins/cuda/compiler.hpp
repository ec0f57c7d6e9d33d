// SPDX-License-Identifier: Apache-2.0
// CUDA C++ to an image, without a device.
#pragma once
#include <bench/ext/kernel.h>

#include <string>

#include "binary.hpp"

namespace bench_cuda {

/// `log` gets what the compiler said, also on success. Throws Error: COMPILE_FAILED with the first
/// error, INVALID_ARGUMENT for a kernel that is not there, UNSUPPORTED without a compiler.
Binary compile_cuda(const bench_kernel_source_v1 &source, std::string &log);

}  // namespace bench_cuda
