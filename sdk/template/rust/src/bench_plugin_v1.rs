// SPDX-License-Identifier: Apache-2.0
// Made by sdk/abi/generate_rust.py from sdk/abi/layout.json and plugin_v1.h. Do not edit.
#![allow(non_camel_case_types, dead_code)]
use std::ffi::{c_char, c_void};

pub type bench_status = i32;
pub const BENCH_ABI_MAJOR: u32 = 1;
pub const BENCH_ABI_MINOR: u32 = 0;
pub const BENCH_OK: i32 = 0;
pub const BENCH_ERROR_CONFIG_REJECTED: i32 = -1;
pub const BENCH_ERROR_OUT_OF_RESOURCES: i32 = -2;
pub const BENCH_ERROR_COMPILE_FAILED: i32 = -3;
pub const BENCH_ERROR_CALLABLE_FAILED: i32 = -4;
pub const BENCH_ERROR_UNSUPPORTED: i32 = -5;
pub const BENCH_ERROR_NO_DRIVER: i32 = -6;
pub const BENCH_ERROR_NO_DEVICE: i32 = -7;
pub const BENCH_ERROR_NO_PERMISSION: i32 = -8;
pub const BENCH_ERROR_BUSY: i32 = -9;
pub const BENCH_ERROR_TIMEOUT: i32 = -10;
pub const BENCH_ERROR_CANCELLED: i32 = -11;
pub const BENCH_ERROR_DEVICE_LOST: i32 = -12;
pub const BENCH_ERROR_INVALID_ARGUMENT: i32 = -13;
pub const BENCH_ERROR_INCOMPATIBLE: i32 = -14;
pub const BENCH_ERROR_INTERNAL: i32 = -15;
pub const BENCH_DEVICE_CPU: i32 = 1;
pub const BENCH_DEVICE_CUDA: i32 = 2;
pub const BENCH_DEVICE_CUDA_HOST: i32 = 3;
pub const BENCH_DEVICE_OPENCL: i32 = 4;
pub const BENCH_DEVICE_VULKAN: i32 = 7;
pub const BENCH_DEVICE_METAL: i32 = 8;
pub const BENCH_DEVICE_VPI: i32 = 9;
pub const BENCH_DEVICE_ROCM: i32 = 10;
pub const BENCH_DEVICE_ROCM_HOST: i32 = 11;
pub const BENCH_DEVICE_EXT: i32 = 12;
pub const BENCH_DEVICE_CUDA_MANAGED: i32 = 13;
pub const BENCH_DEVICE_ONEAPI: i32 = 14;
pub const BENCH_DEVICE_WEBGPU: i32 = 15;
pub const BENCH_DEVICE_HEXAGON: i32 = 16;
pub const BENCH_DEVICE_MAIA: i32 = 17;
pub const BENCH_DEVICE_TRAINIUM: i32 = 18;
pub const BENCH_STREAM_NONE: u32 = 0;
pub const BENCH_STREAM_DEFAULT: u32 = 1;
pub const BENCH_STREAM_PER_THREAD: u32 = 2;
pub const BENCH_STREAM_NATIVE: u32 = 3;
pub const BENCH_STREAM_PLUGIN_OWNED: u32 = 4;
pub const BENCH_VALUE_NONE: u32 = 0;
pub const BENCH_VALUE_INTEGER: u32 = 1;
pub const BENCH_VALUE_REAL: u32 = 2;
pub const BENCH_VALUE_BOOLEAN: u32 = 3;
pub const BENCH_VALUE_TEXT: u32 = 4;
pub const BENCH_CALLABLE_SYNCHRONOUS: u32 = 1;
pub const BENCH_CALLABLE_CAPTURABLE: u32 = 2;
pub const BENCH_CALLABLE_REPEATABLE: u32 = 4;
pub const BENCH_CALLABLE_OWN_STREAM: u32 = 8;
pub const BENCH_SAMPLE_NEGATIVE: u32 = 1;
pub const BENCH_SAMPLE_ZERO: u32 = 2;
pub const BENCH_SAMPLE_WRAPPED: u32 = 4;
pub const BENCH_SAMPLE_THROTTLED: u32 = 8;
pub const BENCH_SAMPLE_BELOW_FLOOR: u32 = 16;
pub const BENCH_SAMPLE_TIMER_COARSE: u32 = 32;
pub const BENCH_SAMPLE_DISTURBED: u32 = 64;
pub const BENCH_CACHE_HOT: u32 = 0;
pub const BENCH_CACHE_COLD: u32 = 1;
pub const BENCH_METHOD_UNKNOWN: u32 = 0;
pub const BENCH_METHOD_HOST: u32 = 1;
pub const BENCH_METHOD_EVENT: u32 = 2;
pub const BENCH_METHOD_GATE: u32 = 3;
pub const BENCH_METHOD_BATCH: u32 = 4;
pub const BENCH_METHOD_GRAPH: u32 = 5;
pub const BENCH_METHOD_PROFILER: u32 = 6;
pub const BENCH_RESULT_COARSE: u32 = 1;
pub const BENCH_RESULT_UNJOINED: u32 = 2;
pub const BENCH_RESULT_STEPPED_DOWN: u32 = 4;
pub const BENCH_RESULT_NOTHING_ENQUEUED: u32 = 8;
pub const BENCH_RESULT_HOST_BOUND: u32 = 16;
pub const BENCH_RESULT_CACHE_UNPROVEN: u32 = 32;
pub const BENCH_RESULT_FROM_CALLBACK: u32 = 64;
pub const BENCH_DEVICE_FLAG_INTEGRATED: u32 = 1;
pub const BENCH_DEVICE_FLAG_SYNCHRONOUS: u32 = 2;
pub const BENCH_DEVICE_FLAG_OPAQUE_MEMORY: u32 = 4;
pub const BENCH_LOG_DEBUG: u32 = 1;
pub const BENCH_LOG_INFO: u32 = 2;
pub const BENCH_LOG_WARNING: u32 = 3;
pub const BENCH_LOG_ERROR: u32 = 4;
pub const BENCH_COPY_TO_DEVICE: u32 = 1;
pub const BENCH_COPY_FROM_DEVICE: u32 = 2;
pub const BENCH_COPY_ON_DEVICE: u32 = 3;
pub const BENCH_FLUSH_WRITE: u32 = 1;
pub const BENCH_FLUSH_READ: u32 = 2;
pub const BENCH_NOTE_TYPE: u32 = 1;

#[repr(C)]
pub struct bench_instance_v1 {
    _private: [u8; 0],
}

#[repr(C)]
pub struct bench_event_v1 {
    _private: [u8; 0],
}

pub type bench_callback_v1 = Option<unsafe extern "C" fn(user: *mut c_void, config: *const bench_config_v1, stream: *const bench_stream_v1, error: *mut bench_error_v1) -> bench_status>;

pub type bench_plugin_entry_v1 = Option<unsafe extern "C" fn(host: *const bench_host_v1, error: *mut bench_error_v1) -> *const bench_plugin_api_v1>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_device_v1 {
    pub r#type: i32,
    pub id: i32,
}
const _: () = assert!(std::mem::size_of::<bench_device_v1>() == 8);
const _: () = assert!(std::mem::offset_of!(bench_device_v1, r#type) == 0);
const _: () = assert!(std::mem::offset_of!(bench_device_v1, id) == 4);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_error_v1 {
    pub struct_size: u32,
    pub status: bench_status,
    pub vendor_code: i64,
    pub vendor_name: [c_char; 64],
    pub r#where: [c_char; 64],
    pub what: [c_char; 384],
    pub hint: [c_char; 192],
}
const _: () = assert!(std::mem::size_of::<bench_error_v1>() == 720);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, status) == 4);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, vendor_code) == 8);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, vendor_name) == 16);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, r#where) == 80);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, what) == 144);
const _: () = assert!(std::mem::offset_of!(bench_error_v1, hint) == 528);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_writer_v1 {
    pub struct_size: u32,
    pub reserved: u32,
    pub user: *mut c_void,
    pub write: Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: u64) -> bench_status>,
}
const _: () = assert!(std::mem::size_of::<bench_writer_v1>() == 24);
const _: () = assert!(std::mem::offset_of!(bench_writer_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_writer_v1, reserved) == 4);
const _: () = assert!(std::mem::offset_of!(bench_writer_v1, user) == 8);
const _: () = assert!(std::mem::offset_of!(bench_writer_v1, write) == 16);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_stream_v1 {
    pub struct_size: u32,
    pub kind: u32,
    pub class_kind: u32,
    pub reserved: u32,
    pub handle: *mut c_void,
    pub context: *mut c_void,
    pub device_handle: *mut c_void,
}
const _: () = assert!(std::mem::size_of::<bench_stream_v1>() == 40);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, kind) == 4);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, class_kind) == 8);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, reserved) == 12);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, handle) == 16);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, context) == 24);
const _: () = assert!(std::mem::offset_of!(bench_stream_v1, device_handle) == 32);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_value_v1 {
    pub struct_size: u32,
    pub r#type: u32,
    pub integer: i64,
    pub real: f64,
    pub text: *const c_char,
}
const _: () = assert!(std::mem::size_of::<bench_value_v1>() == 32);
const _: () = assert!(std::mem::offset_of!(bench_value_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_value_v1, r#type) == 4);
const _: () = assert!(std::mem::offset_of!(bench_value_v1, integer) == 8);
const _: () = assert!(std::mem::offset_of!(bench_value_v1, real) == 16);
const _: () = assert!(std::mem::offset_of!(bench_value_v1, text) == 24);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_config_v1 {
    pub struct_size: u32,
    pub count: u32,
    pub index: u64,
    pub hash: u64,
    pub user: *mut c_void,
    pub names: *const *const c_char,
    pub values: *const *const bench_value_v1,
}
const _: () = assert!(std::mem::size_of::<bench_config_v1>() == 48);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, count) == 4);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, index) == 8);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, hash) == 16);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, user) == 24);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, names) == 32);
const _: () = assert!(std::mem::offset_of!(bench_config_v1, values) == 40);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_callable_v1 {
    pub struct_size: u32,
    pub flags: u32,
    pub required: u32,
    pub reserved: u32,
    pub user: *mut c_void,
    pub launch: bench_callback_v1,
    pub prepare: bench_callback_v1,
    pub restore: bench_callback_v1,
    pub wait: bench_callback_v1,
}
const _: () = assert!(std::mem::size_of::<bench_callable_v1>() == 56);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, flags) == 4);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, required) == 8);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, reserved) == 12);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, user) == 16);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, launch) == 24);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, prepare) == 32);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, restore) == 40);
const _: () = assert!(std::mem::offset_of!(bench_callable_v1, wait) == 48);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_sample_v1 {
    pub elapsed_ns: f64,
    pub start_ns: i64,
    pub end_ns: i64,
    pub launches: u32,
    pub flags: u32,
}
const _: () = assert!(std::mem::size_of::<bench_sample_v1>() == 32);
const _: () = assert!(std::mem::offset_of!(bench_sample_v1, elapsed_ns) == 0);
const _: () = assert!(std::mem::offset_of!(bench_sample_v1, start_ns) == 8);
const _: () = assert!(std::mem::offset_of!(bench_sample_v1, end_ns) == 16);
const _: () = assert!(std::mem::offset_of!(bench_sample_v1, launches) == 24);
const _: () = assert!(std::mem::offset_of!(bench_sample_v1, flags) == 28);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_params_v1 {
    pub struct_size: u32,
    pub required: u32,
    pub cache: u32,
    pub warmup_launches: u32,
    pub min_samples: u32,
    pub max_samples: u32,
    pub launches_per_sample: u32,
    pub reserved: u32,
    pub deadline_ns: i64,
    pub should_stop: Option<unsafe extern "C" fn(user: *mut c_void) -> i32>,
    pub should_stop_user: *mut c_void,
}
const _: () = assert!(std::mem::size_of::<bench_params_v1>() == 56);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, required) == 4);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, cache) == 8);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, warmup_launches) == 12);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, min_samples) == 16);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, max_samples) == 20);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, launches_per_sample) == 24);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, reserved) == 28);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, deadline_ns) == 32);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, should_stop) == 40);
const _: () = assert!(std::mem::offset_of!(bench_params_v1, should_stop_user) == 48);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_result_v1 {
    pub struct_size: u32,
    pub method: u32,
    pub samples: *mut bench_sample_v1,
    pub capacity: u32,
    pub written: u32,
    pub taken: u32,
    pub flags: u32,
    pub resolution_ns: f64,
    pub floor_ns: f64,
    pub flush_bytes: u64,
    pub note: [c_char; 256],
}
const _: () = assert!(std::mem::size_of::<bench_result_v1>() == 312);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, method) == 4);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, samples) == 8);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, capacity) == 16);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, written) == 20);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, taken) == 24);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, flags) == 28);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, resolution_ns) == 32);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, floor_ns) == 40);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, flush_bytes) == 48);
const _: () = assert!(std::mem::offset_of!(bench_result_v1, note) == 56);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_class_v1 {
    pub struct_size: u32,
    pub device_type: i32,
    pub name: *const c_char,
    pub aliases: *const *const c_char,
    pub memory_types: *const i32,
    pub alias_count: u32,
    pub memory_type_count: u32,
}
const _: () = assert!(std::mem::size_of::<bench_class_v1>() == 40);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, device_type) == 4);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, name) == 8);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, aliases) == 16);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, memory_types) == 24);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, alias_count) == 32);
const _: () = assert!(std::mem::offset_of!(bench_class_v1, memory_type_count) == 36);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_device_info_v1 {
    pub struct_size: u32,
    pub state: bench_status,
    pub device: bench_device_v1,
    pub uuid: [u8; 16],
    pub class_name: [c_char; 32],
    pub name: [c_char; 128],
    pub vendor: [c_char; 64],
    pub architecture: [c_char; 64],
    pub driver_version: [c_char; 64],
    pub runtime_version: [c_char; 64],
    pub bus_id: [c_char; 32],
    pub partition: [c_char; 64],
    pub reason: [c_char; 192],
    pub memory_bytes: u64,
    pub last_level_cache_bytes: u64,
    pub compute_units: u32,
    pub flags: u32,
    pub timer_resolution_ns: f64,
    pub timer_wrap_ns: f64,
    pub peak_bytes_per_second: f64,
    pub peak_flops_per_second: f64,
}
const _: () = assert!(std::mem::size_of::<bench_device_info_v1>() == 792);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, state) == 4);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, device) == 8);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, uuid) == 16);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, class_name) == 32);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, name) == 64);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, vendor) == 192);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, architecture) == 256);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, driver_version) == 320);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, runtime_version) == 384);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, bus_id) == 448);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, partition) == 480);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, reason) == 544);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, memory_bytes) == 736);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, last_level_cache_bytes) == 744);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, compute_units) == 752);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, flags) == 756);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, timer_resolution_ns) == 760);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, timer_wrap_ns) == 768);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, peak_bytes_per_second) == 776);
const _: () = assert!(std::mem::offset_of!(bench_device_info_v1, peak_flops_per_second) == 784);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_host_v1 {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub user: *mut c_void,
    pub log: Option<unsafe extern "C" fn(user: *mut c_void, level: u32, message: *const c_char)>,
    pub get_extension: Option<unsafe extern "C" fn(user: *mut c_void, id: *const c_char) -> *const c_void>,
}
const _: () = assert!(std::mem::size_of::<bench_host_v1>() == 32);
const _: () = assert!(std::mem::offset_of!(bench_host_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_host_v1, abi_minor) == 4);
const _: () = assert!(std::mem::offset_of!(bench_host_v1, user) == 8);
const _: () = assert!(std::mem::offset_of!(bench_host_v1, log) == 16);
const _: () = assert!(std::mem::offset_of!(bench_host_v1, get_extension) == 24);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_options_v1 {
    pub struct_size: u32,
    pub count: u32,
    pub keys: *const *const c_char,
    pub values: *const *const c_char,
}
const _: () = assert!(std::mem::size_of::<bench_options_v1>() == 24);
const _: () = assert!(std::mem::offset_of!(bench_options_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_options_v1, count) == 4);
const _: () = assert!(std::mem::offset_of!(bench_options_v1, keys) == 8);
const _: () = assert!(std::mem::offset_of!(bench_options_v1, values) == 16);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct bench_plugin_api_v1 {
    pub struct_size: u32,
    pub abi_minor: u32,
    pub min_host_minor: u32,
    pub score: i32,
    pub id: *const c_char,
    pub version: *const c_char,
    pub vendor: *const c_char,
    pub classes: *const *const bench_class_v1,
    pub class_count: u32,
    pub flags: u32,
    pub open: Option<unsafe extern "C" fn(host: *const bench_host_v1, options: *const bench_options_v1, instance: *mut *mut bench_instance_v1, error: *mut bench_error_v1) -> bench_status>,
    pub close: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1)>,
    pub device_list: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, devices: *mut bench_device_v1, capacity: u32, count: *mut u32, error: *mut bench_error_v1) -> bench_status>,
    pub device_info: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, info: *mut bench_device_info_v1, error: *mut bench_error_v1) -> bench_status>,
    pub do_bench: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, callable: *const bench_callable_v1, config: *const bench_config_v1, params: *const bench_params_v1, result: *mut bench_result_v1, error: *mut bench_error_v1) -> bench_status>,
    pub stream_create: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *mut bench_stream_v1, error: *mut bench_error_v1) -> bench_status>,
    pub stream_destroy: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *mut bench_stream_v1)>,
    pub stream_synchronize: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, error: *mut bench_error_v1) -> bench_status>,
    pub device_synchronize: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, error: *mut bench_error_v1) -> bench_status>,
    pub event_create: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, event: *mut *mut bench_event_v1, error: *mut bench_error_v1) -> bench_status>,
    pub event_destroy: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, event: *mut bench_event_v1)>,
    pub event_record: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, event: *mut bench_event_v1, stream: *const bench_stream_v1, error: *mut bench_error_v1) -> bench_status>,
    pub event_query: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, event: *mut bench_event_v1, error: *mut bench_error_v1) -> bench_status>,
    pub event_synchronize: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, event: *mut bench_event_v1, error: *mut bench_error_v1) -> bench_status>,
    pub event_elapsed: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, start: *mut bench_event_v1, stop: *mut bench_event_v1, elapsed_ns: *mut f64, sample_flags: *mut u32, error: *mut bench_error_v1) -> bench_status>,
    pub memory_allocate: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, size: u64, memory: *mut *mut c_void, error: *mut bench_error_v1) -> bench_status>,
    pub memory_free: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, memory: *mut c_void)>,
    pub memory_copy: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, destination: *mut c_void, destination_offset: u64, source: *const c_void, source_offset: u64, size: u64, direction: u32, stream: *const bench_stream_v1, error: *mut bench_error_v1) -> bench_status>,
    pub memory_set: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, memory: *mut c_void, offset: u64, value: u8, size: u64, stream: *const bench_stream_v1, error: *mut bench_error_v1) -> bench_status>,
    pub flush_prepare: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, flushed_bytes: *mut u64, error: *mut bench_error_v1) -> bench_status>,
    pub flush_release: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1)>,
    pub flush: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, device: bench_device_v1, stream: *const bench_stream_v1, mode: u32, error: *mut bench_error_v1) -> bench_status>,
    pub get_extension: Option<unsafe extern "C" fn(instance: *mut bench_instance_v1, id: *const c_char) -> *const c_void>,
}
const _: () = assert!(std::mem::size_of::<bench_plugin_api_v1>() == 240);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, struct_size) == 0);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, abi_minor) == 4);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, min_host_minor) == 8);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, score) == 12);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, id) == 16);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, version) == 24);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, vendor) == 32);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, classes) == 40);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, class_count) == 48);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, flags) == 52);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, open) == 56);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, close) == 64);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, device_list) == 72);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, device_info) == 80);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, do_bench) == 88);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, stream_create) == 96);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, stream_destroy) == 104);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, stream_synchronize) == 112);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, device_synchronize) == 120);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_create) == 128);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_destroy) == 136);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_record) == 144);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_query) == 152);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_synchronize) == 160);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, event_elapsed) == 168);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, memory_allocate) == 176);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, memory_free) == 184);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, memory_copy) == 192);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, memory_set) == 200);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, flush_prepare) == 208);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, flush_release) == 216);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, flush) == 224);
const _: () = assert!(std::mem::offset_of!(bench_plugin_api_v1, get_extension) == 232);
