// SPDX-License-Identifier: Apache-2.0
// How much has to be written, or read, to evict what a kernel left in the last-level cache? One thread
// follows a chain of pointers through lines that were touched before the flush and counts cycles: a line
// that is still there answers about twice as fast. Prints JSON. Build: nvcc -O2 -arch=native.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

constexpr int line_words = 32;          // 128 bytes
constexpr int lines = (4 << 20) / 128;  // 4 MiB, a small part of any cache in question
constexpr int steps = 4096;
constexpr int repeats = 9;

__global__ void chase(const unsigned *next, unsigned start, long long *cycles, unsigned *sink) {
  unsigned at = start;
  const long long begun = clock64();
  for (int i = 0; i < steps; ++i) at = __ldcg(next + std::size_t{at} * line_words);
  *cycles = (clock64() - begun) / steps;
  *sink = at;
}

__global__ void touch(const unsigned *next, unsigned *sink) {
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
    sum += __ldcg(next + std::size_t(i) * line_words);
  if (sum == 1) *sink = sum;
}

__global__ void read_all(const uint4 *buffer, std::size_t count, unsigned *sink) {
  unsigned sum = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 value = __ldcg(buffer + i);
    sum ^= value.x ^ value.y ^ value.z ^ value.w;
  }
  if (sum == 0x5eed5eed) *sink = sum;
}

int main() {
  int cache = 0;
  cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0);
  std::vector<unsigned> order(lines), next(std::size_t{lines} * line_words);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (int i = 0; i < lines; ++i) next[std::size_t{order[i]} * line_words] = order[(i + 1) % lines];
  unsigned *device_next = nullptr, *sink = nullptr;
  long long *cycles = nullptr;
  char *buffer = nullptr;
  cudaMalloc(&device_next, next.size() * sizeof(unsigned));
  cudaMalloc(&sink, sizeof *sink);
  cudaMalloc(&cycles, sizeof *cycles);
  cudaMalloc(&buffer, std::size_t{4} * cache);
  cudaMemcpy(device_next, next.data(), next.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
  std::printf("{\"cache_bytes\": %d, \"rows\": [", cache);
  const double shares[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4};
  bool first = true;
  for (const bool writes : {true, false}) {
    for (const double share : shares) {
      std::vector<long long> seen;
      for (int i = 0; i < repeats; ++i) {
        const auto bytes = static_cast<std::size_t>(share * cache) / 16 * 16;
        touch<<<256, 256>>>(device_next, sink);
        if (bytes && writes) cudaMemsetAsync(buffer, 0, bytes);
        if (bytes && !writes)
          read_all<<<1280, 256>>>(reinterpret_cast<uint4 *>(buffer), bytes / 16, sink);
        chase<<<1, 1>>>(device_next, order[(i * 997) % lines], cycles, sink);
        long long value = 0;
        cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost);
        seen.push_back(value);
      }
      std::sort(seen.begin(), seen.end());
      std::printf("%s{\"mode\": \"%s\", \"caches\": %g, \"cycles_per_line\": %lld}", first ? "" : ", ",
                  writes ? "write" : "read", share, seen[seen.size() / 2]);
      first = false;
    }
  }
  std::printf("], \"status\": \"%s\"}\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
