// SPDX-License-Identifier: Apache-2.0
// c = a * b for square row-major matrices. The tuner defines every parameter as a macro:
//   SIZE     rows and columns
//   BLOCKED  0: the textbook's three loops; 1: a tile of c stays in registers
//   ROWS, COLUMNS  of that tile
//   DEPTH    how much of a and b is used before the next tile, so that it stays in a cache
//   THREADS  of OpenMP
#if BLOCKED

namespace {

// Adds DEPTH products to each element of one tile of c. Both inner loops have constant lengths, so
// that the compiler keeps `sum` in vector registers.
inline void add_tile(const float *a, const float *b, float *c) {
  float sum[ROWS][COLUMNS];
  for (int row = 0; row < ROWS; ++row) {
#pragma omp simd
    for (int column = 0; column < COLUMNS; ++column) sum[row][column] = c[row * SIZE + column];
  }
  for (int k = 0; k < DEPTH; ++k) {
    for (int row = 0; row < ROWS; ++row) {
      const float factor = a[row * SIZE + k];
#pragma omp simd
      for (int column = 0; column < COLUMNS; ++column)
        sum[row][column] += factor * b[k * SIZE + column];
    }
  }
  for (int row = 0; row < ROWS; ++row) {
#pragma omp simd
    for (int column = 0; column < COLUMNS; ++column) c[row * SIZE + column] = sum[row][column];
  }
}

}  // namespace

void gemm(const float *a, const float *b, float *c) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int i = 0; i < SIZE; i += ROWS) {
    for (int j = 0; j < SIZE * ROWS; ++j) c[i * SIZE + j] = 0.0f;
    for (int k = 0; k < SIZE; k += DEPTH) {
      for (int j = 0; j < SIZE; j += COLUMNS)
        add_tile(a + i * SIZE + k, b + k * SIZE + j, c + i * SIZE + j);
    }
  }
}

#else

void gemm(const float *a, const float *b, float *c) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int i = 0; i < SIZE; ++i) {
    for (int j = 0; j < SIZE; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < SIZE; ++k) sum += a[i * SIZE + k] * b[k * SIZE + j];
      c[i * SIZE + j] = sum;
    }
  }
}

#endif
