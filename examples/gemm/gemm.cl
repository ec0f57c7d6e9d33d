// SPDX-License-Identifier: Apache-2.0
// c = a * b for square row-major matrices. The tuner defines every parameter as a macro:
//   SIZE  rows and columns
//   TILE  a group computes TILE x TILE elements of c, from tiles of a and b in local memory
//   ROWS  elements of one column that a work item computes: its value of b is used so often
//   PAD   unused elements behind each row of a tile, against bank conflicts
#define STRIDE (TILE / ROWS)

kernel void gemm(global const float *a, global const float *b, global float *c) {
  local float a_tile[TILE][TILE + PAD];
  local float b_tile[TILE][TILE + PAD];
  const int x = get_local_id(0), y = get_local_id(1);
  const int first_row = get_group_id(1) * TILE;
  const int column = get_group_id(0) * TILE + x;
  float sum[ROWS];
  for (int i = 0; i < ROWS; ++i) sum[i] = 0.0f;
  for (int k = 0; k < SIZE; k += TILE) {
    for (int row = y; row < TILE; row += STRIDE) {
      a_tile[row][x] = a[(first_row + row) * SIZE + k + x];
      b_tile[row][x] = b[(k + row) * SIZE + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; ++j) {
      const float factor = b_tile[j][x];
      for (int i = 0; i < ROWS; ++i) sum[i] += a_tile[y + i * STRIDE][j] * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < ROWS; ++i) c[(first_row + y + i * STRIDE) * SIZE + column] = sum[i];
}
