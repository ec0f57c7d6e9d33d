// SPDX-License-Identifier: Apache-2.0
// One pixel after the other, for any number of work items.
kernel void conv2d_reference(global const float *image, global const float *filter,
                             global float *result) {
  const int first = get_global_id(1) * get_global_size(0) + get_global_id(0);
  const int step = get_global_size(0) * get_global_size(1);
  for (int at = first; at < WIDTH * HEIGHT; at += step) {
    float sum = 0.0f;
    for (int y = 0; y < FILTER; ++y) {
      for (int x = 0; x < FILTER; ++x)
        sum += filter[y * FILTER + x] *
               image[(at / WIDTH + y) * (WIDTH + FILTER - 1) + at % WIDTH + x];
    }
    result[at] = sum;
  }
}
