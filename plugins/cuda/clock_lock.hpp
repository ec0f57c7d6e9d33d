// SPDX-License-Identifier: Apache-2.0
// Locked clocks, given back on every way out.
#pragma once
#include "cuda.hpp"

namespace bench_cuda {

bench_status lock_clock(bench_instance_v1 *instance, bench_device_v1 device, double *clock_hz,
                        bench_error_v1 *error);
bench_status unlock_clock(bench_instance_v1 *instance, bench_device_v1 device,
                          bench_error_v1 *error);

}  // namespace bench_cuda
