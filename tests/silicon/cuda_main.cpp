// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "cuda_device.hpp"

int main(int argc, char **argv) {
  if (!silicon::driver() || silicon::plugin().device_count == 0) {
    std::puts("skipped: no CUDA device here");
    return 77;  // what CTest takes for "skipped"
  }
  return doctest::Context(argc, argv).run();
}
