// SPDX-License-Identifier: Apache-2.0
// What compile hands to load: SPIR-V, the driver's build flags and the values of constants.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "xpu.hpp"

namespace bench_xpu {

struct ConstantValue {
  std::uint32_t spec_id;
  std::uint32_t size;                 // bytes of `value` that count
  std::array<std::uint8_t, 8> value;  // little-endian
};

struct Module {
  std::string flags;
  std::vector<ConstantValue> constants;
  std::vector<std::uint8_t> spirv;
};

std::string pack(const Module &module);
/// Plain SPIR-V is a module without flags. Throws INVALID_ARGUMENT for anything else.
Module unpack(const void *bytes, std::uint64_t size);

/// SPIR-V as it is, with the problem's definitions as its specialization constants.
Module take_spirv(const bench_kernel_source_v1 &source, std::string &log);

// opencl.cpp
/// OpenCL C to SPIR-V by libocloc. Throws UNSUPPORTED with the package that brings it.
Module compile_opencl(const bench_kernel_source_v1 &source, std::string &log);
/// Its name and version.
std::string opencl_compiler();

}  // namespace bench_xpu
