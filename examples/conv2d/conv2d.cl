// SPDX-License-Identifier: Apache-2.0
// A FILTER x FILTER window over an image with a border. The tuner defines every parameter as a macro:
//   WIDTH, HEIGHT, FILTER
//   BLOCK_X, BLOCK_Y  work items of a group
//   PIXELS            pixels of one column that a work item computes
//   CACHED            1: the group's part of the image is copied to local memory first
#define PADDED (WIDTH + FILTER - 1)
#define TILE_X (BLOCK_X + FILTER - 1)
#define TILE_Y (BLOCK_Y * PIXELS + FILTER - 1)

kernel void conv2d(global const float *image, global const float *filter, global float *result) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int left = get_group_id(0) * BLOCK_X, top = get_group_id(1) * BLOCK_Y * PIXELS;
#if CACHED
  local float tile[TILE_Y * TILE_X];
  for (int at = y * BLOCK_X + x; at < TILE_Y * TILE_X; at += BLOCK_X * BLOCK_Y)
    tile[at] = image[(top + at / TILE_X) * PADDED + left + at % TILE_X];
  barrier(CLK_LOCAL_MEM_FENCE);
#define PIXEL(row, column) tile[(row) * TILE_X + (column)]
#else
#define PIXEL(row, column) image[(top + (row)) * PADDED + left + (column)]
#endif
  for (int i = 0; i < PIXELS; ++i) {
    const int row = y + i * BLOCK_Y;
    float sum = 0.0f;
    for (int v = 0; v < FILTER; ++v) {
      for (int u = 0; u < FILTER; ++u) sum += filter[v * FILTER + u] * PIXEL(row + v, x + u);
    }
    result[(top + row) * WIDTH + left + x] = sum;
  }
}
