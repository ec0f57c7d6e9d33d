/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.profiler/1: the vendor's own record of when each operation ran on the device: a truth that does not
 * come through events, where the profiling interface is free.
 */
#ifndef BENCH_EXT_PROFILER_H
#define BENCH_EXT_PROFILER_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_PROFILER_V1 "bench.profiler/1"

#define BENCH_ACTIVITY_KERNEL 1u
#define BENCH_ACTIVITY_COPY 2u
#define BENCH_ACTIVITY_FILL 3u

/* One operation that ran on the device. Frozen, 96 bytes. */
typedef struct bench_activity_v1 {
  int64_t start_ns; /* on the device's profiling clock: differences mean something, the origin does not */
  int64_t end_ns;
  uint32_t kind;    /* BENCH_ACTIVITY_* */
  uint32_t reserved;
  char name[72];    /* of the kernel as compiled, cut; empty for others */
} bench_activity_v1;

typedef struct bench_ext_profiler_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  /* [device] Records from now on. BENCH_ERROR_BUSY: another tool of this process holds the interface;
   * BENCH_ERROR_UNSUPPORTED: its library is absent (the message names it); BENCH_ERROR_NO_PERMISSION. */
  bench_status (*start)(bench_instance_v1 *instance, bench_device_v1 device, bench_error_v1 *error);
  /* [device] Waits for the device, stops recording and writes the first `capacity` records in order of their
   * start; `count` gets how many there were, `dropped` (or NULL) how many the vendor's buffers lost. */
  bench_status (*stop)(bench_instance_v1 *instance, bench_device_v1 device,
                       bench_activity_v1 *activities, uint64_t capacity, uint64_t *count,
                       uint64_t *dropped, bench_error_v1 *error);
} bench_ext_profiler_v1;

#ifdef __cplusplus
}
#endif
#endif
