// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

ze_result_t allocate(std::size_t size, std::size_t alignment, void **memory) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  if (all.control.allocations_left == 0 || size > all.control.memory_bytes - all.memory_used)
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  if (all.control.allocations_left > 0) --all.control.allocations_left;
  if (alignment < sizeof(void *)) alignment = sizeof(void *);
  *memory = nullptr;
  if (::posix_memalign(memory, alignment, size) != 0) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
  all.memory[*memory] = size;
  all.memory_used += size;
  ++all.control.objects;
  return ZE_RESULT_SUCCESS;
}

ze_result_t allocate_device(ze_context_handle_t, const ze_device_mem_alloc_desc_t *,
                            std::size_t size, std::size_t alignment, ze_device_handle_t device,
                            void **memory) {
  {
    const std::lock_guard lock(world().mutex);
    if (is_lost(object_of<Device>(device))) return ZE_RESULT_ERROR_DEVICE_LOST;
  }
  return allocate(size, alignment, memory);
}

ze_result_t allocate_host(ze_context_handle_t, const ze_host_mem_alloc_desc_t *, std::size_t size,
                          std::size_t alignment, void **memory) {
  return allocate(size, alignment, memory);
}

ze_result_t release(ze_context_handle_t, void *memory) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  const auto found = all.memory.find(memory);
  if (found == all.memory.end()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  all.memory_used -= found->second;
  all.memory.erase(found);
  --all.control.objects;
  ::free(memory);
  return ZE_RESULT_SUCCESS;
}

ze_result_t release_later(ze_context_handle_t context, const ze_memory_free_ext_desc_t *,
                          void *memory) {
  return release(context, memory);
}

}  // namespace

void fill_table(ze_mem_dditable_t &table) {
  table.pfnAllocDevice = allocate_device;
  table.pfnAllocHost = allocate_host;
  table.pfnFree = release;
  table.pfnFreeExt = release_later;
}

}  // namespace level_zero_driver
