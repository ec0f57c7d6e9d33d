/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.telemetry/1: the state of a device while it is measured: clocks, temperature, power, energy, what
 * throttles it and who else uses it.
 */
#ifndef BENCH_EXT_TELEMETRY_H
#define BENCH_EXT_TELEMETRY_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_TELEMETRY_V1 "bench.telemetry/1"

/* Which members of bench_telemetry_v1 were read. What is not known is not guessed. */
#define BENCH_TELEMETRY_CLOCK 1u
#define BENCH_TELEMETRY_MAX_CLOCK 2u
#define BENCH_TELEMETRY_MEMORY_CLOCK 4u
#define BENCH_TELEMETRY_TEMPERATURE 8u
#define BENCH_TELEMETRY_POWER 16u
#define BENCH_TELEMETRY_POWER_LIMIT 32u
#define BENCH_TELEMETRY_ENERGY 64u
#define BENCH_TELEMETRY_THROTTLE 128u
#define BENCH_TELEMETRY_PROCESSES 256u

/* Why the clock is below what was asked for; several may hold. */
#define BENCH_THROTTLE_POWER 1u    /* the power limit */
#define BENCH_THROTTLE_THERMAL 2u  /* the temperature */
#define BENCH_THROTTLE_HARDWARE 4u /* an external brake or a hardware slowdown */
#define BENCH_THROTTLE_USER 8u     /* an application clock or a lock set by somebody */
#define BENCH_THROTTLE_IDLE 16u    /* nothing to do */
#define BENCH_THROTTLE_OTHER 32u

typedef struct bench_telemetry_v1 {
  uint32_t struct_size;
  uint32_t known;              /* BENCH_TELEMETRY_* of the members below */
  double clock_hz;             /* of the compute units, now */
  double max_clock_hz;         /* the highest it may have */
  double memory_clock_hz;      /* now */
  double temperature_celsius;
  double power_watts;          /* as the vendor defines it (a mean or an instant) */
  double power_limit_watts;
  double energy_joules;        /* a counter that only grows; its origin means nothing */
  uint32_t throttle;           /* BENCH_THROTTLE_* */
  uint32_t other_processes;    /* with work on the device, this process not counted */
} bench_telemetry_v1;

typedef struct bench_ext_telemetry_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Reads what there is; never in a measured window. BENCH_ERROR_UNSUPPORTED: nothing can be read here
   * (no library, no right), and the message says why. */
  bench_status (*read)(bench_instance_v1 *instance, bench_device_v1 device,
                       bench_telemetry_v1 *telemetry, bench_error_v1 *error);
  /* [device] Asks the device to keep its clock at `clock_hz`, rounded to one that it has, which is written
   * back. The plugin gives the clock back in unlock_clock, in close() and when the process ends by exit or by
   * a signal that can be caught. BENCH_ERROR_NO_PERMISSION names the right that is missing. Only ever called
   * on a user's explicit wish. */
  bench_status (*lock_clock)(bench_instance_v1 *instance, bench_device_v1 device, double *clock_hz,
                             bench_error_v1 *error);
  /* [device] What lock_clock changed is as it was. Without a lock: does nothing. */
  bench_status (*unlock_clock)(bench_instance_v1 *instance, bench_device_v1 device,
                               bench_error_v1 *error);
} bench_ext_telemetry_v1;

#ifdef __cplusplus
}
#endif
#endif
