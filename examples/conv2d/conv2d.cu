// SPDX-License-Identifier: Apache-2.0
// 2D convolution, the filter in constant memory. A thread computes TILE_X x TILE_Y results; STAGED
// goes through shared memory, else through the cache.
__constant__ float filter[FILTER * FILTER];

constexpr int image_width = WIDTH + FILTER - 1;
constexpr int block_width = BLOCK_X * TILE_X, block_height = BLOCK_Y * TILE_Y;

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    conv2d(const float *__restrict__ image, float *__restrict__ result) {
  const int left = blockIdx.x * block_width, top = blockIdx.y * block_height;
#if STAGED
  constexpr int staged_width = block_width + FILTER - 1;
  __shared__ float staged[(block_height + FILTER - 1) * staged_width];
  const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  for (int i = thread; i < (block_height + FILTER - 1) * staged_width; i += BLOCK_X * BLOCK_Y)
    staged[i] = image[(top + i / staged_width) * image_width + left + i % staged_width];
  __syncthreads();
  const float *source = staged;
  constexpr int pitch = staged_width;
#else
  const float *source = image + top * image_width + left;
  constexpr int pitch = image_width;
#endif
  float sums[TILE_Y][TILE_X] = {};
  // Results of a thread lie BLOCK_X apart, so that neighbours read neighbours.
#pragma unroll
  for (int fy = 0; fy < FILTER; ++fy)
#pragma unroll
    for (int fx = 0; fx < FILTER; ++fx)
#pragma unroll
      for (int y = 0; y < TILE_Y; ++y)
#pragma unroll
        for (int x = 0; x < TILE_X; ++x)
          sums[y][x] +=
              source[(threadIdx.y + y * BLOCK_Y + fy) * pitch + threadIdx.x + x * BLOCK_X + fx] *
              filter[fy * FILTER + fx];
  for (int y = 0; y < TILE_Y; ++y)
    for (int x = 0; x < TILE_X; ++x)
      result[(top + threadIdx.y + y * BLOCK_Y) * WIDTH + left + threadIdx.x + x * BLOCK_X] =
          sums[y][x];
}
