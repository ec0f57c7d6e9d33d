// SPDX-License-Identifier: Apache-2.0
// Sum of COUNT floats by one launch: each of BLOCKS blocks sums a part, and the last one to finish
// sums the parts. SHUFFLE adds within warps by registers, else all in shared memory. VECTOR floats
// a load.
constexpr int count = COUNT;

// By 32 lanes everywhere: a wavefront of AMD's may have 64.
#ifdef __HIP__
#define SHUFFLE_DOWN(value, offset) __shfl_down(value, offset, 32)
#else
#define SHUFFLE_DOWN(value, offset) __shfl_down_sync(~0u, value, offset)
#endif

// Of this module: a launch leaves it at zero, as it found it.
__device__ unsigned int finished = 0;
__device__ float parts[BLOCKS];

__device__ float block_sum(float value, float *shared) {
#if SHUFFLE
  for (int offset = 16; offset > 0; offset /= 2) value += SHUFFLE_DOWN(value, offset);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < BLOCK / 32 ? shared[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int offset = 16; offset > 0; offset /= 2) value += SHUFFLE_DOWN(value, offset);
#else
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  value = shared[0];
#endif
  return value;  // right in thread 0
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduce(const float *__restrict__ values, float *total) {
  __shared__ float shared[BLOCK];
  __shared__ bool last;
  float sum = 0;
  constexpr int step = BLOCKS * BLOCK * VECTOR;
#pragma unroll UNROLL
  for (int i = (blockIdx.x * BLOCK + threadIdx.x) * VECTOR; i < count; i += step) {
#if VECTOR == 4
    const float4 four = *reinterpret_cast<const float4 *>(values + i);
    sum += (four.x + four.y) + (four.z + four.w);
#else
    sum += values[i];
#endif
  }
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&finished, 1u) == BLOCKS - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (int i = threadIdx.x; i < BLOCKS; i += BLOCK) sum += *(volatile float *)(parts + i);
  __syncthreads();
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) {
    *total = sum;
    finished = 0;
  }
}
