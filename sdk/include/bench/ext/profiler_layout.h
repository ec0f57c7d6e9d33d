/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/profiler.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_PROFILER_LAYOUT_H
#define BENCH_EXT_PROFILER_LAYOUT_H

#include <bench/ext/profiler.h>

#define BENCH_SIZE_1_0_ACTIVITY 96u
#define BENCH_SIZE_1_0_EXT_PROFILER 24u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_activity_v1) == 96, "bench_activity_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_activity_v1, start_ns) == 0, "bench_activity_v1.start_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_activity_v1 *)0)->start_ns) == 8, "bench_activity_v1.start_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_activity_v1, end_ns) == 8, "bench_activity_v1.end_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_activity_v1 *)0)->end_ns) == 8, "bench_activity_v1.end_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_activity_v1, kind) == 16, "bench_activity_v1.kind");
BENCH_LAYOUT_ASSERT(sizeof(((bench_activity_v1 *)0)->kind) == 4, "bench_activity_v1.kind");
BENCH_LAYOUT_ASSERT(offsetof(bench_activity_v1, reserved) == 20, "bench_activity_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_activity_v1 *)0)->reserved) == 4, "bench_activity_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_activity_v1, name) == 24, "bench_activity_v1.name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_activity_v1 *)0)->name) == 72, "bench_activity_v1.name");

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_profiler_v1) == 24, "bench_ext_profiler_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_profiler_v1, struct_size) == 0, "bench_ext_profiler_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_profiler_v1 *)0)->struct_size) == 4, "bench_ext_profiler_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_profiler_v1, reserved) == 4, "bench_ext_profiler_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_profiler_v1 *)0)->reserved) == 4, "bench_ext_profiler_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_profiler_v1, start) == 8, "bench_ext_profiler_v1.start");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_profiler_v1 *)0)->start) == 8, "bench_ext_profiler_v1.start");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_profiler_v1, stop) == 16, "bench_ext_profiler_v1.stop");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_profiler_v1 *)0)->stop) == 8, "bench_ext_profiler_v1.stop");

#undef BENCH_LAYOUT_ASSERT
#endif
