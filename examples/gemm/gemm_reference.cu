// SPDX-License-Identifier: Apache-2.0
// One element at a time, with whatever grid and block the default configuration has.
extern "C" __global__ void gemm_reference(const float *a, const float *b, float *c) {
  const int threads = gridDim.x * gridDim.y * blockDim.x;
  const int first = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  for (int i = first; i < SIZE * SIZE; i += threads) {
    const int row = i / SIZE, column = i % SIZE;
    float sum = 0;
    for (int k = 0; k < SIZE; ++k) sum += a[row * SIZE + k] * b[k * SIZE + column];
    c[i] = sum;
  }
}
