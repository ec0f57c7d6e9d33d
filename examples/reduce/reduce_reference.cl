// SPDX-License-Identifier: Apache-2.0
// One value after the other, by one work item, with the lost digits kept.
kernel void reduce_reference(global const float *values, global float *total, int count) {
  if (get_global_id(0) != 0) return;
  float sum = 0.0f, lost = 0.0f;
  for (int at = 0; at < count; ++at) {
    const float term = values[at] - lost;
    const float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  *total += sum;
}
