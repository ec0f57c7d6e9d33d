// SPDX-License-Identifier: Apache-2.0
// One pixel after the other, summed in double precision.
void conv2d_reference(const float *image, const float *filter, float *result) {
  for (int row = 0; row < HEIGHT; ++row) {
    for (int column = 0; column < WIDTH; ++column) {
      double sum = 0.0;
      for (int y = 0; y < FILTER; ++y) {
        for (int x = 0; x < FILTER; ++x)
          sum += static_cast<double>(filter[y * FILTER + x]) *
                 image[(row + y) * (WIDTH + FILTER - 1) + column + x];
      }
      result[row * WIDTH + column] = static_cast<float>(sum);
    }
  }
}
