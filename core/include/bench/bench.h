/* SPDX-License-Identifier: Apache-2.0
 *
 * The embedders' C API of libbench.so. C++ users include bench.hpp, which wraps this file.
 *
 *   bench_context *context;                              finds plugins, opens nothing yet
 *   bench_tuner *tuner;                                  one per kernel: configurations, key
 *   bench_tuner_lookup(tuner, arguments, n, &call, &index, &error);   hit: the choice; cold: tunes
 *   ... launch configuration `index` yourself ...
 *
 * The rules of plugin_v1.h hold here too: struct_size first, append-only, caller-owned errors, no
 * exception, no output. In addition:
 *  - Every function may be called from any thread unless its comment says otherwise.
 *  - An embedder's process starts no driver before its first tune, measurement or device listing.
 *  - In a child made by fork(), lookups of tuned keys work; what needs a device returns
 *    BENCH_ERROR_UNSUPPORTED.
 *  - `error` may be NULL.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <bench/plugin_v1.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BENCH_BUILD_LIBRARY) && defined(__GNUC__)
#define BENCH_API __attribute__((visibility("default")))
#else
#define BENCH_API
#endif

/* Statuses of this header, beside those of plugin_v1.h. */
#define BENCH_ERROR_NO_VALID_CONFIG \
  (-16)                             /* every configuration failed: the message counts reasons */
#define BENCH_ERROR_NOT_TUNED (-17) /* cold key and no way to tune it in this call */

/* "0.1.0". */
BENCH_API const char *bench_version(void);
/* Constant name of a status, "out-of-resources"; unknown values are "internal". */
BENCH_API const char *bench_status_name(bench_status status);

/* ---- Context: where plugins come from, where results go ----------------------------------------
 */
typedef struct bench_context bench_context;

#define BENCH_CONTEXT_IGNORE_ENVIRONMENT 1u /* no BENCH_* variable is read */
#define BENCH_CONTEXT_ALLOW_WORLD_WRITABLE \
  2u                              /* load plugins that anybody may replace (containers) */
#define BENCH_CONTEXT_NO_STORE 4u /* keep no result beyond this context */
#define BENCH_CONTEXT_NOTES_ONLY \
  8u /* run no plugin's code: list them by their ELF notes; no device is usable */

typedef struct bench_context_options_v1 {
  uint32_t struct_size;
  uint32_t flags;                  /* BENCH_CONTEXT_* */
  const char *const *plugin_paths; /* plugin_path_count files or folders, searched first */
  uint32_t plugin_path_count;
  uint32_t reserved;
  const char *store_path; /* file of the store; NULL = $BENCH_STORE or the user's cache folder */
  void (*log)(void *user, uint32_t level, const char *message); /* or NULL; from any thread */
  void *log_user;
} bench_context_options_v1;

/* `options` may be NULL. */
BENCH_API bench_status bench_context_create(const bench_context_options_v1 *options,
                                            bench_context **context, bench_error_v1 *error);
/* After all tuners of the context; NULL is allowed. */
BENCH_API void bench_context_destroy(bench_context *context);

/* ---- Devices and plugins -----------------------------------------------------------------------
 */
/* "cuda:0", "cpu" (id 0), aliases too. Types of classes without a DLPack number are interned: valid
 * in this process only. */
BENCH_API bench_status bench_device_parse(bench_context *context, const char *text,
                                          bench_device_v1 *device, bench_error_v1 *error);
BENCH_API bench_status bench_device_info(bench_context *context, bench_device_v1 device,
                                         bench_device_info_v1 *info, bench_error_v1 *error);
/* Array of {tag, class, name, plugin, state, reason}. */
BENCH_API bench_status bench_devices_json(bench_context *context, const bench_writer_v1 *writer,
                                          bench_error_v1 *error);
/* Array of {path, classes, state, code, reason, ...}; with `story` an object {plugins, story} whose
 * lines {code, path, what, hint} tell where was looked, what was found and what was skipped, in
 * order. */
BENCH_API bench_status bench_plugins_json(bench_context *context, uint32_t story,
                                          const bench_writer_v1 *writer, bench_error_v1 *error);

/* ---- Arguments and dispatch --------------------------------------------------------------------
 */
typedef struct bench_argument_v1 {
  uint32_t struct_size;
  uint32_t kind;      /* BENCH_ARGUMENT_* */
  uint32_t role;      /* BENCH_ROLE_*; 0 = IN */
  uint8_t dtype_code; /* TENSOR and scalars: DLPack's DLDataType */
  uint8_t dtype_bits;
  uint16_t dtype_lanes;
  int64_t integer;          /* INTEGER, BOOLEAN */
  double real;              /* REAL */
  const char *text;         /* TEXT */
  void *data;               /* TENSOR */
  bench_device_v1 device;   /* TENSOR: DLPack's pair */
  const char *device_class; /* TENSOR: class by name; wins over device.type; NULL = by type */
  const int64_t *shape;     /* TENSOR: `rank` extents; rank 0 = a 0-d tensor */
  const int64_t *strides;   /* `rank` strides in elements; NULL = compact row-major */
  uint64_t byte_offset;     /* of the first element */
  uint32_t rank;
  uint32_t reserved;
} bench_argument_v1;

#define BENCH_ARGUMENT_NONE 0u /* absent (a null in the framework); never votes */
#define BENCH_ARGUMENT_INTEGER 1u
#define BENCH_ARGUMENT_REAL 2u
#define BENCH_ARGUMENT_BOOLEAN 3u
#define BENCH_ARGUMENT_TEXT 4u
#define BENCH_ARGUMENT_TENSOR 5u

#define BENCH_ROLE_IN 1u
#define BENCH_ROLE_OUT 2u
#define BENCH_ROLE_INOUT 3u

/* The device that `arguments` live on. All device tensors on one device: that one. Scalars, absent
 * arguments and 0-d host tensors do not vote; pinned and managed memory votes for its class only.
 * Two devices, a host tensor beside a device's, or no tensor at all: BENCH_ERROR_INVALID_ARGUMENT
 * with one line per argument, unless `device_name` ("cuda:0") is given. Never another device than
 * named. */
BENCH_API bench_status bench_dispatch(bench_context *context,
                                      const bench_argument_v1 *const *arguments, uint32_t count,
                                      const char *device_name, bench_device_v1 *device,
                                      bench_error_v1 *error);

/* ---- Measuring ---------------------------------------------------------------------------------
 */
#define BENCH_POLICY_BACK_TO_BACK 0u  /* hot; a window may hold several launches */
#define BENCH_POLICY_ISOLATED_HOT 1u  /* hot; each window is one launch */
#define BENCH_POLICY_ISOLATED_COLD 2u /* last-level cache flushed before each launch */

typedef struct bench_policy_v1 {
  uint32_t struct_size;
  uint32_t kind;              /* BENCH_POLICY_* */
  uint32_t engine;            /* 1 = the core's engine also where the plugin has its own do_bench */
  uint32_t max_samples;       /* 0 = default (1000) */
  double relative_half_width; /* stop when the median's interval is this narrow; 0 = 0.005 */
  int64_t max_time_ns;        /* per measurement; 0 = default (200 ms) */
  uint32_t method;            /* BENCH_METHOD_EVENT, _GATE, _GRAPH or _PROFILER; 0 = the best that plugin and
                               * callable permit. One that is not to be had: BENCH_ERROR_UNSUPPORTED */
  uint32_t reserved;
  /* since 0.2 */
  int32_t (*should_stop)(void *user); /* or NULL. bench_do_bench: not 0 ends it, BENCH_ERROR_CANCELLED where
                                       * there is no sample yet. A tuner asks its call's callbacks */
  void *should_stop_user;
} bench_policy_v1;

/* All times per launch, in ns. Absent numbers are NaN here and null in JSON. */
typedef struct bench_measurement_v1 {
  uint32_t struct_size;
  uint32_t method; /* BENCH_METHOD_* */
  uint32_t flags;  /* BENCH_RESULT_* */
  uint32_t launches_per_window;
  uint64_t samples;       /* windows */
  double median_ns;       /* over windows; of window averages when launches_per_window > 1 */
  double interval_low_ns; /* 95 % interval of the median, valid at the moment of stopping */
  double interval_high_ns;
  double minimum_ns;
  double maximum_ns;
  double p20_ns;
  double p80_ns;
  double resolution_ns;
  double floor_ns; /* an empty window; not subtracted */
  uint64_t flush_bytes;
  char stop_reason[32];
  char note[256];
  /* since 0.2 */
  double mean_ns;
  double *samples_ns;       /* in: room for the windows' times per launch, in order; or NULL */
  uint64_t sample_capacity; /* in */
  uint64_t sample_count;    /* written to samples_ns */
} bench_measurement_v1;

/* Measures `callable` on `device`, by the plugin's default do_bench or the core's engine. `stream`,
 * `config`, `policy` may be NULL. Callbacks run on the calling thread. */
BENCH_API bench_status bench_do_bench(bench_context *context, bench_device_v1 device,
                                      const bench_stream_v1 *stream,
                                      const bench_callable_v1 *callable,
                                      const bench_config_v1 *config, const bench_policy_v1 *policy,
                                      bench_measurement_v1 *measurement, bench_error_v1 *error);

/* ---- Tuner: one kernel, a list of configurations, choices by key -------------------------------
 */
typedef struct bench_tuner bench_tuner;

typedef struct bench_tuner_options_v1 {
  uint32_t struct_size;
  uint32_t config_count;                 /* at least 1 */
  const char *name;                      /* identifies the kernel in the store, with its version */
  const bench_config_v1 *const *configs; /* copied; `index` is set to the position */
  const char *const *argument_names;     /* argument_count names, declaration order */
  const char *const *key_names; /* key_count of them: whose values (tensors: shapes) choose;
                                 * an unknown name is BENCH_ERROR_INVALID_ARGUMENT */
  uint32_t argument_count;
  uint32_t key_count;
  uint32_t default_config;       /* always races; left only for a proven gain */
  uint32_t flags;                /* BENCH_TUNER_* */
  const bench_policy_v1 *policy; /* or NULL */
  const char *device_name;       /* forces the device; or NULL */
  double eps;                    /* ties are this close; 0 = 0.01 */
  double delta;                  /* chance of a wrong elimination; 0 = 0.05 */
  double switch_margin;          /* gain over the default worth leaving it; 0 = 0.01 */
  int64_t max_time_ns;           /* per tune; 0 = none */
  /* since 0.2 */
  uint32_t mode;                    /* BENCH_TUNER_MODE_* */
  uint32_t pinned_config;           /* MODE_PINNED: the position that every lookup gives */
  const uint32_t *key_buckets;      /* key_count of BENCH_BUCKET_*; NULL = exact values */
  const char *const *restore_names; /* restore_count arguments that a launch changes and that are put
                                     * back before each window and after the tune: as if their role
                                     * were INOUT */
  const char *const *zero_names;    /* zero_count arguments that are zeroed before each window and
                                     * once after the tune */
  uint32_t restore_count;
  uint32_t zero_count;
  uint32_t top_count;         /* of the callback `estimate`: so many of the cheapest race */
  uint32_t reserved;
  double top_fraction;        /* or this part of them, rounded down, at least one; both 0 = all */
  uint64_t saved_bytes_limit; /* device memory for copies of arguments; what goes beyond is kept in host
                               * memory. 0 = as much as the device gives */
  double tolerance;           /* CHECK_OUTPUTS: relative to the larger of element and root mean square;
                               * 0 = by data type. Integers are compared exactly */
} bench_tuner_options_v1;

#define BENCH_TUNER_NO_STORE 1u /* results of this tuner stay in memory */
/* Outputs (roles OUT and INOUT) of every configuration are compared with the default's before it may
 * race; a wrong one cannot win. */
#define BENCH_TUNER_CHECK_OUTPUTS 2u
/* Threads that miss a key which another one is tuning take the default instead of waiting. */
#define BENCH_TUNER_NO_WAIT 4u
/* A cold key while the stream is being recorded is BENCH_ERROR_BUSY. Without the flag it is the default's
 * index, and the key stays cold. */
#define BENCH_TUNER_CAPTURE_IS_ERROR 8u
/* Looks (by samples of their bytes) for tensors without a role that every launch changes, and warns by
 * name: their contents after a tune are not those of before. */
#define BENCH_TUNER_WATCH_ARGUMENTS 16u

#define BENCH_TUNER_MODE_FULL 0u        /* a cold key is tuned in the call that meets it */
#define BENCH_TUNER_MODE_INCREMENTAL 1u /* each call races one more configuration against the best so
                                         * far, which it returns: no call is long */
#define BENCH_TUNER_MODE_CACHED_ONLY 2u /* the store's choice, else the default: nothing is measured */
#define BENCH_TUNER_MODE_PINNED 3u      /* always pinned_config: no store, no device, no key */

#define BENCH_BUCKET_EXACT 0u
#define BENCH_BUCKET_POWER_OF_TWO 1u /* integers and extents, rounded up */

BENCH_API bench_status bench_tuner_create(bench_context *context,
                                          const bench_tuner_options_v1 *options,
                                          bench_tuner **tuner, bench_error_v1 *error);
BENCH_API void bench_tuner_destroy(bench_tuner *tuner);

/* What a tune asks its caller, on the calling thread; each may be NULL. Since 0.2. */
typedef struct bench_tune_callbacks_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  /* Clears `keep[i]` of the configurations that cannot be good for these arguments: they end as
   * "pruned". Keeping none is BENCH_ERROR_NO_VALID_CONFIG. A failure ends the tune. */
  bench_status (*prune)(void *user, uint8_t *keep, uint64_t config_count, bench_error_v1 *error);
  /* A model's cost of one configuration, in any unit: the cheapest top_count or top_fraction race.
   * A cost that is not finite prunes. */
  bench_status (*estimate)(void *user, const bench_config_v1 *config, double *cost,
                           bench_error_v1 *error);
  bench_callback_v1 pre_hook;  /* before every launch of the tune, outside the timed window */
  bench_callback_v1 post_hook; /* after it and outside too, before the next launch or the end; also
                                * after a launch that failed */
  int32_t (*should_stop)(void *user); /* not 0: the tune ends with BENCH_ERROR_CANCELLED. Asked between
                                       * visits, and while another thread's tune is waited for */
} bench_tune_callbacks_v1;

/* How to run one configuration with the arguments of the present call. */
typedef struct bench_call_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  const bench_callable_v1 *callable; /* launch gets the configuration, whose index says which */
  const bench_stream_v1 *stream;     /* or NULL */
  const bench_tune_callbacks_v1 *callbacks; /* or NULL; since 0.2 */
} bench_call_v1;

/* The configuration for these arguments. Tuned key: at once, without lock, allocation or system
 * call. Cold key: tunes with `call` (other threads with the same key wait), or
 * BENCH_ERROR_NOT_TUNED with `index` set to the default if `call` is NULL. A cold key inside a callback
 * that is being measured gives the default and stays cold. `arguments` in declaration order. */
BENCH_API bench_status bench_tuner_lookup(bench_tuner *tuner,
                                          const bench_argument_v1 *const *arguments, uint32_t count,
                                          const bench_call_v1 *call, uint64_t *index,
                                          bench_error_v1 *error);
/* lookup, then one launch of the choice on the call's stream. */
BENCH_API bench_status bench_tuner_run(bench_tuner *tuner,
                                       const bench_argument_v1 *const *arguments, uint32_t count,
                                       const bench_call_v1 *call, bench_error_v1 *error);
/* Settles a cold key without measuring: for choices that come from elsewhere, another rank say.
 * BENCH_ERROR_BUSY where the key is tuned already, with another configuration. Since 0.2. */
BENCH_API bench_status bench_tuner_choose(bench_tuner *tuner,
                                          const bench_argument_v1 *const *arguments, uint32_t count,
                                          uint64_t index, bench_error_v1 *error);
/* What was decided for the key of these arguments and why: {winner, tie_set, default, gain,
 * interval, states, stop_reason, from_store, notes, warnings, configurations}. BENCH_ERROR_NOT_TUNED for a cold key.
 */
BENCH_API bench_status bench_tuner_report_json(bench_tuner *tuner,
                                               const bench_argument_v1 *const *arguments,
                                               uint32_t count, const bench_writer_v1 *writer,
                                               bench_error_v1 *error);

/* ---- Problem files -----------------------------------------------------------------------------
 */
typedef struct bench_problem_progress_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  const char *phase; /* "compile", "verify", "race" */
  uint64_t done;
  uint64_t total;      /* 0 = unknown */
  double remaining_s;  /* estimate; negative = unknown */
  const char *message; /* one line for people, or NULL */
} bench_problem_progress_v1;

#define BENCH_PROBLEM_DRY_RUN \
  1u                           /* reads, counts and chooses the device; compiles and runs nothing */
#define BENCH_PROBLEM_FRESH 2u /* ignores stored results (still keeps the new ones) */
#define BENCH_PROBLEM_NO_STORE 4u /* neither reads nor writes the store */
/* bench_problem_run: also joules per launch, two seconds more. bench_problem_tune: the configuration that takes
 * the least energy is sought, not the quickest; x-bench.objective is then "energy", and each candidate that was
 * measured has joules_per_launch. Half a second a visit; needs a device with an energy counter of its own. */
#define BENCH_PROBLEM_ENERGY 8u

typedef struct bench_problem_options_v1 {
  uint32_t struct_size;
  uint32_t flags;          /* BENCH_PROBLEM_* */
  const char *device_name; /* NULL = the first usable device whose plugin compiles the language */
  const bench_policy_v1 *policy; /* or NULL */
  double eps;                    /* as in the tuner */
  double delta;
  double switch_margin;
  int64_t max_time_ns;          /* of the whole tune; 0 = none */
  int64_t candidate_timeout_ns; /* a candidate that runs longer is killed; 0 = 10 s */
  uint32_t compile_jobs;        /* 0 = the number of usable cores */
  uint32_t pin_core;            /* class cpu: 0 = not pinned, n = candidates run on core n - 1 */
  void (*progress)(void *user,
                   const bench_problem_progress_v1 *progress); /* or NULL; caller's thread */
  int32_t (*should_stop)(void *user); /* or NULL; other than 0 ends with what was measured */
  void *user;
  uint64_t seed; /* of the race's order; 0 = 1 */
  const char *strategy; /* how a space too large to try out is searched; NULL = "portfolio". An unknown name is
                         * answered with the list of names */
  uint64_t max_evaluations; /* of the search; 0 = the problem's Budget, else 512 */
  double lock_clock_hz; /* 0 = the clock is left alone. Else asks the device to keep it there while candidates run;
                         * it is given back however that ends. Needs rights on most devices */
} bench_problem_options_v1;

/* Tunes a T1 problem file in worker processes and writes the T4 document with its "x-bench" object.
 * A problem file is as trusted as a Makefile: its kernels run as this user. When nothing was valid
 * the document is written as well and the status is BENCH_ERROR_NO_VALID_CONFIG. */
BENCH_API bench_status bench_problem_tune(bench_context *context, const char *path,
                                          const bench_problem_options_v1 *options,
                                          const bench_writer_v1 *document, bench_error_v1 *error);
/* Measures one configuration, given as "name=value,..." (missing names: the default's values).
 * Writes {configuration, device, measurement, verified}. */
BENCH_API bench_status bench_problem_run(bench_context *context, const char *path,
                                         const char *configuration,
                                         const bench_problem_options_v1 *options,
                                         const bench_writer_v1 *document, bench_error_v1 *error);

/* ---- Worker entry ------------------------------------------------------------------------------
 */
/* Main function of the bench-worker program that lies beside the library: serves one tune over
 * descriptor `descriptor` until it is closed. Not for embedders. */
BENCH_API int32_t bench_worker_main(int32_t descriptor);

#ifdef __cplusplus
}
#endif
#endif
