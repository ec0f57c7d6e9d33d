// SPDX-License-Identifier: Apache-2.0
// One value after the other, in double precision.
void reduce_reference(const float *values, float *total, int count) {
  double sum = 0.0;
  for (int at = 0; at < count; ++at) sum += values[at];
  *total = (float)sum;
}
