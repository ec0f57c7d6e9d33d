// SPDX-License-Identifier: Apache-2.0
// Softmax of each of ROWS rows of WIDTH floats. A block takes a row; KEEP holds it in registers,
// else it is read again; ONLINE finds maximum and sum in one pass, else in two.
constexpr int vectors = WIDTH / VECTOR;
constexpr int per_thread = (vectors + BLOCK - 1) / BLOCK;
constexpr int warps = BLOCK / 32;

// By 32 lanes everywhere: a wavefront of AMD's may have 64.
#ifdef __HIP__
#define SHUFFLE_XOR(value, mask) __shfl_xor(value, mask, 32)
#else
#define SHUFFLE_XOR(value, mask) __shfl_xor_sync(~0u, value, mask)
#endif

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

struct State {
  float maximum, sum;
};

// Of nothing: finite, since infinity from infinity is no number.
constexpr float lowest = -3.402823466e38f;

__device__ State join(State a, State b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * __expf(a.maximum - maximum) + b.sum * __expf(b.maximum - maximum)};
}

__device__ State block_join(State state) {
  __shared__ State shared[warps];
  for (int offset = 16; offset > 0; offset /= 2)
    state = join(state, {SHUFFLE_XOR(state.maximum, offset),
                         SHUFFLE_XOR(state.sum, offset)});
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = state;
  __syncthreads();
  state = shared[0];
  for (int warp = 1; warp < warps; ++warp) state = join(state, shared[warp]);
  __syncthreads();
  return state;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    softmax(const float *__restrict__ input, float *__restrict__ output) {
  const Vector *row = reinterpret_cast<const Vector *>(input + blockIdx.x * (long long)WIDTH);
  Vector *result = reinterpret_cast<Vector *>(output + blockIdx.x * (long long)WIDTH);
#if KEEP
  Vector kept[per_thread];
#pragma unroll
  for (int i = 0; i < per_thread; ++i)
    if (threadIdx.x + i * BLOCK < vectors) kept[i] = row[threadIdx.x + i * BLOCK];
#define VALUES(i) kept[i]
#else
#define VALUES(i) row[threadIdx.x + (i)*BLOCK]
#endif
  State state{lowest, 0.0f};
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    if (threadIdx.x + i * BLOCK >= vectors) continue;
    const Vector loaded = VALUES(i);
    const float *values = reinterpret_cast<const float *>(&loaded);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v)
      state =
          ONLINE ? join(state, {values[v], 1.0f}) : State{fmaxf(state.maximum, values[v]), 0.0f};
  }
  state = block_join(state);
#if !ONLINE
  float sum = 0;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    if (threadIdx.x + i * BLOCK >= vectors) continue;
    const Vector loaded = VALUES(i);
    const float *values = reinterpret_cast<const float *>(&loaded);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) sum += __expf(values[v] - state.maximum);
  }
  state = block_join({state.maximum, sum});
#endif
  const float scale = 1.0f / state.sum;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    if (threadIdx.x + i * BLOCK >= vectors) continue;
    Vector loaded = VALUES(i);
    float *values = reinterpret_cast<float *>(&loaded);
#pragma unroll
    for (int v = 0; v < VECTOR; ++v) values[v] = __expf(values[v] - state.maximum) * scale;
    result[threadIdx.x + i * BLOCK] = loaded;
  }
}
