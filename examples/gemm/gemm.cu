// SPDX-License-Identifier: Apache-2.0
// C = A * B, row-major float, SIZE x SIZE. A block computes BM x BN of C from tiles of depth BK in
// shared memory; a thread keeps TM x TN sums in registers. VECTOR floats move at a time.
constexpr int threads = (BM / TM) * (BN / TN);
constexpr int pitch_a =
    BM + PAD;  // the tile of A is stored transposed: threads read down its columns
constexpr int pitch_b = BN + PAD;

template <int width>
struct Pack;
template <>
struct Pack<1> {
  using type = float;
};
template <>
struct Pack<4> {
  using type = float4;
};
using Vector = Pack<VECTOR>::type;

extern "C" __global__ void __launch_bounds__(threads)
    gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
  __shared__ float tile_a[BK][pitch_a];
  __shared__ __align__(16) float tile_b[BK][pitch_b];
  const int row = blockIdx.y * BM, column = blockIdx.x * BN;
  const int thread_row = threadIdx.x / (BN / TN) * TM, thread_column = threadIdx.x % (BN / TN) * TN;
  float sums[TM][TN] = {};
  for (int depth = 0; depth < SIZE; depth += BK) {
    for (int i = threadIdx.x * VECTOR; i < BM * BK; i += threads * VECTOR) {
      const int r = i / BK, k = i % BK;
      const Vector loaded = *reinterpret_cast<const Vector *>(a + (row + r) * SIZE + depth + k);
      const float *parts = reinterpret_cast<const float *>(&loaded);
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) tile_a[k + v][r] = parts[v];
    }
    for (int i = threadIdx.x * VECTOR; i < BK * BN; i += threads * VECTOR) {
      const int k = i / BN, col = i % BN;
      *reinterpret_cast<Vector *>(&tile_b[k][col]) =
          *reinterpret_cast<const Vector *>(b + (depth + k) * SIZE + column + col);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float left[TM], right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = tile_a[k][thread_row + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) right[j] = tile_b[k][thread_column + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      c[(row + thread_row + i) * SIZE + column + thread_column + j] = sums[i][j];
}
