// SPDX-License-Identifier: Apache-2.0
// In double, a block a row, one pass each for maximum, sum and result.
extern "C" __global__ void softmax_reference(const float *input, float *output) {
  __shared__ double shared[1024];
  const float *row = input + blockIdx.x * (long long)WIDTH;
  double maximum = row[0], sum = 0;
  for (int i = 0; i < WIDTH; ++i) maximum = row[i] > maximum ? row[i] : maximum;
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) sum += exp(row[i] - maximum);
  shared[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += shared[i];
  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x)
    output[blockIdx.x * (long long)WIDTH + i] = (float)(exp(row[i] - maximum) / sum);
}
