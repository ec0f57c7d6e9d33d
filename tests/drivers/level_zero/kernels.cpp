// SPDX-License-Identifier: Apache-2.0
// Kernels that programs which cannot register their own may count on.
#include <algorithm>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

using Extent = std::uint32_t[3];

std::uint64_t product(const Extent &extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

void run_empty(const void *const *, const Extent &, const Extent &) {}
std::uint64_t empty_cost(const Extent &, const Extent &) {
  return 1000;
}

template <typename Value>
Value argument(const void *const *arguments, int index) {
  Value value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

/// scale(const float *input, float *output, int count): twice the input.
void run_scale(const void *const *arguments, const Extent &grid, const Extent &block) {
  const auto *input = argument<const float *>(arguments, 0);
  auto *output = argument<float *>(arguments, 1);
  const auto count = argument<std::int32_t>(arguments, 2);
  const auto threads = static_cast<std::int64_t>(grid[0]) * block[0];
  for (std::int64_t i = 0; i < std::min<std::int64_t>(threads, count); ++i)
    output[i] = 2 * input[i];
}

/// vector_add(float *c, const float *a, const float *b, int count)
void run_vector_add(const void *const *arguments, const Extent &grid, const Extent &block) {
  auto *c = argument<float *>(arguments, 0);
  const auto *a = argument<const float *>(arguments, 1), *b = argument<const float *>(arguments, 2);
  const auto count = argument<std::int32_t>(arguments, 3);
  const auto threads = static_cast<std::int64_t>(grid[0]) * block[0];
  for (std::int64_t i = 0; i < std::min<std::int64_t>(threads, count); ++i) c[i] = a[i] + b[i];
}

/// bench_xpu_read(const uint4 *memory, uint *sink, ulong count): the xpu plugin's flush by reading.
void run_read(const void *const *arguments, const Extent &, const Extent &) {
  constexpr std::uint64_t element_bytes = 16;
  const auto *memory = argument<const volatile std::uint8_t *>(arguments, 0);
  const auto size = argument<std::uint64_t>(arguments, 2) * element_bytes;
  if (size > 0) (void)(memory[0] + memory[size - 1]);  // the address sanitizer looks
  world().control.read_bytes += size;
}

/// Quickest with blocks of 256 threads: a tuner has something to find.
std::uint64_t block_cost(const Extent &grid, const Extent &block) {
  constexpr std::uint64_t best_threads = 256;
  const std::uint64_t threads = product(block);
  const std::uint64_t off =
      threads > best_threads ? threads / best_threads : best_threads / threads;
  return 2000 + product(grid) * threads / 64 + 1500 * (off - 1);
}

}  // namespace

void register_builtin_kernels() {
  for (const HostKernel &kernel : {HostKernel{"empty", 0, run_empty, empty_cost},
                                   HostKernel{"scale", 3, run_scale, block_cost},
                                   HostKernel{"vector_add", 4, run_vector_add, block_cost},
                                   HostKernel{"bench_xpu_read", 3, run_read, empty_cost}})
    world().kernels.emplace(kernel.name, kernel);
}

}  // namespace level_zero_driver
