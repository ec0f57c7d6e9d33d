/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/ext/kernel.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_EXT_KERNEL_LAYOUT_H
#define BENCH_EXT_KERNEL_LAYOUT_H

#include <bench/ext/kernel.h>

#define BENCH_SIZE_1_0_KERNEL_PARAMETER 24u
#define BENCH_SIZE_1_0_KERNEL_SOURCE 136u
#define BENCH_SIZE_1_0_KERNEL_RESOURCES 24u
#define BENCH_SIZE_1_0_KERNEL_LIMITS 48u
#define BENCH_SIZE_1_0_KERNEL_LAUNCH 56u
#define BENCH_SIZE_1_0_EXT_KERNEL 72u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_kernel_parameter_v1) == 24, "bench_kernel_parameter_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, struct_size) == 0, "bench_kernel_parameter_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->struct_size) == 4, "bench_kernel_parameter_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, kind) == 4, "bench_kernel_parameter_v1.kind");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->kind) == 4, "bench_kernel_parameter_v1.kind");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, access) == 8, "bench_kernel_parameter_v1.access");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->access) == 4, "bench_kernel_parameter_v1.access");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, dtype_code) == 12, "bench_kernel_parameter_v1.dtype_code");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->dtype_code) == 1, "bench_kernel_parameter_v1.dtype_code");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, dtype_bits) == 13, "bench_kernel_parameter_v1.dtype_bits");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->dtype_bits) == 1, "bench_kernel_parameter_v1.dtype_bits");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, dtype_lanes) == 14, "bench_kernel_parameter_v1.dtype_lanes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->dtype_lanes) == 2, "bench_kernel_parameter_v1.dtype_lanes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_parameter_v1, name) == 16, "bench_kernel_parameter_v1.name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_parameter_v1 *)0)->name) == 8, "bench_kernel_parameter_v1.name");

BENCH_LAYOUT_ASSERT(sizeof(bench_kernel_source_v1) == 136, "bench_kernel_source_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, struct_size) == 0, "bench_kernel_source_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->struct_size) == 4, "bench_kernel_source_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, option_count) == 4, "bench_kernel_source_v1.option_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->option_count) == 4, "bench_kernel_source_v1.option_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, language) == 8, "bench_kernel_source_v1.language");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->language) == 8, "bench_kernel_source_v1.language");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, path) == 16, "bench_kernel_source_v1.path");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->path) == 8, "bench_kernel_source_v1.path");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, text) == 24, "bench_kernel_source_v1.text");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->text) == 8, "bench_kernel_source_v1.text");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, text_size) == 32, "bench_kernel_source_v1.text_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->text_size) == 8, "bench_kernel_source_v1.text_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, name) == 40, "bench_kernel_source_v1.name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->name) == 8, "bench_kernel_source_v1.name");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, architecture) == 48, "bench_kernel_source_v1.architecture");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->architecture) == 8, "bench_kernel_source_v1.architecture");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, options) == 56, "bench_kernel_source_v1.options");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->options) == 8, "bench_kernel_source_v1.options");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, definition_names) == 64, "bench_kernel_source_v1.definition_names");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->definition_names) == 8, "bench_kernel_source_v1.definition_names");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, definition_values) == 72, "bench_kernel_source_v1.definition_values");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->definition_values) == 8, "bench_kernel_source_v1.definition_values");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, parameters) == 80, "bench_kernel_source_v1.parameters");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->parameters) == 8, "bench_kernel_source_v1.parameters");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, definition_count) == 88, "bench_kernel_source_v1.definition_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->definition_count) == 4, "bench_kernel_source_v1.definition_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, parameter_count) == 92, "bench_kernel_source_v1.parameter_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->parameter_count) == 4, "bench_kernel_source_v1.parameter_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, grid) == 96, "bench_kernel_source_v1.grid");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->grid) == 12, "bench_kernel_source_v1.grid");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, block) == 108, "bench_kernel_source_v1.block");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->block) == 12, "bench_kernel_source_v1.block");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, deadline_ns) == 120, "bench_kernel_source_v1.deadline_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->deadline_ns) == 8, "bench_kernel_source_v1.deadline_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, required) == 128, "bench_kernel_source_v1.required");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->required) == 4, "bench_kernel_source_v1.required");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_source_v1, reserved) == 132, "bench_kernel_source_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_source_v1 *)0)->reserved) == 4, "bench_kernel_source_v1.reserved");

BENCH_LAYOUT_ASSERT(sizeof(bench_kernel_resources_v1) == 24, "bench_kernel_resources_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, struct_size) == 0, "bench_kernel_resources_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->struct_size) == 4, "bench_kernel_resources_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, registers_per_thread) == 4, "bench_kernel_resources_v1.registers_per_thread");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->registers_per_thread) == 4, "bench_kernel_resources_v1.registers_per_thread");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, shared_bytes) == 8, "bench_kernel_resources_v1.shared_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->shared_bytes) == 4, "bench_kernel_resources_v1.shared_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, local_bytes) == 12, "bench_kernel_resources_v1.local_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->local_bytes) == 4, "bench_kernel_resources_v1.local_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, constant_bytes) == 16, "bench_kernel_resources_v1.constant_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->constant_bytes) == 4, "bench_kernel_resources_v1.constant_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_resources_v1, max_threads_per_block) == 20, "bench_kernel_resources_v1.max_threads_per_block");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_resources_v1 *)0)->max_threads_per_block) == 4, "bench_kernel_resources_v1.max_threads_per_block");

BENCH_LAYOUT_ASSERT(sizeof(bench_kernel_limits_v1) == 48, "bench_kernel_limits_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, struct_size) == 0, "bench_kernel_limits_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->struct_size) == 4, "bench_kernel_limits_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, max_threads_per_block) == 4, "bench_kernel_limits_v1.max_threads_per_block");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->max_threads_per_block) == 4, "bench_kernel_limits_v1.max_threads_per_block");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, max_block) == 8, "bench_kernel_limits_v1.max_block");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->max_block) == 12, "bench_kernel_limits_v1.max_block");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, max_grid) == 20, "bench_kernel_limits_v1.max_grid");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->max_grid) == 12, "bench_kernel_limits_v1.max_grid");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, max_shared_bytes) == 32, "bench_kernel_limits_v1.max_shared_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->max_shared_bytes) == 8, "bench_kernel_limits_v1.max_shared_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, subgroup_size) == 40, "bench_kernel_limits_v1.subgroup_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->subgroup_size) == 4, "bench_kernel_limits_v1.subgroup_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_limits_v1, reserved) == 44, "bench_kernel_limits_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_limits_v1 *)0)->reserved) == 4, "bench_kernel_limits_v1.reserved");

BENCH_LAYOUT_ASSERT(sizeof(bench_kernel_launch_v1) == 56, "bench_kernel_launch_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, struct_size) == 0, "bench_kernel_launch_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->struct_size) == 4, "bench_kernel_launch_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, shared_bytes) == 4, "bench_kernel_launch_v1.shared_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->shared_bytes) == 4, "bench_kernel_launch_v1.shared_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, grid) == 8, "bench_kernel_launch_v1.grid");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->grid) == 12, "bench_kernel_launch_v1.grid");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, block) == 20, "bench_kernel_launch_v1.block");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->block) == 12, "bench_kernel_launch_v1.block");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, arguments) == 32, "bench_kernel_launch_v1.arguments");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->arguments) == 8, "bench_kernel_launch_v1.arguments");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, argument_sizes) == 40, "bench_kernel_launch_v1.argument_sizes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->argument_sizes) == 8, "bench_kernel_launch_v1.argument_sizes");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, argument_count) == 48, "bench_kernel_launch_v1.argument_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->argument_count) == 4, "bench_kernel_launch_v1.argument_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_kernel_launch_v1, required) == 52, "bench_kernel_launch_v1.required");
BENCH_LAYOUT_ASSERT(sizeof(((bench_kernel_launch_v1 *)0)->required) == 4, "bench_kernel_launch_v1.required");

BENCH_LAYOUT_ASSERT(sizeof(bench_ext_kernel_v1) == 72, "bench_ext_kernel_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, struct_size) == 0, "bench_ext_kernel_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->struct_size) == 4, "bench_ext_kernel_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, language_count) == 4, "bench_ext_kernel_v1.language_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->language_count) == 4, "bench_ext_kernel_v1.language_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, languages) == 8, "bench_ext_kernel_v1.languages");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->languages) == 8, "bench_ext_kernel_v1.languages");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, compiler) == 16, "bench_ext_kernel_v1.compiler");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->compiler) == 8, "bench_ext_kernel_v1.compiler");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, compile) == 24, "bench_ext_kernel_v1.compile");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->compile) == 8, "bench_ext_kernel_v1.compile");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, load) == 32, "bench_ext_kernel_v1.load");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->load) == 8, "bench_ext_kernel_v1.load");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, unload) == 40, "bench_ext_kernel_v1.unload");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->unload) == 8, "bench_ext_kernel_v1.unload");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, symbol) == 48, "bench_ext_kernel_v1.symbol");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->symbol) == 8, "bench_ext_kernel_v1.symbol");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, launch) == 56, "bench_ext_kernel_v1.launch");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->launch) == 8, "bench_ext_kernel_v1.launch");
BENCH_LAYOUT_ASSERT(offsetof(bench_ext_kernel_v1, limits) == 64, "bench_ext_kernel_v1.limits");
BENCH_LAYOUT_ASSERT(sizeof(((bench_ext_kernel_v1 *)0)->limits) == 8, "bench_ext_kernel_v1.limits");

#undef BENCH_LAYOUT_ASSERT
#endif
