/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/telemetry.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_TELEMETRY_LAYOUT_H
#define BENCH_EXT_TELEMETRY_LAYOUT_H

#include <bench/ext/telemetry.h>

#define BENCH_SIZE_1_0_TELEMETRY 72u
#define BENCH_SIZE_1_0_EXT_TELEMETRY 32u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_telemetry_v1) == 72, "bench_telemetry_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, struct_size) == 0, "bench_telemetry_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->struct_size) == 4, "bench_telemetry_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, known) == 4, "bench_telemetry_v1.known");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->known) == 4, "bench_telemetry_v1.known");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, clock_hz) == 8, "bench_telemetry_v1.clock_hz");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->clock_hz) == 8, "bench_telemetry_v1.clock_hz");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, max_clock_hz) == 16, "bench_telemetry_v1.max_clock_hz");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->max_clock_hz) == 8, "bench_telemetry_v1.max_clock_hz");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, memory_clock_hz) == 24, "bench_telemetry_v1.memory_clock_hz");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->memory_clock_hz) == 8, "bench_telemetry_v1.memory_clock_hz");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, temperature_celsius) == 32, "bench_telemetry_v1.temperature_celsius");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->temperature_celsius) == 8, "bench_telemetry_v1.temperature_celsius");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, power_watts) == 40, "bench_telemetry_v1.power_watts");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->power_watts) == 8, "bench_telemetry_v1.power_watts");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, power_limit_watts) == 48, "bench_telemetry_v1.power_limit_watts");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->power_limit_watts) == 8, "bench_telemetry_v1.power_limit_watts");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, energy_joules) == 56, "bench_telemetry_v1.energy_joules");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->energy_joules) == 8, "bench_telemetry_v1.energy_joules");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, throttle) == 64, "bench_telemetry_v1.throttle");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->throttle) == 4, "bench_telemetry_v1.throttle");
BENCH_LAYOUT_ASSERT(offsetof(bench_telemetry_v1, other_processes) == 68, "bench_telemetry_v1.other_processes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_telemetry_v1 *)0)->other_processes) == 4, "bench_telemetry_v1.other_processes");

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_telemetry_v1) == 32, "bench_ext_telemetry_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_telemetry_v1, struct_size) == 0, "bench_ext_telemetry_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_telemetry_v1 *)0)->struct_size) == 4, "bench_ext_telemetry_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_telemetry_v1, reserved) == 4, "bench_ext_telemetry_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_telemetry_v1 *)0)->reserved) == 4, "bench_ext_telemetry_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_telemetry_v1, read) == 8, "bench_ext_telemetry_v1.read");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_telemetry_v1 *)0)->read) == 8, "bench_ext_telemetry_v1.read");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_telemetry_v1, lock_clock) == 16, "bench_ext_telemetry_v1.lock_clock");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_telemetry_v1 *)0)->lock_clock) == 8, "bench_ext_telemetry_v1.lock_clock");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_telemetry_v1, unlock_clock) == 24, "bench_ext_telemetry_v1.unlock_clock");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_telemetry_v1 *)0)->unlock_clock) == 8, "bench_ext_telemetry_v1.unlock_clock");

#undef BENCH_LAYOUT_ASSERT
#endif
