// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "bench/bench.h"

extern "C" {

const char *bench_version(void) {
  return BENCH_VERSION;
}

const char *bench_status_name(bench_status status) {
  return bench::status_name(status);
}

}  // extern "C"
