/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/graph.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_GRAPH_LAYOUT_H
#define BENCH_EXT_GRAPH_LAYOUT_H

#include <bench/ext/graph.h>

#define BENCH_SIZE_1_0_EXT_GRAPH 40u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_graph_v1) == 40, "bench_ext_graph_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, struct_size) == 0, "bench_ext_graph_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->struct_size) == 4, "bench_ext_graph_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, reserved) == 4, "bench_ext_graph_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->reserved) == 4, "bench_ext_graph_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, begin) == 8, "bench_ext_graph_v1.begin");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->begin) == 8, "bench_ext_graph_v1.begin");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, end) == 16, "bench_ext_graph_v1.end");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->end) == 8, "bench_ext_graph_v1.end");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, launch) == 24, "bench_ext_graph_v1.launch");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->launch) == 8, "bench_ext_graph_v1.launch");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_graph_v1, destroy) == 32, "bench_ext_graph_v1.destroy");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_graph_v1 *)0)->destroy) == 8, "bench_ext_graph_v1.destroy");

#undef BENCH_LAYOUT_ASSERT
#endif
