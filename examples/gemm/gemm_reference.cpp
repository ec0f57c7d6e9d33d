// SPDX-License-Identifier: Apache-2.0
// What every candidate must give: the textbook's product, summed in double precision.
void gemm_reference(const float *a, const float *b, float *c) {
  for (int i = 0; i < SIZE; ++i) {
    for (int j = 0; j < SIZE; ++j) {
      double sum = 0.0;
      for (int k = 0; k < SIZE; ++k) sum += static_cast<double>(a[i * SIZE + k]) * b[k * SIZE + j];
      c[i * SIZE + j] = static_cast<float>(sum);
    }
  }
}
