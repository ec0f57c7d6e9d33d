// SPDX-License-Identifier: Apache-2.0
//! do_bench by the host's clock around single launches that run on the calling thread. It cannot flush:
//! cold samples are marked CACHE_UNPROVEN.
use crate::bench_plugin_v1::*;
use crate::fail;
use std::ffi::c_int;
use std::mem::{size_of, zeroed};
use std::ptr::null_mut;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}
extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

/// CLOCK_MONOTONIC, on which the ABI's deadlines are: std's Instant does not tell its number.
fn now_ns() -> i64 {
    const CLOCK_MONOTONIC: c_int = 1;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

pub(crate) unsafe fn do_bench(
    stream: *const bench_stream_v1, callable: &bench_callable_v1, config: *const bench_config_v1,
    params: &bench_params_v1, result: &mut bench_result_v1, error: *mut bench_error_v1,
) -> bench_status {
    let small = |size: u32, least: usize| (size as usize) < least;
    if small(result.struct_size, size_of::<bench_result_v1>())
        || small(callable.struct_size, size_of::<bench_callable_v1>())
        || small(params.struct_size, size_of::<bench_params_v1>())
    {
        return fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench", "a struct is below its 1.0 size");
    }
    let foreign = !stream.is_null() && ((*stream).kind > BENCH_STREAM_PLUGIN_OWNED || (*stream).class_kind != 0);
    if callable.required != 0 || params.required != 0 || params.cache > BENCH_CACHE_COLD || foreign {
        return fail(error, BENCH_ERROR_UNSUPPORTED, "do_bench", "something that 1.0 does not know is asked for");
    }
    let (Some(launch), true) = (callable.launch, params.max_samples > 0 && params.min_samples <= params.max_samples)
    else {
        return fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench", "no launch, or no samples are asked for");
    };
    if result.capacity > 0 && result.samples.is_null() {
        return fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench", "there is no buffer for the samples");
    }
    result.method = BENCH_METHOD_HOST;
    result.flags = if params.cache == BENCH_CACHE_COLD { BENCH_RESULT_CACHE_UNPROVEN } else { 0 };
    result.resolution_ns = 1.0;
    result.floor_ns = 0.0;
    result.flush_bytes = 0;
    result.note[0] = 0;
    let mut none: bench_stream_v1 = zeroed();
    none.struct_size = size_of::<bench_stream_v1>() as u32;
    let stream = if stream.is_null() { &none as *const _ } else { stream };

    let repeatable = callable.flags & BENCH_CALLABLE_REPEATABLE != 0;
    let warmup = u64::from(params.warmup_launches);
    let mut called = false;
    let mut status = BENCH_OK;
    for at in 0..warmup + u64::from(params.max_samples) {
        let timed = at >= warmup;
        if timed && params.should_stop.is_some_and(|stop| stop(params.should_stop_user) != 0) {
            status = fail(error, BENCH_ERROR_CANCELLED, "do_bench", "should_stop said so");
            break;
        }
        if params.deadline_ns != 0 && now_ns() >= params.deadline_ns {
            status = fail(error, BENCH_ERROR_TIMEOUT, "do_bench", "the deadline passed");
            break;
        }
        if let (Some(prepare), true) = (callable.prepare, !repeatable || at == 0) {
            called = true;
            status = prepare(callable.user, config, stream, error);
        }
        let start = now_ns();
        if status == BENCH_OK {
            called = true;
            status = launch(callable.user, config, stream, error);
        }
        if let (Some(wait), BENCH_OK) = (callable.wait, status) {
            status = wait(callable.user, config, stream, error);
        }
        let end = now_ns();
        if status != BENCH_OK {
            result.flags |= BENCH_RESULT_FROM_CALLBACK;
            break;
        }
        if !timed {
            continue;
        }
        if result.written < result.capacity {
            *result.samples.add(result.written as usize) = bench_sample_v1 {
                elapsed_ns: (end - start) as f64,
                start_ns: start,
                end_ns: end,
                launches: 1,
                flags: if end > start { 0 } else { BENCH_SAMPLE_ZERO },
            };
            result.written += 1;
        }
        result.taken += 1;
    }
    if let (Some(restore), true, true) = (callable.restore, called, status != BENCH_ERROR_DEVICE_LOST) {
        // The first failure's status and text win over those of the restore after it.
        let restored = restore(callable.user, config, stream, if status == BENCH_OK { error } else { null_mut() });
        if status == BENCH_OK && restored != BENCH_OK {
            result.flags |= BENCH_RESULT_FROM_CALLBACK;
            status = restored;
        }
    }
    status
}
