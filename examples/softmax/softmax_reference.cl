// SPDX-License-Identifier: Apache-2.0
// Each work item finds its row's maximum and sum alone, with the error of the sum carried along:
// not every device has double.
kernel void softmax_reference(global const float *input, global float *output) {
  global const float *row = input + get_group_id(0) * (long)WIDTH;
  float highest = row[0], sum = 0.0f, lost = 0.0f;
  for (int i = 1; i < WIDTH; ++i) highest = fmax(highest, row[i]);
  for (int i = 0; i < WIDTH; ++i) {
    const float next = exp(row[i] - highest) - lost;
    const float total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  for (int i = get_local_id(0); i < WIDTH; i += get_local_size(0))
    output[get_group_id(0) * (long)WIDTH + i] = exp(row[i] - highest) / sum;
}
