// SPDX-License-Identifier: Apache-2.0
// Whatever devices.cpp does not define is refused, and counted: asking about devices must not
// need it. Weak, so that a definition takes the place of a refusal.
#include "driver.hpp"

extern "C" {
__attribute__((visibility("default"))) int bench_cuda_refused_calls = 0;
__attribute__((visibility("default"))) CUresult bench_cuda_refuse() {
  ++bench_cuda_refused_calls;
  return CUDA_ERROR_NOT_SUPPORTED;
}
}

#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)
#define REFUSE(name) asm(".weak " TEXT(name) "\n.set " TEXT(name) ", bench_cuda_refuse\n");
BENCH_CUDA_REQUIRED(REFUSE)
