// SPDX-License-Identifier: Apache-2.0
// A plugin whose entry throws: what its language allows, and the ABI does not.
#include <bench/plugin_v1.h>

#include <stdexcept>

extern "C" BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *,
                                                                   bench_error_v1 *) {
  throw std::runtime_error("the cage is open");
}
