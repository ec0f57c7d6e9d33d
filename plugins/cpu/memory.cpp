// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "cpu.hpp"

namespace bench_cpu {
namespace {

constexpr std::size_t alignment = 256;
// A flush has to push out everything that a cache with an imperfect replacement policy might keep.
constexpr std::uint64_t flush_factor = 2;
constexpr std::uint64_t cache_line_bytes = 64;
// Where the system does not tell the cache's size: larger than any that hides its size.
constexpr std::uint64_t assumed_cache_bytes = 64u << 20;

/// What the system says it can still give. Linux promises more than it has and kills later instead.
std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t value = 0;
  std::string unit;
  while (file >> name >> value >> unit) {
    if (name == "MemAvailable:") return value << 10;
  }
  return UINT64_MAX;
}

void *allocate(std::uint64_t size) {
  const std::uint64_t available = available_bytes();
  void *memory = nullptr;
  if (size > available || ::posix_memalign(&memory, alignment, size) != 0) {
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                std::to_string(size) + " bytes were asked for, " + std::to_string(available) +
                    " are available",
                "use a smaller problem or free memory");
  }
  return memory;
}

}  // namespace

bench_status memory_allocate(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                             std::uint64_t size, void **memory, bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "memory_allocate", [&] {
    check_device(device);
    if (size == 0)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "0 bytes were asked for", "ask for at least one");
    *memory = allocate(size);
  });
}

void memory_free(bench_instance_v1 *, bench_device_v1, void *memory) {
  ::free(memory);
}

bench_status memory_copy(bench_instance_v1 *, bench_device_v1, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *, bench_error_v1 *error) {
  if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE) {
    return bench::plugin::fill(
        error, "memory_copy",
        Error(BENCH_ERROR_UNSUPPORTED, "direction " + std::to_string(direction),
              "use BENCH_COPY_TO_DEVICE, _FROM_DEVICE or _ON_DEVICE"));
  }
  std::memmove(static_cast<char *>(destination) + destination_offset,
               static_cast<const char *>(source) + source_offset, size);
  return BENCH_OK;
}

bench_status memory_set(bench_instance_v1 *, bench_device_v1, void *memory, std::uint64_t offset,
                        std::uint8_t value, std::uint64_t size, const bench_stream_v1 *,
                        bench_error_v1 *) {
  std::memset(static_cast<char *>(memory) + offset, value, size);
  return BENCH_OK;
}

bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 device,
                           const bench_stream_v1 *, std::uint64_t *flushed_bytes,
                           bench_error_v1 *error) {
  return guarded(error, "flush_prepare", [&] {
    check_device(device);
    if (!instance->flush_memory) {
      const std::uint64_t cache = last_level_cache_bytes();
      const std::uint64_t bytes = flush_factor * (cache ? cache : assumed_cache_bytes);
      instance->flush_memory = allocate(bytes);
      instance->flush_bytes = bytes;
      std::memset(instance->flush_memory, 1, bytes);  // real pages, not the zero page many times
    }
    *flushed_bytes = instance->flush_bytes;
  });
}

void flush_release(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *) {
  ::free(instance->flush_memory);
  instance->flush_memory = nullptr;
  instance->flush_bytes = 0;
}

bench_status flush(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *,
                   std::uint32_t mode, bench_error_v1 *error) {
  if (!instance->flush_memory) {
    return bench::plugin::fill(error, "flush",
                               Error(BENCH_ERROR_INVALID_ARGUMENT, "flush without flush_prepare",
                                     "call flush_prepare first"));
  }
  auto *bytes = static_cast<volatile unsigned char *>(instance->flush_memory);
  if (mode == BENCH_FLUSH_WRITE) {
    for (std::uint64_t at = 0; at < instance->flush_bytes; at += cache_line_bytes)
      bytes[at] = static_cast<unsigned char>(bytes[at] + 1);
  } else if (mode == BENCH_FLUSH_READ) {
    unsigned char sum = 0;
    for (std::uint64_t at = 0; at < instance->flush_bytes; at += cache_line_bytes)
      sum = static_cast<unsigned char>(sum + bytes[at]);
    (void)sum;
  } else {
    return bench::plugin::fill(error, "flush",
                               Error(BENCH_ERROR_UNSUPPORTED, "flush mode " + std::to_string(mode),
                                     "use BENCH_FLUSH_WRITE or BENCH_FLUSH_READ"));
  }
  return BENCH_OK;
}

}  // namespace bench_cpu
