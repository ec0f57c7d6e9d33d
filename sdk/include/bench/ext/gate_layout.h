/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/gate.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_GATE_LAYOUT_H
#define BENCH_EXT_GATE_LAYOUT_H

#include <bench/ext/gate.h>

#define BENCH_SIZE_1_0_EXT_GATE 40u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_gate_v1) == 40, "bench_ext_gate_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, struct_size) == 0, "bench_ext_gate_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->struct_size) == 4, "bench_ext_gate_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, max_launches) == 4, "bench_ext_gate_v1.max_launches");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->max_launches) == 4, "bench_ext_gate_v1.max_launches");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, create) == 8, "bench_ext_gate_v1.create");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->create) == 8, "bench_ext_gate_v1.create");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, destroy) == 16, "bench_ext_gate_v1.destroy");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->destroy) == 8, "bench_ext_gate_v1.destroy");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, enqueue) == 24, "bench_ext_gate_v1.enqueue");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->enqueue) == 8, "bench_ext_gate_v1.enqueue");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_gate_v1, open) == 32, "bench_ext_gate_v1.open");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_gate_v1 *)0)->open) == 8, "bench_ext_gate_v1.open");

#undef BENCH_LAYOUT_ASSERT
#endif
