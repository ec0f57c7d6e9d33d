// SPDX-License-Identifier: Apache-2.0
// Level Zero has no operation that only reads memory: a kernel does it.
#include <algorithm>
#include <array>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr std::array spirv = std::to_array<std::uint32_t>({
#include "read_kernel.inc"
});
constexpr const char *kernel_name = "bench_xpu_read";
constexpr std::uint32_t most_block = 256;    // every device runs blocks of this size
constexpr std::uint32_t groups = 1024;       // more than any device runs at once, in a loop each
constexpr std::uint64_t element_bytes = 16;  // a uint4

ze_result_t build(const Target &target, Reader &reader) {
  const Functions &ze = functions();
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = ZE_MODULE_FORMAT_IL_SPIRV;
  description.inputSize = sizeof spirv;
  description.pInputModule = reinterpret_cast<const std::uint8_t *>(spirv.data());
  description.pBuildFlags = "";
  const ze_result_t result =
      ze.zeModuleCreate(target.context, target.device, &description, &reader.module, nullptr);
  if (result != ZE_RESULT_SUCCESS) return result;
  ze_kernel_desc_t kernel{};
  kernel.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  kernel.pKernelName = kernel_name;
  return ze.zeKernelCreate(reader.module, &kernel, &reader.kernel);
}

}  // namespace

Reader make_reader(const Device &device, const Target &target, void *memory, std::uint64_t size) {
  const Functions &ze = functions();
  Reader reader;
  ze_result_t result = build(target, reader);
  const std::uint64_t count = size / element_bytes;
  // The sink is in the buffer itself: what it would write there nobody reads.
  const auto set = [&](std::uint32_t index, std::size_t bytes, const void *value) {
    if (result == ZE_RESULT_SUCCESS)
      result = ze.zeKernelSetArgumentValue(reader.kernel, index, bytes, value);
  };
  set(0, sizeof memory, &memory);
  set(1, sizeof memory, &memory);
  set(2, sizeof count, &count);
  if (result == ZE_RESULT_SUCCESS)
    result = ze.zeKernelSetGroupSize(reader.kernel,
                                     std::min(most_block, device.compute.maxTotalGroupSize), 1, 1);
  if (result == ZE_RESULT_SUCCESS) return reader;
  destroy_reader(reader);
  return {nullptr, nullptr, describe(result).name};
}

void destroy_reader(const Reader &reader) {
  if (reader.kernel) functions().zeKernelDestroy(reader.kernel);
  if (reader.module) functions().zeModuleDestroy(reader.module);
}

ze_result_t append_reader(const Reader &reader, const Target &target) {
  const ze_group_count_t grid{groups, 1, 1};
  return functions().zeCommandListAppendLaunchKernel(target.list, reader.kernel, &grid, nullptr, 0,
                                                     nullptr);
}

}  // namespace bench_xpu
