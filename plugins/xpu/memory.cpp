// SPDX-License-Identifier: Apache-2.0
// Device memory, copies and fills.
#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr std::size_t alignment = 256;  // what plugin_v1.h promises

void free_memory(ze_context_handle_t context, void *memory, bool deferred) {
  const Functions &ze = functions();
  if (deferred) {
    ze_memory_free_ext_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC;
    description.freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    if (ze.zeMemFreeExt(context, &description, memory) == ZE_RESULT_SUCCESS) return;
  }
  ze.zeMemFree(context, memory);
}

}  // namespace

bench_status memory_allocate(bench_instance_v1 *instance, bench_device_v1 pair,
                             const bench_stream_v1 *stream, std::uint64_t size, void **memory,
                             bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "memory_allocate", [&] {
    Device &device = device_of(instance, pair);
    if (size == 0)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "0 bytes were asked for", "ask for at least one");
    if (device.max_allocation != 0 && size > device.max_allocation)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                  std::to_string(size) + " bytes were asked for, the device gives at most " +
                      std::to_string(device.max_allocation) + " in one piece",
                  "use a smaller problem");
    collect_retired(device);
    const Target target = resolve(device, stream);
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    void *made = nullptr;
    check(functions().zeMemAllocDevice(target.context, &description, size, alignment, target.device,
                                       &made),
          "zeMemAllocDevice", &device, std::to_string(size) + " bytes were asked for");
    device.memory[made] = target.context;
    *memory = made;
  });
}

void memory_free(bench_instance_v1 *instance, bench_device_v1 pair, void *memory) {
  guarded(nullptr, "memory_free", [&] {
    if (!memory) return;
    Device &device = listed_device(instance, pair);
    const auto found = device.memory.find(memory);
    if (found == device.memory.end()) return;
    const ze_context_handle_t context = found->second;
    device.memory.erase(found);
    const bool deferred = device.can_defer_free;
    when_idle(device, [=] { free_memory(context, memory, deferred); });
  });
}

bench_status memory_copy(bench_instance_v1 *instance, bench_device_v1 pair, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "memory_copy", [&] {
    Device &device = device_of(instance, pair);
    if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE)
      throw Error(BENCH_ERROR_UNSUPPORTED, "direction " + std::to_string(direction),
                  "use BENCH_COPY_TO_DEVICE, _FROM_DEVICE or _ON_DEVICE");
    const Target target = resolve(device, stream);
    if (target.recording && direction != BENCH_COPY_ON_DEVICE) {
      target.recording->broken = "a copy from or to the host waits, which cannot be recorded";
      throw Error(BENCH_ERROR_UNSUPPORTED, target.recording->broken, "copy outside the recording");
    }
    if (size == 0) return;
    check(order(target), "zeCommandListAppendBarrier", &device);
    check(functions().zeCommandListAppendMemoryCopy(
              target.list, static_cast<char *>(destination) + destination_offset,
              static_cast<const char *>(source) + source_offset, size, nullptr, 0, nullptr),
          "zeCommandListAppendMemoryCopy", &device);
    check(order(target), "zeCommandListAppendBarrier", &device);
    if (target.recording) {
      ++target.recording->nodes;
    } else if (direction != BENCH_COPY_ON_DEVICE) {
      synchronize(device, target);  // the host's memory is the caller's again on return
    }
  });
}

bench_status memory_set(bench_instance_v1 *instance, bench_device_v1 pair, void *memory,
                        std::uint64_t offset, std::uint8_t value, std::uint64_t size,
                        const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "memory_set", [&] {
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    if (size == 0) return;
    check(order(target), "zeCommandListAppendBarrier", &device);
    check(
        functions().zeCommandListAppendMemoryFill(target.list, static_cast<char *>(memory) + offset,
                                                  &value, sizeof value, size, nullptr, 0, nullptr),
        "zeCommandListAppendMemoryFill", &device);
    check(order(target), "zeCommandListAppendBarrier", &device);
    if (target.recording) ++target.recording->nodes;
  });
}

}  // namespace bench_xpu
