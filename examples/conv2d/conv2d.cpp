// SPDX-License-Identifier: Apache-2.0
// A two-dimensional filter over an image with a border. The tuner defines every parameter:
//   WIDTH, HEIGHT  of the result; FILTER  rows and columns of the filter
//   ROWS, COLUMNS  pixels of the result that are worked on at once, in registers
//   THREADS        of OpenMP
constexpr int input_width = WIDTH + FILTER - 1;

void conv2d(const float *image, const float *filter, float *result) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
  for (int top = 0; top < HEIGHT; top += ROWS) {
    for (int left = 0; left < WIDTH; left += COLUMNS) {
      float sum[ROWS][COLUMNS] = {};
      for (int y = 0; y < FILTER; ++y) {
        for (int x = 0; x < FILTER; ++x) {
          const float weight = filter[y * FILTER + x];
          for (int row = 0; row < ROWS; ++row) {
            const float *line = image + (top + row + y) * input_width + left + x;
#pragma omp simd
            for (int column = 0; column < COLUMNS; ++column)
              sum[row][column] += weight * line[column];
          }
        }
      }
      for (int row = 0; row < ROWS; ++row) {
        for (int column = 0; column < COLUMNS; ++column)
          result[(top + row) * WIDTH + left + column] = sum[row][column];
      }
    }
  }
}
