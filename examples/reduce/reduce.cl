// SPDX-License-Identifier: Apache-2.0
// The sum of many values, added to `total`. The tuner defines every parameter as a macro:
//   BLOCK   work items of a group, a power of two
//   GROUPS  groups: each work item adds every (BLOCK * GROUPS)-th vector of values
//   VECTOR  values that are read at once
#if VECTOR == 1
typedef float values_type;
#define SUM(v) (v)
#elif VECTOR == 2
typedef float2 values_type;
#define SUM(v) ((v).x + (v).y)
#else
typedef float4 values_type;
#define SUM(v) (((v).x + (v).y) + ((v).z + (v).w))
#endif

kernel void reduce(global const values_type *values, global float *total, int count) {
  local float partial[BLOCK];
  const int item = get_local_id(0);
  values_type sum = (values_type)(0.0f);
  for (int at = get_global_id(0); at < count / VECTOR; at += BLOCK * GROUPS) sum += values[at];
  partial[item] = SUM(sum);
  for (int half_size = BLOCK / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) partial[item] += partial[item + half_size];
  }
  if (item != 0) return;
  // OpenCL 1.2 adds integers only: exchange until nobody else came between.
  volatile global uint *word = (volatile global uint *)total;
  uint seen = *word, before;
  do {
    before = seen;
    seen = atomic_cmpxchg(word, before, as_uint(as_float(before) + partial[0]));
  } while (seen != before);
}
