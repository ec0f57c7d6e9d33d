// SPDX-License-Identifier: Apache-2.0
// Evicting the caches of the device.
#include <algorithm>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

// A cache with an imperfect replacement policy keeps some of what a buffer of its own size should
// have pushed out.
constexpr std::uint64_t flush_factor = 2;
// Where the driver lists no cache: above the largest known, 408 MiB of a two-tile Max 1550.
constexpr std::uint64_t assumed_cache_bytes = std::uint64_t{512} << 20;
constexpr std::uint8_t flush_pattern = 0x5a;
constexpr std::size_t alignment = 256;

auto find(Device &device, ze_context_handle_t context) {
  return std::find_if(device.flushes.begin(), device.flushes.end(),
                      [&](const FlushMemory &flush) { return flush.context == context; });
}

}  // namespace

bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 pair,
                           const bench_stream_v1 *stream, std::uint64_t *flushed_bytes,
                           bench_error_v1 *error) {
  return guarded(error, "flush_prepare", [&] {
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    auto found = find(device, target.context);
    if (found == device.flushes.end()) {
      std::uint64_t size =
          flush_factor * (device.cache_bytes ? device.cache_bytes : assumed_cache_bytes);
      if (device.max_allocation != 0) size = std::min(size, device.max_allocation);
      ze_device_mem_alloc_desc_t description{};
      description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
      void *memory = nullptr;
      check(functions().zeMemAllocDevice(target.context, &description, size, alignment,
                                         target.device, &memory),
            "zeMemAllocDevice", &device, "a flush needs " + std::to_string(size) + " bytes");
      device.flushes.push_back(
          {target.context, memory, size, make_reader(device, target, memory, size)});
      found = std::prev(device.flushes.end());
    }
    *flushed_bytes = found->size;
  });
}

void flush_release(bench_instance_v1 *instance, bench_device_v1 pair,
                   const bench_stream_v1 *stream) {
  guarded(nullptr, "flush_release", [&] {
    Device &device = listed_device(instance, pair);
    const ze_context_handle_t context = resolve(device, stream).context;
    const auto found = find(device, context);
    if (found == device.flushes.end()) return;
    const FlushMemory flush = std::move(*found);
    device.flushes.erase(found);
    when_idle(device, [flush] {
      destroy_reader(flush.reader);
      functions().zeMemFree(flush.context, flush.memory);
    });
  });
}

bench_status flush(bench_instance_v1 *instance, bench_device_v1 pair, const bench_stream_v1 *stream,
                   std::uint32_t mode, bench_error_v1 *error) {
  return guarded(error, "flush", [&] {
    Device &device = device_of(instance, pair);
    if (mode != BENCH_FLUSH_WRITE && mode != BENCH_FLUSH_READ)
      throw Error(BENCH_ERROR_UNSUPPORTED, "flush mode " + std::to_string(mode),
                  "use BENCH_FLUSH_WRITE or BENCH_FLUSH_READ");
    const Target target = resolve(device, stream);
    const auto found = find(device, target.context);
    if (found == device.flushes.end())
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "flush without flush_prepare",
                  "call flush_prepare first");
    if (mode == BENCH_FLUSH_READ && !found->reader.absent.empty())
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  "the kernel that reads cannot be had: " + found->reader.absent,
                  "flush with BENCH_FLUSH_WRITE");
    check(order(target), "zeCommandListAppendBarrier", &device);
    if (mode == BENCH_FLUSH_READ)
      check(append_reader(found->reader, target), "zeCommandListAppendLaunchKernel", &device);
    if (mode == BENCH_FLUSH_WRITE)
      check(functions().zeCommandListAppendMemoryFill(target.list, found->memory, &flush_pattern,
                                                      sizeof flush_pattern, found->size, nullptr, 0,
                                                      nullptr),
            "zeCommandListAppendMemoryFill", &device);
    check(order(target), "zeCommandListAppendBarrier", &device);
    if (target.recording) ++target.recording->nodes;
  });
}

}  // namespace bench_xpu
