/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.cpu/1: what only a CPU offers: pinning the calling thread, and counting its cycles without a system
 * call. Offered by plugins of class "cpu".
 */
#ifndef BENCH_EXT_CPU_H
#define BENCH_EXT_CPU_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_CPU_V1 "bench.cpu/1"

typedef struct bench_ext_cpu_v1 {
  uint32_t struct_size;
  uint32_t reserved;

  /* [device] Binds the CALLING thread, and the threads that it starts from now on, to `core` (as the system
   * numbers it): the one change to a thread that outlives a call, since it is what was asked for. A core that
   * this process may not use is BENCH_ERROR_INVALID_ARGUMENT, and the message lists those it may. */
  bench_status (*pin)(bench_instance_v1 *instance, uint32_t core, bench_error_v1 *error);
  /* [device] Gives the calling thread the cores back that it had before the first pin. */
  bench_status (*unpin)(bench_instance_v1 *instance, bench_error_v1 *error);
  /* [device] Core cycles that the calling thread has spent in user space since the first call, read from the
   * processor's own counter. Where the system does not allow it: BENCH_ERROR_NO_PERMISSION or
   * BENCH_ERROR_UNSUPPORTED, with the reason. Never estimated from time. */
  bench_status (*read_cycles)(bench_instance_v1 *instance, uint64_t *cycles, bench_error_v1 *error);
} bench_ext_cpu_v1;

#ifdef __cplusplus
}
#endif
#endif
