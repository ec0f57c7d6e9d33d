// SPDX-License-Identifier: Apache-2.0
// As much of SPIR-V as it takes to name a module's kernels and to set its constants.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench_xpu {

/// A constant that may be given when the module is loaded.
struct SpecializationConstant {
  std::uint32_t spec_id;
  std::string name;  // OpName; may be empty
  enum class Type { boolean, integer, real } type;
  std::uint32_t bits;
};

struct SpirvModule {
  std::vector<std::string> kernels;
  std::vector<SpecializationConstant> constants;
};

bool looks_like_spirv(const void *bytes, std::uint64_t size);
/// Throws COMPILE_FAILED, with the word where it stops making sense.
SpirvModule read_spirv(const void *bytes, std::uint64_t size);

}  // namespace bench_xpu
