// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "mock_state.hpp"

namespace mock {
namespace {

void take_memory(Script &script, std::uint64_t size) {
  if (script.memory_bytes + size > script.memory_limit_bytes) {
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                std::to_string(size) + " bytes were asked for, " +
                    std::to_string(script.memory_limit_bytes - script.memory_bytes) + " are left",
                "use a smaller problem", 2, "MOCK_OUT_OF_MEMORY");
  }
  script.memory_bytes += size;
}

}  // namespace

bench_status memory_allocate(bench_instance_v1 *instance, bench_device_v1 number,
                             const bench_stream_v1 *, std::uint64_t size, void **memory,
                             bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "memory_allocate", [&] {
    Device &device = enter(instance, number, "memory_allocate");
    if (size == 0)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "0 bytes were asked for", "ask for at least one");
    take_memory(device.script, size);
    constexpr std::uint64_t alignment = 256;
    *memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!*memory) throw std::bad_alloc();
    device.memories[*memory] = size;
    ++device.script.memories_alive;
  });
}

void memory_free(bench_instance_v1 *instance, bench_device_v1 number, void *memory) {
  if (!memory) return;
  Device &device = instance->devices[number.id];
  const auto found = device.memories.find(memory);
  if (found == device.memories.end()) std::abort();  // twice, or another device's
  device.script.memory_bytes -= found->second;
  --device.script.memories_alive;
  device.memories.erase(found);
  std::free(memory);
}

bench_status memory_copy(bench_instance_v1 *instance, bench_device_v1 number, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "memory_copy", [&] {
    Device &device = enter(instance, number, "memory_copy");
    if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE)
      throw Error(BENCH_ERROR_UNSUPPORTED, "an unknown direction", "use BENCH_COPY_*");
    std::memmove(static_cast<char *>(destination) + destination_offset,
                 static_cast<const char *>(source) + source_offset, size);
    if (direction == BENCH_COPY_FROM_DEVICE)
      instance->host_ns = std::max(instance->host_ns, stream_of(device, stream).done_ns);
  });
}

bench_status memory_set(bench_instance_v1 *instance, bench_device_v1 number, void *memory,
                        std::uint64_t offset, std::uint8_t value, std::uint64_t size,
                        const bench_stream_v1 *, bench_error_v1 *error) {
  return guarded(error, "memory_set", [&] {
    enter(instance, number, "memory_set");
    std::memset(static_cast<char *>(memory) + offset, value, size);
  });
}

bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 number,
                           const bench_stream_v1 *, std::uint64_t *flushed_bytes,
                           bench_error_v1 *error) {
  return guarded(error, "flush_prepare", [&] {
    Script &script = enter(instance, number, "flush_prepare").script;
    if (!script.flush_prepared) take_memory(script, flush_bytes);
    script.flush_prepared = 1;
    *flushed_bytes = flush_bytes;
  });
}

void flush_release(bench_instance_v1 *instance, bench_device_v1 number, const bench_stream_v1 *) {
  Script &script = instance->devices[number.id].script;
  if (script.flush_prepared) script.memory_bytes -= flush_bytes;
  script.flush_prepared = 0;
}

bench_status flush(bench_instance_v1 *instance, bench_device_v1 number,
                   const bench_stream_v1 *stream, std::uint32_t mode, bench_error_v1 *error) {
  return guarded(error, "flush", [&] {
    Device &device = enter(instance, number, "flush");
    if (!device.script.flush_prepared)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "flush without flush_prepare", "prepare first");
    if (mode != BENCH_FLUSH_WRITE && mode != BENCH_FLUSH_READ)
      throw Error(BENCH_ERROR_UNSUPPORTED, "an unknown mode", "use BENCH_FLUSH_*");
    ++device.script.flushes;
    enqueue(instance, device, stream_of(device, stream),
            {Operation::flush, device.script.flush_ns});
  });
}

}  // namespace mock
