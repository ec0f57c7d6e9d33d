// SPDX-License-Identifier: Apache-2.0
// Modules and kernels: the entry points of the SPIR-V are read, its code is not.
#include <algorithm>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

constexpr std::uint32_t spirv_magic = 0x07230203, op_entry_point = 15;
constexpr std::size_t header_words = 5, global_bytes = 64;

std::vector<std::string> entry_points(const ze_module_desc_t &description) {
  std::vector<std::uint32_t> words(description.inputSize / 4);
  std::memcpy(words.data(), description.pInputModule, words.size() * 4);
  std::vector<std::string> names;
  if (words.size() < header_words || words[0] != spirv_magic) return names;
  for (std::size_t at = header_words; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) break;
    if ((words[at] & 0xffff) == op_entry_point && length > 3) {
      const auto *text = reinterpret_cast<const char *>(&words[at + 3]);
      names.emplace_back(text, ::strnlen(text, (length - 3) * 4));
    }
    at += length;
  }
  return names;
}

ze_result_t fail(ze_module_build_log_handle_t *log, const std::string &text) {
  if (log) *log = handle_of<ze_module_build_log_handle_t>(new BuildLog{text});
  return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

ze_result_t module_create(ze_context_handle_t, ze_device_handle_t device,
                          const ze_module_desc_t *description, ze_module_handle_t *module,
                          ze_module_build_log_handle_t *log) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  if (is_lost(object_of<Device>(device))) return ZE_RESULT_ERROR_DEVICE_LOST;
  ++all.control.module_builds;
  std::strncpy(all.control.build_flags, description->pBuildFlags ? description->pBuildFlags : "",
               sizeof all.control.build_flags - 1);
  all.control.constant_count = description->pConstants ? description->pConstants->numConstants : 0;
  for (std::uint64_t i = 0; i < all.control.constant_count; ++i)
    std::memcpy(&all.control.last_constant, description->pConstants->pConstantValues[i], 4);
  if (all.control.build_fails)
    return fail(
        log, "error: undefined reference to `missing_function'\nerror: backend compiler failed\n");
  const std::vector<std::string> names = entry_points(*description);
  if (names.empty()) return fail(log, "error: the module has no entry point\n");
  for (const std::string &name : names) {
    if (!all.kernels.count(name))
      return fail(log, "error: the software driver has no host function for " + name + "\n");
  }
  auto *made = new Module;
  made->kernels = names;
  made->globals["coefficients"].resize(global_bytes);
  if (log)
    *log = handle_of<ze_module_build_log_handle_t>(
        new BuildLog{all.control.build_fails_late
                         ? "error: double is not supported\nerror: backend compiler failed build.\n"
                         : ""});
  *module = handle_of<ze_module_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t log_string(ze_module_build_log_handle_t log, std::size_t *size, char *text) {
  const std::string &all = object_of<BuildLog>(log)->text;
  if (text) std::memcpy(text, all.c_str(), std::min(*size, all.size() + 1));
  *size = all.size() + 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernel_names(ze_module_handle_t handle, std::uint32_t *count, const char **names) {
  const Module &module = *object_of<Module>(handle);
  if (*count == 0 || *count > module.kernels.size())
    *count = static_cast<std::uint32_t>(module.kernels.size());
  for (std::uint32_t i = 0; names && i < *count; ++i) names[i] = module.kernels[i].c_str();
  return ZE_RESULT_SUCCESS;
}

ze_result_t global_pointer(ze_module_handle_t handle, const char *name, std::size_t *size,
                           void **memory) {
  Module &module = *object_of<Module>(handle);
  const auto found = module.globals.find(name);
  if (found == module.globals.end()) return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
  *size = found->second.size();
  *memory = found->second.data();
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernel_create(ze_module_handle_t handle, const ze_kernel_desc_t *description,
                          ze_kernel_handle_t *kernel) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  const Module &module = *object_of<Module>(handle);
  const auto found =
      std::find(module.kernels.begin(), module.kernels.end(), description->pKernelName);
  if (found == module.kernels.end()) return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  auto *made = new Kernel;
  made->name = *found;
  made->code = &all.kernels.at(*found);
  made->arguments.resize(made->code->argument_count);
  *kernel = handle_of<ze_kernel_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t set_group(ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y,
                      std::uint32_t z) {
  std::uint32_t(&group)[3] = object_of<Kernel>(kernel)->group;
  group[0] = x;
  group[1] = y;
  group[2] = z;
  return ZE_RESULT_SUCCESS;
}

ze_result_t set_argument(ze_kernel_handle_t handle, std::uint32_t index, std::size_t size,
                         const void *value) {
  Kernel &kernel = *object_of<Kernel>(handle);
  if (index >= kernel.arguments.size()) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  Kernel::Argument &argument = kernel.arguments[index];
  argument.local_bytes = value ? 0 : size;
  argument.value.clear();
  const auto *bytes = static_cast<const std::uint8_t *>(value);
  if (bytes) argument.value.assign(bytes, bytes + size);
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernel_properties(ze_kernel_handle_t kernel, ze_kernel_properties_t *properties) {
  properties->numKernelArgs =
      static_cast<std::uint32_t>(object_of<Kernel>(kernel)->arguments.size());
  properties->maxSubgroupSize = 32;
  properties->localMemSize = 2048;
  properties->privateMemSize = 64;
  properties->spillMemSize = 32;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void fill_table(ze_module_dditable_t &table) {
  table.pfnCreate = module_create;
  table.pfnDestroy = [](ze_module_handle_t module) { return destroy<Module>(module); };
  table.pfnGetGlobalPointer = global_pointer;
  table.pfnGetKernelNames = kernel_names;
}

void fill_table(ze_module_build_log_dditable_t &table) {
  table.pfnDestroy = [](ze_module_build_log_handle_t log) { return destroy<BuildLog>(log); };
  table.pfnGetString = log_string;
}

void fill_table(ze_kernel_dditable_t &table) {
  table.pfnCreate = kernel_create;
  table.pfnDestroy = [](ze_kernel_handle_t kernel) { return destroy<Kernel>(kernel); };
  table.pfnSetGroupSize = set_group;
  table.pfnSetArgumentValue = set_argument;
  table.pfnGetProperties = kernel_properties;
}

}  // namespace level_zero_driver
