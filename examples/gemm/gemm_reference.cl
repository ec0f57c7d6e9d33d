// SPDX-License-Identifier: Apache-2.0
// What every candidate must give: the textbook's product, for any number of work items. Summed with the
// lost digits kept, since not every GPU has double precision.
kernel void gemm_reference(global const float *a, global const float *b, global float *c) {
  const int first = get_global_id(1) * get_global_size(0) + get_global_id(0);
  const int step = get_global_size(0) * get_global_size(1);
  for (int at = first; at < SIZE * SIZE; at += step) {
    float sum = 0.0f, lost = 0.0f;
    for (int k = 0; k < SIZE; ++k) {
      const float term = a[at / SIZE * SIZE + k] * b[k * SIZE + at % SIZE] - lost;
      const float next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    c[at] = sum;
  }
}
