/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/clock.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_CLOCK_LAYOUT_H
#define BENCH_EXT_CLOCK_LAYOUT_H

#include <bench/ext/clock.h>

#define BENCH_SIZE_1_0_EXT_CLOCK 24u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_clock_v1) == 24, "bench_ext_clock_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_clock_v1, struct_size) == 0, "bench_ext_clock_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_clock_v1 *)0)->struct_size) == 4, "bench_ext_clock_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_clock_v1, reserved) == 4, "bench_ext_clock_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_clock_v1 *)0)->reserved) == 4, "bench_ext_clock_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_clock_v1, now_ns) == 8, "bench_ext_clock_v1.now_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_clock_v1 *)0)->now_ns) == 8, "bench_ext_clock_v1.now_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_clock_v1, sleep_until) == 16, "bench_ext_clock_v1.sleep_until");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_clock_v1 *)0)->sleep_until) == 8, "bench_ext_clock_v1.sleep_until");

#undef BENCH_LAYOUT_ASSERT
#endif
