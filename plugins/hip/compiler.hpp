// SPDX-License-Identifier: Apache-2.0
// HIP C++ to a code object, without a device.
#pragma once
#include <bench/ext/kernel.h>

#include <bench/plugin/kernel_image.hpp>
#include <string>

namespace bench_hip {

/// `log` gets what the compiler said, also on success. Throws Error: COMPILE_FAILED with the first
/// error, INVALID_ARGUMENT for a kernel that is not there, UNSUPPORTED without a compiler.
bench::plugin::KernelImage compile_hip(const bench_kernel_source_v1 &source, std::string &log);

}  // namespace bench_hip
