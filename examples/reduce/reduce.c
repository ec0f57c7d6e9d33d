// SPDX-License-Identifier: Apache-2.0
// The sum of many values. The tuner defines every parameter:
//   ACCUMULATORS  independent partial sums: one is a chain of dependent additions, many fill vectors
//   CHUNK         values that are summed in single precision; chunks are added in double, or the sum
//                 of millions of values would be wrong in the fourth digit
//   THREADS       of OpenMP
void reduce(const float *values, float *total, int count) {
  double sum = 0.0;
#pragma omp parallel for num_threads(THREADS) schedule(static) reduction(+ : sum)
  for (int start = 0; start < count; start += CHUNK) {
    float partial[ACCUMULATORS] = {0.0f};
    for (int at = start; at < start + CHUNK; at += ACCUMULATORS) {
#if ACCUMULATORS > 1
#pragma omp simd
#endif
      for (int lane = 0; lane < ACCUMULATORS; ++lane) partial[lane] += values[at + lane];
    }
    for (int lane = 0; lane < ACCUMULATORS; ++lane) sum += partial[lane];
  }
  *total = (float)sum;
}
