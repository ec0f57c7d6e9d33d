/* SPDX-License-Identifier: Apache-2.0
 *
 * Optional helpers for plugins written in C: errors filled by the rules of plugin_v1.h, and a
 * do_bench by the host's clock that keeps them. Header-only, C11 and C++11, nothing to link. C++:
 * see plugin.hpp.
 */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

/* -std=c11 hides clock_gettime() otherwise; it counts before the first system header only. */
#if !defined(__cplusplus) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <bench/plugin_v1_layout.h>
#include <string.h>
#include <time.h>
#ifndef CLOCK_MONOTONIC
#error "include bench/plugin.h before system headers, or define _POSIX_C_SOURCE=200809L"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `error`, which may be NULL, and returns `status`: `return bench_fail(error,
 * BENCH_ERROR_NO_DEVICE, ...)`. */
static inline bench_status bench_fail(bench_error_v1 *error, bench_status status, const char *where,
                                      const char *what, const char *hint) {
  if (!error || error->struct_size < BENCH_SIZE_1_0_ERROR) return status;
  error->status = status;
  error->vendor_code = 0;
  error->vendor_name[0] = 0;
  error->where[0] = error->what[0] = error->hint[0] = 0;
  strncat(error->where, where, sizeof error->where - 1);
  strncat(error->what, what, sizeof error->what - 1);
  strncat(error->hint, hint, sizeof error->hint - 1);
  return status;
}

/* Copies what you filled into the caller's struct, which is of its own size. */
static inline bench_status bench_store_info(bench_device_info_v1 *target,
                                            const bench_device_info_v1 *full,
                                            bench_error_v1 *error) {
  const uint32_t size = target->struct_size;
  if (size < BENCH_SIZE_1_0_DEVICE_INFO)
    return bench_fail(error, BENCH_ERROR_INVALID_ARGUMENT, "device_info",
                      "info is below its 1.0 size",
                      "set struct_size to sizeof(bench_device_info_v1)");
  memcpy(target, full, size < sizeof *full ? size : sizeof *full);
  target->struct_size = size;
  return BENCH_OK;
}

static inline int64_t bench_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

/* What do_bench must refuse before any callback. */
static inline bench_status bench_check_request(const bench_stream_v1 *stream,
                                               const bench_callable_v1 *callable,
                                               const bench_params_v1 *params,
                                               const bench_result_v1 *result,
                                               bench_error_v1 *error) {
  if ((stream && stream->struct_size < BENCH_SIZE_1_0_STREAM) ||
      callable->struct_size < BENCH_SIZE_1_0_CALLABLE ||
      params->struct_size < BENCH_SIZE_1_0_PARAMS)
    return bench_fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench",
                      "a struct is below its 1.0 size",
                      "set every struct_size to sizeof of its struct");
  if (callable->required || params->required || params->cache > BENCH_CACHE_COLD ||
      (stream && (stream->kind > BENCH_STREAM_PLUGIN_OWNED || stream->class_kind)))
    return bench_fail(error, BENCH_ERROR_UNSUPPORTED, "do_bench",
                      "something that 1.0 does not know is asked for", "ask without it");
  if (!callable->launch || !params->max_samples || params->min_samples > params->max_samples ||
      (result->capacity && !result->samples))
    return bench_fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench",
                      "no launch, max_samples 0 or below min_samples, or no buffer for the samples",
                      "see do_bench in plugin_v1.h");
  return BENCH_OK;
}

/* do_bench by the host's clock around single launches, after your own check of the device.
 * `synchronize` blocks until the device's work is done; NULL where launches run on the calling
 * thread. It cannot flush: cold samples are marked CACHE_UNPROVEN. */
static inline bench_status bench_host_do_bench(
    bench_status (*synchronize)(void *user, bench_error_v1 *error), void *user,
    const bench_stream_v1 *stream, const bench_callable_v1 *callable, const bench_config_v1 *config,
    const bench_params_v1 *params, bench_result_v1 *result, bench_error_v1 *error) {
  const int repeatable = (callable->flags & BENCH_CALLABLE_REPEATABLE) != 0;
  bench_stream_v1 none;
  bench_status status;
  uint64_t at, warmup, end;
  int called = 0;
  if (result->struct_size < BENCH_SIZE_1_0_RESULT)
    return bench_fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench",
                      "result is below its 1.0 size", "set struct_size to sizeof(bench_result_v1)");
  result->written = result->taken = result->flags = 0;
  status = bench_check_request(stream, callable, params, result, error);
  if (status != BENCH_OK) return status;
  memset(&none, 0, sizeof none);
  none.struct_size = sizeof none;
  if (!stream) stream = &none;
  result->method = BENCH_METHOD_HOST;
  result->resolution_ns = 1; /* CLOCK_MONOTONIC counts nanoseconds */
  result->floor_ns = 0;
  result->flush_bytes = 0;
  result->note[0] = 0;
  if (params->cache == BENCH_CACHE_COLD) result->flags |= BENCH_RESULT_CACHE_UNPROVEN;

  warmup = params->warmup_launches;
  end = warmup + params->max_samples;
  for (at = 0; at < end; ++at) {
    const int timed = at >= warmup;
    int64_t start, stop;
    if (timed && params->should_stop && params->should_stop(params->should_stop_user)) {
      status = bench_fail(error, BENCH_ERROR_CANCELLED, "do_bench", "should_stop said so",
                          "the samples written are good");
      break;
    }
    if (params->deadline_ns && bench_now_ns() >= params->deadline_ns) {
      status = bench_fail(error, BENCH_ERROR_TIMEOUT, "do_bench", "the deadline passed",
                          "the samples written are good");
      break;
    }
    if (callable->prepare && (!repeatable || at == 0)) {
      called = 1;
      status = callable->prepare(callable->user, config, stream, error);
    }
    if (status == BENCH_OK && synchronize) {
      /* What prepare enqueued is not part of the window. */
      status = synchronize(user, error);
      if (status != BENCH_OK) break;
    }
    start = bench_now_ns();
    if (status == BENCH_OK) {
      called = 1;
      status = callable->launch(callable->user, config, stream, error);
      if (status == BENCH_OK && callable->wait)
        status = callable->wait(callable->user, config, stream, error);
    }
    if (status != BENCH_OK) {
      result->flags |= BENCH_RESULT_FROM_CALLBACK;
      break;
    }
    if (synchronize && (status = synchronize(user, error)) != BENCH_OK) break;
    stop = bench_now_ns();
    if (!timed) continue;
    if (result->written < result->capacity) {
      bench_sample_v1 *sample = &result->samples[result->written++];
      sample->elapsed_ns = (double)(stop - start);
      sample->start_ns = start;
      sample->end_ns = stop;
      sample->launches = 1;
      sample->flags = stop > start ? 0u : BENCH_SAMPLE_ZERO;
    }
    ++result->taken;
  }
  if (callable->restore && called && status != BENCH_ERROR_DEVICE_LOST) {
    /* The first failure's status and text win over those of the restore after it. */
    const bench_status restored =
        callable->restore(callable->user, config, stream, status == BENCH_OK ? error : NULL);
    if (status == BENCH_OK && restored != BENCH_OK) {
      result->flags |= BENCH_RESULT_FROM_CALLBACK;
      status = restored;
    }
    if (synchronize) {
      const bench_status ended = synchronize(user, status == BENCH_OK ? error : NULL);
      if (status == BENCH_OK) status = ended;
    }
  }
  return status;
}

#ifdef __cplusplus
}
#endif
#endif
