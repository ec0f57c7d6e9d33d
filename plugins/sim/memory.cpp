// SPDX-License-Identifier: Apache-2.0
// Device memory is host memory with a limit. Its contents are real, so that outputs can be wrong.
#include <cstdlib>

#include "sim.hpp"

namespace bench_sim {
namespace {

void take_memory(Device &device, std::uint64_t size) {
  const std::uint64_t limit = device.settings.memory_bytes;
  if (size > limit || device.memory_used > limit - size) {
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                std::to_string(size) + " bytes were asked for, " +
                    std::to_string(limit - std::min(limit, device.memory_used)) + " are left",
                "use a smaller problem");
  }
  device.memory_used += size;
}

}  // namespace

bench_status memory_allocate(bench_instance_v1 *instance, bench_device_v1 number,
                             const bench_stream_v1 *, std::uint64_t size, void **memory,
                             bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "memory_allocate", [&] {
    Device &device = enter(instance, number);
    if (size == 0)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "0 bytes were asked for", "ask for at least one");
    take_memory(device, size);
    constexpr std::uint64_t alignment = 256;
    *memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!*memory) {
      device.memory_used -= size;
      throw std::bad_alloc();
    }
    device.memories[static_cast<char *>(*memory)] = size;
  });
}

void memory_free(bench_instance_v1 *instance, bench_device_v1 number, void *memory) {
  if (!memory) return;
  guarded(nullptr, "memory_free", [&] {
    Device &device = device_of(instance, number);
    const auto found = device.memories.find(static_cast<char *>(memory));
    if (found == device.memories.end()) return;
    device.memory_used -= found->second;
    device.memories.erase(found);
    std::free(memory);
  });
}

bench_status memory_copy(bench_instance_v1 *instance, bench_device_v1 number, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "memory_copy", [&] {
    Device &device = enter(instance, number);
    if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE)
      throw Error(BENCH_ERROR_UNSUPPORTED, "an unknown direction", "use BENCH_COPY_*");
    Stream &queue = stream_of(device, stream);
    if (direction == BENCH_COPY_FROM_DEVICE)
      synchronize(instance, device, queue);
    else
      ++device.contents;
    std::memmove(static_cast<char *>(destination) + destination_offset,
                 static_cast<const char *>(source) + source_offset, size);
    instance->spend(static_cast<double>(size) / device.settings.cost.copy_bytes_per_ns);
  });
}

bench_status memory_set(bench_instance_v1 *instance, bench_device_v1 number, void *memory,
                        std::uint64_t offset, std::uint8_t value, std::uint64_t size,
                        const bench_stream_v1 *, bench_error_v1 *error) {
  return guarded(error, "memory_set", [&] {
    Device &device = enter(instance, number);
    ++device.contents;
    std::memset(static_cast<char *>(memory) + offset, value, size);
  });
}

bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 number,
                           const bench_stream_v1 *, std::uint64_t *flushed_bytes,
                           bench_error_v1 *error) {
  return guarded(error, "flush_prepare", [&] {
    Device &device = enter(instance, number);
    const std::uint64_t bytes = 2 * device.settings.cache_bytes;
    if (!device.flush_prepared) take_memory(device, bytes);
    device.flush_prepared = true;
    *flushed_bytes = bytes;
  });
}

void flush_release(bench_instance_v1 *instance, bench_device_v1 number, const bench_stream_v1 *) {
  guarded(nullptr, "flush_release", [&] {
    Device &device = device_of(instance, number);
    if (device.flush_prepared) device.memory_used -= 2 * device.settings.cache_bytes;
    device.flush_prepared = false;
  });
}

bench_status flush(bench_instance_v1 *instance, bench_device_v1 number,
                   const bench_stream_v1 *stream, std::uint32_t mode, bench_error_v1 *error) {
  return guarded(error, "flush", [&] {
    Device &device = enter(instance, number);
    if (!device.flush_prepared)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "flush without flush_prepare", "prepare first");
    if (mode != BENCH_FLUSH_WRITE && mode != BENCH_FLUSH_READ)
      throw Error(BENCH_ERROR_UNSUPPORTED, "an unknown mode", "use BENCH_FLUSH_*");
    enqueue(instance, device, stream_of(device, stream), {Operation::flush, nullptr, nullptr});
  });
}

}  // namespace bench_sim
