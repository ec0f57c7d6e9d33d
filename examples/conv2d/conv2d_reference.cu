// SPDX-License-Identifier: Apache-2.0
// One result at a time, with whatever grid and block the default configuration has.
__constant__ float filter[FILTER * FILTER];

extern "C" __global__ void conv2d_reference(const float *image, float *result) {
  const int block = blockDim.x * blockDim.y;
  const int threads = gridDim.x * gridDim.y * block;
  const int first =
      (blockIdx.y * gridDim.x + blockIdx.x) * block + threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = first; i < WIDTH * HEIGHT; i += threads) {
    float sum = 0;
    for (int fy = 0; fy < FILTER; ++fy)
      for (int fx = 0; fx < FILTER; ++fx)
        sum += image[(i / WIDTH + fy) * (WIDTH + FILTER - 1) + i % WIDTH + fx] *
               filter[fy * FILTER + fx];
    result[i] = sum;
  }
}
