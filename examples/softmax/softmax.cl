// SPDX-License-Identifier: Apache-2.0
// Softmax of each of the rows of WIDTH floats, a group a row. The tuner defines every parameter as a
// macro:
//   BLOCK   work items of a group, a power of two
//   VECTOR  floats that are read at once
//   KEEP    1 keeps the row in registers; 0 reads it again
#if VECTOR == 1
typedef float values_type;
#define HIGHEST(v) (v)
#define SUM(v) (v)
#else
typedef float4 values_type;
#define HIGHEST(v) fmax(fmax((v).x, (v).y), fmax((v).z, (v).w))
#define SUM(v) (((v).x + (v).y) + ((v).z + (v).w))
#endif
#define VECTORS (WIDTH / VECTOR)
#define PER_ITEM ((VECTORS + BLOCK - 1) / BLOCK)

#if KEEP
#define LOAD(i) kept[i]
#else
#define LOAD(i) row[get_local_id(0) + (i) * BLOCK]
#endif
#define EACH(i) \
  for (int i = 0; i < PER_ITEM; ++i) \
    if (get_local_id(0) + i * BLOCK < VECTORS)

kernel void softmax(global const values_type *input, global values_type *output) {
  local float partial[BLOCK];
  const int item = get_local_id(0);
  global const values_type *row = input + get_group_id(0) * (long)VECTORS;
  global values_type *result = output + get_group_id(0) * (long)VECTORS;
#if KEEP
  values_type kept[PER_ITEM];
  EACH(i) kept[i] = row[item + i * BLOCK];
#endif
  float highest = -MAXFLOAT;
  EACH(i) highest = fmax(highest, HIGHEST(LOAD(i)));
  partial[item] = highest;
  for (int half_size = BLOCK / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) partial[item] = fmax(partial[item], partial[item + half_size]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  highest = partial[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  EACH(i) sum += SUM(exp(LOAD(i) - highest));
  partial[item] = sum;
  for (int half_size = BLOCK / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_size) partial[item] += partial[item + half_size];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const float scale = 1.0f / partial[0];
  EACH(i) result[item + i * BLOCK] = exp(LOAD(i) - highest) * scale;
}
