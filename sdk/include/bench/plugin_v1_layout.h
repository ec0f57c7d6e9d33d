/* SPDX-License-Identifier: Apache-2.0
 * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.
 *
 * The layout of bench/plugin_v1.h, asserted, and the size of each struct in the version that
 * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */
#ifndef BENCH_PLUGIN_V1_LAYOUT_H
#define BENCH_PLUGIN_V1_LAYOUT_H

#include <bench/plugin_v1.h>

#define BENCH_SIZE_1_0_DEVICE 8u
#define BENCH_SIZE_1_0_ERROR 720u
#define BENCH_SIZE_1_0_WRITER 24u
#define BENCH_SIZE_1_0_STREAM 40u
#define BENCH_SIZE_1_0_VALUE 32u
#define BENCH_SIZE_1_0_CONFIG 48u
#define BENCH_SIZE_1_0_CALLABLE 56u
#define BENCH_SIZE_1_0_SAMPLE 32u
#define BENCH_SIZE_1_0_PARAMS 56u
#define BENCH_SIZE_1_0_RESULT 312u
#define BENCH_SIZE_1_0_CLASS 40u
#define BENCH_SIZE_1_0_DEVICE_INFO 792u
#define BENCH_SIZE_1_0_HOST 32u
#define BENCH_SIZE_1_0_OPTIONS 24u
#define BENCH_SIZE_1_0_PLUGIN_API 240u

#ifdef __cplusplus
#define BENCH_LAYOUT_ASSERT static_assert
#else
#define BENCH_LAYOUT_ASSERT _Static_assert
#endif

BENCH_LAYOUT_ASSERT(sizeof(bench_device_v1) == 8, "bench_device_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_v1, type) == 0, "bench_device_v1.type");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_v1 *)0)->type) == 4, "bench_device_v1.type");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_v1, id) == 4, "bench_device_v1.id");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_v1 *)0)->id) == 4, "bench_device_v1.id");

BENCH_LAYOUT_ASSERT(sizeof(bench_error_v1) == 720, "bench_error_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, struct_size) == 0, "bench_error_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->struct_size) == 4, "bench_error_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, status) == 4, "bench_error_v1.status");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->status) == 4, "bench_error_v1.status");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, vendor_code) == 8, "bench_error_v1.vendor_code");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->vendor_code) == 8, "bench_error_v1.vendor_code");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, vendor_name) == 16, "bench_error_v1.vendor_name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->vendor_name) == 64, "bench_error_v1.vendor_name");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, where) == 80, "bench_error_v1.where");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->where) == 64, "bench_error_v1.where");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, what) == 144, "bench_error_v1.what");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->what) == 384, "bench_error_v1.what");
BENCH_LAYOUT_ASSERT(offsetof(bench_error_v1, hint) == 528, "bench_error_v1.hint");
BENCH_LAYOUT_ASSERT(sizeof(((bench_error_v1 *)0)->hint) == 192, "bench_error_v1.hint");

BENCH_LAYOUT_ASSERT(sizeof(bench_writer_v1) == 24, "bench_writer_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_writer_v1, struct_size) == 0, "bench_writer_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_writer_v1 *)0)->struct_size) == 4, "bench_writer_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_writer_v1, reserved) == 4, "bench_writer_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_writer_v1 *)0)->reserved) == 4, "bench_writer_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_writer_v1, user) == 8, "bench_writer_v1.user");
BENCH_LAYOUT_ASSERT(sizeof(((bench_writer_v1 *)0)->user) == 8, "bench_writer_v1.user");
BENCH_LAYOUT_ASSERT(offsetof(bench_writer_v1, write) == 16, "bench_writer_v1.write");
BENCH_LAYOUT_ASSERT(sizeof(((bench_writer_v1 *)0)->write) == 8, "bench_writer_v1.write");

BENCH_LAYOUT_ASSERT(sizeof(bench_stream_v1) == 40, "bench_stream_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, struct_size) == 0, "bench_stream_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->struct_size) == 4, "bench_stream_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, kind) == 4, "bench_stream_v1.kind");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->kind) == 4, "bench_stream_v1.kind");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, class_kind) == 8, "bench_stream_v1.class_kind");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->class_kind) == 4, "bench_stream_v1.class_kind");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, reserved) == 12, "bench_stream_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->reserved) == 4, "bench_stream_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, handle) == 16, "bench_stream_v1.handle");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->handle) == 8, "bench_stream_v1.handle");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, context) == 24, "bench_stream_v1.context");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->context) == 8, "bench_stream_v1.context");
BENCH_LAYOUT_ASSERT(offsetof(bench_stream_v1, device_handle) == 32, "bench_stream_v1.device_handle");
BENCH_LAYOUT_ASSERT(sizeof(((bench_stream_v1 *)0)->device_handle) == 8, "bench_stream_v1.device_handle");

BENCH_LAYOUT_ASSERT(sizeof(bench_value_v1) == 32, "bench_value_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_value_v1, struct_size) == 0, "bench_value_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_value_v1 *)0)->struct_size) == 4, "bench_value_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_value_v1, type) == 4, "bench_value_v1.type");
BENCH_LAYOUT_ASSERT(sizeof(((bench_value_v1 *)0)->type) == 4, "bench_value_v1.type");
BENCH_LAYOUT_ASSERT(offsetof(bench_value_v1, integer) == 8, "bench_value_v1.integer");
BENCH_LAYOUT_ASSERT(sizeof(((bench_value_v1 *)0)->integer) == 8, "bench_value_v1.integer");
BENCH_LAYOUT_ASSERT(offsetof(bench_value_v1, real) == 16, "bench_value_v1.real");
BENCH_LAYOUT_ASSERT(sizeof(((bench_value_v1 *)0)->real) == 8, "bench_value_v1.real");
BENCH_LAYOUT_ASSERT(offsetof(bench_value_v1, text) == 24, "bench_value_v1.text");
BENCH_LAYOUT_ASSERT(sizeof(((bench_value_v1 *)0)->text) == 8, "bench_value_v1.text");

BENCH_LAYOUT_ASSERT(sizeof(bench_config_v1) == 48, "bench_config_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, struct_size) == 0, "bench_config_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->struct_size) == 4, "bench_config_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, count) == 4, "bench_config_v1.count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->count) == 4, "bench_config_v1.count");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, index) == 8, "bench_config_v1.index");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->index) == 8, "bench_config_v1.index");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, hash) == 16, "bench_config_v1.hash");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->hash) == 8, "bench_config_v1.hash");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, user) == 24, "bench_config_v1.user");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->user) == 8, "bench_config_v1.user");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, names) == 32, "bench_config_v1.names");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->names) == 8, "bench_config_v1.names");
BENCH_LAYOUT_ASSERT(offsetof(bench_config_v1, values) == 40, "bench_config_v1.values");
BENCH_LAYOUT_ASSERT(sizeof(((bench_config_v1 *)0)->values) == 8, "bench_config_v1.values");

BENCH_LAYOUT_ASSERT(sizeof(bench_callable_v1) == 56, "bench_callable_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, struct_size) == 0, "bench_callable_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->struct_size) == 4, "bench_callable_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, flags) == 4, "bench_callable_v1.flags");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->flags) == 4, "bench_callable_v1.flags");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, required) == 8, "bench_callable_v1.required");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->required) == 4, "bench_callable_v1.required");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, reserved) == 12, "bench_callable_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->reserved) == 4, "bench_callable_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, user) == 16, "bench_callable_v1.user");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->user) == 8, "bench_callable_v1.user");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, launch) == 24, "bench_callable_v1.launch");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->launch) == 8, "bench_callable_v1.launch");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, prepare) == 32, "bench_callable_v1.prepare");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->prepare) == 8, "bench_callable_v1.prepare");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, restore) == 40, "bench_callable_v1.restore");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->restore) == 8, "bench_callable_v1.restore");
BENCH_LAYOUT_ASSERT(offsetof(bench_callable_v1, wait) == 48, "bench_callable_v1.wait");
BENCH_LAYOUT_ASSERT(sizeof(((bench_callable_v1 *)0)->wait) == 8, "bench_callable_v1.wait");

BENCH_LAYOUT_ASSERT(sizeof(bench_sample_v1) == 32, "bench_sample_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_sample_v1, elapsed_ns) == 0, "bench_sample_v1.elapsed_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_sample_v1 *)0)->elapsed_ns) == 8, "bench_sample_v1.elapsed_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_sample_v1, start_ns) == 8, "bench_sample_v1.start_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_sample_v1 *)0)->start_ns) == 8, "bench_sample_v1.start_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_sample_v1, end_ns) == 16, "bench_sample_v1.end_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_sample_v1 *)0)->end_ns) == 8, "bench_sample_v1.end_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_sample_v1, launches) == 24, "bench_sample_v1.launches");
BENCH_LAYOUT_ASSERT(sizeof(((bench_sample_v1 *)0)->launches) == 4, "bench_sample_v1.launches");
BENCH_LAYOUT_ASSERT(offsetof(bench_sample_v1, flags) == 28, "bench_sample_v1.flags");
BENCH_LAYOUT_ASSERT(sizeof(((bench_sample_v1 *)0)->flags) == 4, "bench_sample_v1.flags");

BENCH_LAYOUT_ASSERT(sizeof(bench_params_v1) == 56, "bench_params_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, struct_size) == 0, "bench_params_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->struct_size) == 4, "bench_params_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, required) == 4, "bench_params_v1.required");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->required) == 4, "bench_params_v1.required");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, cache) == 8, "bench_params_v1.cache");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->cache) == 4, "bench_params_v1.cache");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, warmup_launches) == 12, "bench_params_v1.warmup_launches");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->warmup_launches) == 4, "bench_params_v1.warmup_launches");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, min_samples) == 16, "bench_params_v1.min_samples");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->min_samples) == 4, "bench_params_v1.min_samples");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, max_samples) == 20, "bench_params_v1.max_samples");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->max_samples) == 4, "bench_params_v1.max_samples");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, launches_per_sample) == 24, "bench_params_v1.launches_per_sample");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->launches_per_sample) == 4, "bench_params_v1.launches_per_sample");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, reserved) == 28, "bench_params_v1.reserved");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->reserved) == 4, "bench_params_v1.reserved");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, deadline_ns) == 32, "bench_params_v1.deadline_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->deadline_ns) == 8, "bench_params_v1.deadline_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, should_stop) == 40, "bench_params_v1.should_stop");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->should_stop) == 8, "bench_params_v1.should_stop");
BENCH_LAYOUT_ASSERT(offsetof(bench_params_v1, should_stop_user) == 48, "bench_params_v1.should_stop_user");
BENCH_LAYOUT_ASSERT(sizeof(((bench_params_v1 *)0)->should_stop_user) == 8, "bench_params_v1.should_stop_user");

BENCH_LAYOUT_ASSERT(sizeof(bench_result_v1) == 312, "bench_result_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, struct_size) == 0, "bench_result_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->struct_size) == 4, "bench_result_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, method) == 4, "bench_result_v1.method");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->method) == 4, "bench_result_v1.method");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, samples) == 8, "bench_result_v1.samples");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->samples) == 8, "bench_result_v1.samples");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, capacity) == 16, "bench_result_v1.capacity");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->capacity) == 4, "bench_result_v1.capacity");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, written) == 20, "bench_result_v1.written");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->written) == 4, "bench_result_v1.written");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, taken) == 24, "bench_result_v1.taken");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->taken) == 4, "bench_result_v1.taken");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, flags) == 28, "bench_result_v1.flags");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->flags) == 4, "bench_result_v1.flags");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, resolution_ns) == 32, "bench_result_v1.resolution_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->resolution_ns) == 8, "bench_result_v1.resolution_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, floor_ns) == 40, "bench_result_v1.floor_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->floor_ns) == 8, "bench_result_v1.floor_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, flush_bytes) == 48, "bench_result_v1.flush_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->flush_bytes) == 8, "bench_result_v1.flush_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_result_v1, note) == 56, "bench_result_v1.note");
BENCH_LAYOUT_ASSERT(sizeof(((bench_result_v1 *)0)->note) == 256, "bench_result_v1.note");

BENCH_LAYOUT_ASSERT(sizeof(bench_class_v1) == 40, "bench_class_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, struct_size) == 0, "bench_class_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->struct_size) == 4, "bench_class_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, device_type) == 4, "bench_class_v1.device_type");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->device_type) == 4, "bench_class_v1.device_type");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, name) == 8, "bench_class_v1.name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->name) == 8, "bench_class_v1.name");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, aliases) == 16, "bench_class_v1.aliases");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->aliases) == 8, "bench_class_v1.aliases");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, memory_types) == 24, "bench_class_v1.memory_types");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->memory_types) == 8, "bench_class_v1.memory_types");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, alias_count) == 32, "bench_class_v1.alias_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->alias_count) == 4, "bench_class_v1.alias_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_class_v1, memory_type_count) == 36, "bench_class_v1.memory_type_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_class_v1 *)0)->memory_type_count) == 4, "bench_class_v1.memory_type_count");

BENCH_LAYOUT_ASSERT(sizeof(bench_device_info_v1) == 792, "bench_device_info_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, struct_size) == 0, "bench_device_info_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->struct_size) == 4, "bench_device_info_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, state) == 4, "bench_device_info_v1.state");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->state) == 4, "bench_device_info_v1.state");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, device) == 8, "bench_device_info_v1.device");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->device) == 8, "bench_device_info_v1.device");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, uuid) == 16, "bench_device_info_v1.uuid");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->uuid) == 16, "bench_device_info_v1.uuid");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, class_name) == 32, "bench_device_info_v1.class_name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->class_name) == 32, "bench_device_info_v1.class_name");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, name) == 64, "bench_device_info_v1.name");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->name) == 128, "bench_device_info_v1.name");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, vendor) == 192, "bench_device_info_v1.vendor");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->vendor) == 64, "bench_device_info_v1.vendor");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, architecture) == 256, "bench_device_info_v1.architecture");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->architecture) == 64, "bench_device_info_v1.architecture");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, driver_version) == 320, "bench_device_info_v1.driver_version");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->driver_version) == 64, "bench_device_info_v1.driver_version");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, runtime_version) == 384, "bench_device_info_v1.runtime_version");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->runtime_version) == 64, "bench_device_info_v1.runtime_version");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, bus_id) == 448, "bench_device_info_v1.bus_id");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->bus_id) == 32, "bench_device_info_v1.bus_id");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, partition) == 480, "bench_device_info_v1.partition");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->partition) == 64, "bench_device_info_v1.partition");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, reason) == 544, "bench_device_info_v1.reason");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->reason) == 192, "bench_device_info_v1.reason");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, memory_bytes) == 736, "bench_device_info_v1.memory_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->memory_bytes) == 8, "bench_device_info_v1.memory_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, last_level_cache_bytes) == 744, "bench_device_info_v1.last_level_cache_bytes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->last_level_cache_bytes) == 8, "bench_device_info_v1.last_level_cache_bytes");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, compute_units) == 752, "bench_device_info_v1.compute_units");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->compute_units) == 4, "bench_device_info_v1.compute_units");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, flags) == 756, "bench_device_info_v1.flags");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->flags) == 4, "bench_device_info_v1.flags");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, timer_resolution_ns) == 760, "bench_device_info_v1.timer_resolution_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->timer_resolution_ns) == 8, "bench_device_info_v1.timer_resolution_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, timer_wrap_ns) == 768, "bench_device_info_v1.timer_wrap_ns");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->timer_wrap_ns) == 8, "bench_device_info_v1.timer_wrap_ns");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, peak_bytes_per_second) == 776, "bench_device_info_v1.peak_bytes_per_second");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->peak_bytes_per_second) == 8, "bench_device_info_v1.peak_bytes_per_second");
BENCH_LAYOUT_ASSERT(offsetof(bench_device_info_v1, peak_flops_per_second) == 784, "bench_device_info_v1.peak_flops_per_second");
BENCH_LAYOUT_ASSERT(sizeof(((bench_device_info_v1 *)0)->peak_flops_per_second) == 8, "bench_device_info_v1.peak_flops_per_second");

BENCH_LAYOUT_ASSERT(sizeof(bench_host_v1) == 32, "bench_host_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_host_v1, struct_size) == 0, "bench_host_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_host_v1 *)0)->struct_size) == 4, "bench_host_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_host_v1, abi_minor) == 4, "bench_host_v1.abi_minor");
BENCH_LAYOUT_ASSERT(sizeof(((bench_host_v1 *)0)->abi_minor) == 4, "bench_host_v1.abi_minor");
BENCH_LAYOUT_ASSERT(offsetof(bench_host_v1, user) == 8, "bench_host_v1.user");
BENCH_LAYOUT_ASSERT(sizeof(((bench_host_v1 *)0)->user) == 8, "bench_host_v1.user");
BENCH_LAYOUT_ASSERT(offsetof(bench_host_v1, log) == 16, "bench_host_v1.log");
BENCH_LAYOUT_ASSERT(sizeof(((bench_host_v1 *)0)->log) == 8, "bench_host_v1.log");
BENCH_LAYOUT_ASSERT(offsetof(bench_host_v1, get_extension) == 24, "bench_host_v1.get_extension");
BENCH_LAYOUT_ASSERT(sizeof(((bench_host_v1 *)0)->get_extension) == 8, "bench_host_v1.get_extension");

BENCH_LAYOUT_ASSERT(sizeof(bench_options_v1) == 24, "bench_options_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_options_v1, struct_size) == 0, "bench_options_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_options_v1 *)0)->struct_size) == 4, "bench_options_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_options_v1, count) == 4, "bench_options_v1.count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_options_v1 *)0)->count) == 4, "bench_options_v1.count");
BENCH_LAYOUT_ASSERT(offsetof(bench_options_v1, keys) == 8, "bench_options_v1.keys");
BENCH_LAYOUT_ASSERT(sizeof(((bench_options_v1 *)0)->keys) == 8, "bench_options_v1.keys");
BENCH_LAYOUT_ASSERT(offsetof(bench_options_v1, values) == 16, "bench_options_v1.values");
BENCH_LAYOUT_ASSERT(sizeof(((bench_options_v1 *)0)->values) == 8, "bench_options_v1.values");

BENCH_LAYOUT_ASSERT(sizeof(bench_plugin_api_v1) == 240, "bench_plugin_api_v1");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, struct_size) == 0, "bench_plugin_api_v1.struct_size");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->struct_size) == 4, "bench_plugin_api_v1.struct_size");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, abi_minor) == 4, "bench_plugin_api_v1.abi_minor");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->abi_minor) == 4, "bench_plugin_api_v1.abi_minor");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, min_host_minor) == 8, "bench_plugin_api_v1.min_host_minor");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->min_host_minor) == 4, "bench_plugin_api_v1.min_host_minor");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, score) == 12, "bench_plugin_api_v1.score");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->score) == 4, "bench_plugin_api_v1.score");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, id) == 16, "bench_plugin_api_v1.id");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->id) == 8, "bench_plugin_api_v1.id");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, version) == 24, "bench_plugin_api_v1.version");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->version) == 8, "bench_plugin_api_v1.version");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, vendor) == 32, "bench_plugin_api_v1.vendor");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->vendor) == 8, "bench_plugin_api_v1.vendor");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, classes) == 40, "bench_plugin_api_v1.classes");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->classes) == 8, "bench_plugin_api_v1.classes");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, class_count) == 48, "bench_plugin_api_v1.class_count");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->class_count) == 4, "bench_plugin_api_v1.class_count");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, flags) == 52, "bench_plugin_api_v1.flags");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->flags) == 4, "bench_plugin_api_v1.flags");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, open) == 56, "bench_plugin_api_v1.open");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->open) == 8, "bench_plugin_api_v1.open");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, close) == 64, "bench_plugin_api_v1.close");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->close) == 8, "bench_plugin_api_v1.close");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, device_list) == 72, "bench_plugin_api_v1.device_list");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->device_list) == 8, "bench_plugin_api_v1.device_list");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, device_info) == 80, "bench_plugin_api_v1.device_info");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->device_info) == 8, "bench_plugin_api_v1.device_info");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, do_bench) == 88, "bench_plugin_api_v1.do_bench");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->do_bench) == 8, "bench_plugin_api_v1.do_bench");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, stream_create) == 96, "bench_plugin_api_v1.stream_create");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->stream_create) == 8, "bench_plugin_api_v1.stream_create");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, stream_destroy) == 104, "bench_plugin_api_v1.stream_destroy");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->stream_destroy) == 8, "bench_plugin_api_v1.stream_destroy");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, stream_synchronize) == 112, "bench_plugin_api_v1.stream_synchronize");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->stream_synchronize) == 8, "bench_plugin_api_v1.stream_synchronize");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, device_synchronize) == 120, "bench_plugin_api_v1.device_synchronize");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->device_synchronize) == 8, "bench_plugin_api_v1.device_synchronize");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_create) == 128, "bench_plugin_api_v1.event_create");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_create) == 8, "bench_plugin_api_v1.event_create");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_destroy) == 136, "bench_plugin_api_v1.event_destroy");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_destroy) == 8, "bench_plugin_api_v1.event_destroy");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_record) == 144, "bench_plugin_api_v1.event_record");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_record) == 8, "bench_plugin_api_v1.event_record");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_query) == 152, "bench_plugin_api_v1.event_query");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_query) == 8, "bench_plugin_api_v1.event_query");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_synchronize) == 160, "bench_plugin_api_v1.event_synchronize");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_synchronize) == 8, "bench_plugin_api_v1.event_synchronize");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, event_elapsed) == 168, "bench_plugin_api_v1.event_elapsed");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->event_elapsed) == 8, "bench_plugin_api_v1.event_elapsed");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, memory_allocate) == 176, "bench_plugin_api_v1.memory_allocate");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->memory_allocate) == 8, "bench_plugin_api_v1.memory_allocate");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, memory_free) == 184, "bench_plugin_api_v1.memory_free");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->memory_free) == 8, "bench_plugin_api_v1.memory_free");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, memory_copy) == 192, "bench_plugin_api_v1.memory_copy");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->memory_copy) == 8, "bench_plugin_api_v1.memory_copy");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, memory_set) == 200, "bench_plugin_api_v1.memory_set");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->memory_set) == 8, "bench_plugin_api_v1.memory_set");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, flush_prepare) == 208, "bench_plugin_api_v1.flush_prepare");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->flush_prepare) == 8, "bench_plugin_api_v1.flush_prepare");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, flush_release) == 216, "bench_plugin_api_v1.flush_release");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->flush_release) == 8, "bench_plugin_api_v1.flush_release");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, flush) == 224, "bench_plugin_api_v1.flush");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->flush) == 8, "bench_plugin_api_v1.flush");
BENCH_LAYOUT_ASSERT(offsetof(bench_plugin_api_v1, get_extension) == 232, "bench_plugin_api_v1.get_extension");
BENCH_LAYOUT_ASSERT(sizeof(((bench_plugin_api_v1 *)0)->get_extension) == 8, "bench_plugin_api_v1.get_extension");

#undef BENCH_LAYOUT_ASSERT
#endif
