/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.clock/1: the clock of a device that does not live in real time.
 *
 * A simulated device, or one that runs at another speed than the host (an emulator, a cycle-accurate model),
 * offers it. Whoever measures on such a device takes the time of windows, deadlines and pauses from here, and
 * no limit reads real time. Times of bench_sample_v1, bench_params_v1.deadline_ns and of the extensions are
 * then times of this clock instead of CLOCK_MONOTONIC.
 */
#ifndef BENCH_EXT_CLOCK_H
#define BENCH_EXT_CLOCK_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_CLOCK_V1 "bench.clock/1"

typedef struct bench_ext_clock_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Nanoseconds, never falling, never 0. One clock for all devices of the instance. */
  int64_t (*now_ns)(bench_instance_v1 *instance);
  /* [any, also within [timed]] Lets time pass until now_ns() is at least `time_ns`; work of devices goes on
   * meanwhile. A time in the past does nothing. */
  void (*sleep_until)(bench_instance_v1 *instance, int64_t time_ns);
} bench_ext_clock_v1;

#ifdef __cplusplus
}
#endif
#endif
