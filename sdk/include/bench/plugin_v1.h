/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_plugin_v1: the C ABI between the bench core and a vendor's `libbench_<device>.so`.
 *
 * A plugin exports ONE symbol, the function bench_plugin_v1() declared at the end of this file.
 * The smallest plugin (tier T0) fills eight members of bench_plugin_api_v1: struct_size, id, version,
 * classes, class_count, device_list, device_info and do_bench; all others may be zero. This file needs nothing but
 * <stddef.h> and <stdint.h>, and may be copied into a vendor's tree.
 *
 * Reading order: constants, device, error, stream, configuration, callable, measurement, device
 * information, host, plugin table, entry, note.
 *
 * RULES, for every struct and every call
 *  - Targets are 64-bit little-endian. Members are fixed-width integers, double, pointers and char
 *    arrays; padding is explicit. Whoever fills a struct sets reserved members to zero; whoever
 *    reads one ignores reserved members and bits of `flags` that it does not know. An unknown bit of
 *    a `required` member, or an unknown value of a kind, cache, mode, direction or type member, is
 *    BENCH_ERROR_UNSUPPORTED, before any callback or other effect: it asks for what must not be
 *    ignored.
 *  - struct_size comes first and is sizeof() as seen by whoever ALLOCATED the struct. A reader or
 *    writer touches only members that lie wholly below struct_size: ask BENCH_HAS(). A struct may be
 *    larger or smaller than you know; only one below its 1.0 size is BENCH_ERROR_INVALID_ARGUMENT
 *    (compare with the BENCH_SIZE_1_0_* constants of plugin_v1_layout.h, never with sizeof).
 *    Within major 1 members are appended, never moved; zero in an appended member means the
 *    behaviour before it was added. Frozen for ever, and so without struct_size: bench_device_v1
 *    and bench_sample_v1.
 *  - "Out" structs: the caller sets struct_size, fills members marked "in" and zeroes the rest; the callee
 *    never writes struct_size. Other out parameters are stored, never ORed into; after a failure they
 *    are unspecified, but handles are NULL. A count may exceed the capacity given: that is BENCH_OK.
 *  - Strings are UTF-8 and NUL-terminated. char arrays are always NUL-terminated by who fills them,
 *    cut at a whole code point.
 *  - Ownership: what a plugin returns by pointer from the api table is constant for the life of
 *    the process. What the caller passes is valid during the call only; a plugin keeps no copy of
 *    such a pointer after it returns, except `host` between open() and close(). Handles, streams and
 *    memory belong to the instance that made them; destroy, free and unload accept NULL, and objects
 *    whose work is still pending.
 *  - `stream` is never NULL or of kind NONE, except in do_bench. A PLUGIN_OWNED stream's handle may be NULL.
 *  - Status: BENCH_OK or a negative code. Codes of later minors that you do not know: -100..-199 act as
 *    CONFIG_REJECTED, -200..-299 as UNSUPPORTED, -300..-399 as NO_DEVICE, -400..-499 as DEVICE_LOST, all
 *    others, positive ones too, as INTERNAL.
 *  - `error` may be NULL. It is written on failure only, all members that struct_size covers; on success it
 *    is left as it was.
 *  - No exception crosses; no output to descriptors 1 and 2; no exit; no change to the process or
 *    thread that outlives the call (floating-point mode, signals, locale, directory, environment,
 *    current device, stream-capture mode). The driver is opened at run time (dlopen), never linked.
 *
 * PHASES, named in the comment of each function
 *  [entry]   pure: no driver, thread, I/O or lock; any thread, any number of times.
 *  [open]    serialised per instance; starts no driver, thread or I/O.
 *  [list]    may start the driver, creates no device context; calls are serialised per instance.
 *  [device]  one thread at a time per device and instance; other devices may run beside it.
 *  [timed]   as [device], inside a measured window: no allocation, lock, log or system call beyond
 *            the submission itself.
 *  [any]     any thread at any time between open and close, also beside [device] and [timed] calls.
 * Two cores in one process do not serialise against each other: a plugin may be entered at once through two
 * instances, and through two threads with the NULL instance. State shared between instances needs the
 * plugin's own lock, which is never held over a callback.
 * In a child made by fork() after the first [list] or [device] call of any instance, [list], [device] and
 * [timed] functions return BENCH_ERROR_UNSUPPORTED without touching the driver; [any] functions still work;
 * destroy functions and close are not called. Before that first call a child is as good as new.
 * After BENCH_ERROR_DEVICE_LOST only destroy, free, unload and close are called; they must not block.
 *
 * CALLBACKS of a callable are made with no lock of the plugin held. They may call, for the same instance and
 * device, every function except do_bench, close, device_list, and the destruction of what is in use; from
 * launch only [timed] ones. During a callback the thread's current device, context and capture mode are those
 * at entry to do_bench.
 */
#ifndef BENCH_PLUGIN_V1_H
#define BENCH_PLUGIN_V1_H

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX != 0xffffffffffffffffu
#error "bench_plugin_v1 is defined for 64-bit targets only"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bench_plugin_v1 is defined for little-endian targets only"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this header. The major is also the suffix of the entry symbol. */
#define BENCH_ABI_MAJOR 1
#define BENCH_ABI_MINOR 0

/* Does the struct behind pointer `p` contain `member`? Looks at its struct_size only. */
#define BENCH_HAS(p, member)                                                                       \
  (*(const uint32_t *)(const void *)(p) >=                                                         \
   offsetof(__typeof__(*(p)), member) + sizeof((p)->member))

#if defined(__GNUC__)
#define BENCH_EXPORT __attribute__((visibility("default")))
#else
#define BENCH_EXPORT
#endif

/* ---- Status ----------------------------------------------------------------------------------
 * Chosen by what the caller does next, which stands behind each code. */
typedef int32_t bench_status;
#define BENCH_OK 0
#define BENCH_ERROR_CONFIG_REJECTED (-1)  /* cannot run as configured: prune it, no fault */
#define BENCH_ERROR_OUT_OF_RESOURCES (-2) /* registers, shared or device memory: prune it, count it */
#define BENCH_ERROR_COMPILE_FAILED (-3)   /* prune it, show the log */
#define BENCH_ERROR_CALLABLE_FAILED (-4)  /* the caller's own callback failed */
#define BENCH_ERROR_UNSUPPORTED (-5)      /* absent here: take the generic way */
#define BENCH_ERROR_NO_DRIVER (-6)        /* skip the plugin, show the reason */
#define BENCH_ERROR_NO_DEVICE (-7)        /* skip the plugin, show the reason */
#define BENCH_ERROR_NO_PERMISSION (-8)    /* tell the user which right is missing */
#define BENCH_ERROR_BUSY (-9)             /* held by another: try later or step down */
#define BENCH_ERROR_TIMEOUT (-10)         /* deadline passed: samples already written are good */
#define BENCH_ERROR_CANCELLED (-11)       /* should_stop said so: samples already written are good */
#define BENCH_ERROR_DEVICE_LOST (-12)     /* context is dead: only a new process helps */
#define BENCH_ERROR_INVALID_ARGUMENT (-13) /* the caller's mistake */
#define BENCH_ERROR_INCOMPATIBLE (-14)    /* versions or architecture do not fit */
#define BENCH_ERROR_INTERNAL (-15)        /* the callee's mistake */

/* ---- Device ----------------------------------------------------------------------------------
 * Bit for bit a DLPack DLDevice. Frozen. The class NAME ("cpu", "cuda", "hip", "xpu", or a vendor's
 * own, such as "npu") identifies a class in stores and files; numbers only travel in calls.
 * A class that has no DLPack number uses BENCH_DEVICE_EXT between the core and its own plugin (numbers that a
 * core interns for such classes never reach a plugin), and the ids of one plugin's EXT devices are distinct
 * across its classes. */
typedef struct bench_device_v1 {
  int32_t type; /* DLPack device type of the class, see below */
  int32_t id;   /* exactly what the class's runtime and frameworks put into DLDevice.device_id in THIS
                 * process, after visibility variables (CUDA: the runtime's ordinal). Need not be
                 * contiguous; never negative. The uuid identifies a device, the id does not. */
} bench_device_v1;

#define BENCH_DEVICE_CPU 1
#define BENCH_DEVICE_CUDA 2
#define BENCH_DEVICE_CUDA_HOST 3
#define BENCH_DEVICE_OPENCL 4
#define BENCH_DEVICE_VULKAN 7
#define BENCH_DEVICE_METAL 8
#define BENCH_DEVICE_VPI 9
#define BENCH_DEVICE_ROCM 10
#define BENCH_DEVICE_ROCM_HOST 11
#define BENCH_DEVICE_EXT 12
#define BENCH_DEVICE_CUDA_MANAGED 13
#define BENCH_DEVICE_ONEAPI 14
#define BENCH_DEVICE_WEBGPU 15
#define BENCH_DEVICE_HEXAGON 16
#define BENCH_DEVICE_MAIA 17
#define BENCH_DEVICE_TRAINIUM 18

/* ---- Error -----------------------------------------------------------------------------------
 * The caller's, usually on its stack. Three texts: what happened, where, what to do about it. */
typedef struct bench_error_v1 {
  uint32_t struct_size;
  bench_status status;
  int64_t vendor_code;   /* the driver's own code, 0 if none */
  char vendor_name[64];  /* its name, e.g. "CUDA_ERROR_OUT_OF_MEMORY" */
  char where[64];        /* the failing function or step */
  char what[384];        /* what happened, with the values involved */
  char hint[192];        /* what to do about it */
} bench_error_v1;

/* Receives bytes of any length (logs, binaries). `write` is called on the calling thread, before
 * the function that took the writer returns; a negative status ends the writing and is returned. */
typedef struct bench_writer_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  void *user;
  bench_status (*write)(void *user, const void *bytes, uint64_t size);
} bench_writer_v1;

/* ---- Stream ----------------------------------------------------------------------------------
 * An ordered queue of a device's work. Passed by pointer. No numeric sentinels: the kind says what
 * is meant. */
typedef struct bench_stream_v1 {
  uint32_t struct_size;
  uint32_t kind;       /* BENCH_STREAM_* */
  uint32_t class_kind; /* what `handle` is; 0 = the class's usual object (CUstream, hipStream_t, a Level
                        * Zero immediate command list); another that is not known: UNSUPPORTED */
  uint32_t reserved;
  void *handle;        /* NATIVE, PLUGIN_OWNED: the queue; else NULL */
  void *context;       /* the context `handle` lives in, where the class needs it; else NULL */
  void *device_handle; /* the native device, where the class needs it; else NULL */
} bench_stream_v1;

#define BENCH_STREAM_NONE 0         /* no stream given: the callee makes a private one */
#define BENCH_STREAM_DEFAULT 1      /* the class's default (legacy) stream of that device */
#define BENCH_STREAM_PER_THREAD 2   /* the calling thread's default stream */
#define BENCH_STREAM_NATIVE 3       /* a framework's stream: `handle` */
#define BENCH_STREAM_PLUGIN_OWNED 4 /* from this plugin's stream_create */

/* ---- Configuration ---------------------------------------------------------------------------
 * One point of a tuning space. A framework finds its own object by `index` or `user`. */
typedef struct bench_value_v1 {
  uint32_t struct_size;
  uint32_t type;      /* BENCH_VALUE_* */
  int64_t integer;    /* INTEGER; BOOLEAN as 0 or 1 */
  double real;        /* REAL */
  const char *text;   /* TEXT, else NULL */
} bench_value_v1;

#define BENCH_VALUE_NONE 0
#define BENCH_VALUE_INTEGER 1
#define BENCH_VALUE_REAL 2
#define BENCH_VALUE_BOOLEAN 3
#define BENCH_VALUE_TEXT 4

typedef struct bench_config_v1 {
  uint32_t struct_size;
  uint32_t count;                      /* length of `names` and `values` */
  uint64_t index;                      /* position in the caller's list or space */
  uint64_t hash;                       /* of names and values; equal for equal configurations */
  void *user;                          /* the framework's own object, or NULL */
  const char *const *names;            /* count */
  const bench_value_v1 *const *values; /* count */
} bench_config_v1;

/* ---- Callable --------------------------------------------------------------------------------
 * The code to be timed. It never times itself: whoever runs the measurement does. All callbacks run
 * on the thread that called do_bench, and never after do_bench has returned. A status other than
 * BENCH_OK ends the measurement; do_bench returns it unchanged, with the error struct as the
 * callback filled it, and sets BENCH_RESULT_FROM_CALLBACK. `config` is the pointer given to do_bench and may
 * be NULL. do_bench returns, except after DEVICE_LOST, only when all work of its callbacks is complete. */
typedef bench_status (*bench_callback_v1)(void *user, const bench_config_v1 *config,
                                          const bench_stream_v1 *stream, bench_error_v1 *error);

typedef struct bench_callable_v1 {
  uint32_t struct_size;
  uint32_t flags;            /* BENCH_CALLABLE_* */
  uint32_t required;         /* what must not be ignored: none in 1.0 */
  uint32_t reserved;
  void *user;
  bench_callback_v1 launch;  /* [timed] enqueues the work, once, on `stream`; joins any other stream
                              * that it used into `stream` before it returns */
  bench_callback_v1 prepare; /* or NULL. Before EVERY window and warm-up launch (REPEATABLE: once before all
                              * warm-up), outside it, on `stream`: gives the arguments the contents that
                              * a launch expects; may block */
  bench_callback_v1 restore; /* or NULL. ONCE, after the last window, on `stream`, if prepare or launch was
                              * called at all, also after a failure (whose status then wins) but not
                              * after DEVICE_LOST: gives the caller's data the contents of before */
  bench_callback_v1 wait;    /* or NULL. Blocks until all work launched so far is done; for runtimes
                              * that queue launches themselves. Called after the last launch of a
                              * window, before the window's end is recorded */
} bench_callable_v1;

#define BENCH_CALLABLE_SYNCHRONOUS 1u /* launch returns only after the work is done */
#define BENCH_CALLABLE_CAPTURABLE 2u  /* launch may be captured into a graph */
#define BENCH_CALLABLE_REPEATABLE 4u  /* may be launched again without `prepare` between; without
                                       * this flag a window holds exactly one launch */
#define BENCH_CALLABLE_OWN_STREAM 8u  /* launch ignores `stream` and uses the stream that the caller
                                       * named to do_bench (then kind is not NONE) */

/* ---- Measurement ---------------------------------------------------------------------------- */

/* One timed window. Raw: statistics are the core's, so that every vendor's median is the same
 * median. Frozen, 32 bytes. */
typedef struct bench_sample_v1 {
  double elapsed_ns; /* of the whole window, NOT divided by `launches` */
  int64_t start_ns;  /* CLOCK_MONOTONIC when the window was submitted; 0 = unknown */
  int64_t end_ns;    /* CLOCK_MONOTONIC when it was known to be complete; 0 = unknown */
  uint32_t launches; /* in this window, at least 1 */
  uint32_t flags;    /* BENCH_SAMPLE_*: what is wrong with it; 0 = nothing known */
} bench_sample_v1;

#define BENCH_SAMPLE_NEGATIVE 1u      /* the timer ran backwards */
#define BENCH_SAMPLE_ZERO 2u          /* the timer saw no time pass */
#define BENCH_SAMPLE_WRAPPED 4u       /* the counter wrapped and was corrected */
#define BENCH_SAMPLE_THROTTLED 8u     /* the device lowered its clock meanwhile */
#define BENCH_SAMPLE_BELOW_FLOOR 16u  /* not longer than an empty window */
#define BENCH_SAMPLE_TIMER_COARSE 32u /* the window is under 1000 timer steps */
#define BENCH_SAMPLE_DISTURBED 64u    /* preempted, migrated, or another process on the device */

typedef struct bench_params_v1 {
  uint32_t struct_size;
  uint32_t required;            /* what must not be ignored: none in 1.0 */
  uint32_t cache;               /* BENCH_CACHE_* */
  uint32_t warmup_launches;     /* before the first sample, not recorded */
  uint32_t min_samples;         /* at most max_samples */
  uint32_t max_samples;         /* hard limit; at least 1; samples wanted, not launches */
  uint32_t launches_per_sample; /* 0 = the callee chooses; 1 = each sample is one launch. COLD, or a
                                 * callable that is not REPEATABLE: always 1 */
  uint32_t reserved;
  int64_t deadline_ns;          /* CLOCK_MONOTONIC, 0 = none. After it no new window starts; past at entry:
                                 * TIMEOUT without a callback */
  int32_t (*should_stop)(void *user); /* or NULL. Asked between samples, never within a window; other
                                       * than 0 = stop and return BENCH_ERROR_CANCELLED */
  void *should_stop_user;
} bench_params_v1;

#define BENCH_CACHE_HOT 0u  /* windows follow each other, caches as the last launch left them */
#define BENCH_CACHE_COLD 1u /* last-level cache flushed before each launch, outside the window */

typedef struct bench_result_v1 {
  uint32_t struct_size;
  uint32_t method;          /* out: BENCH_METHOD_* */
  bench_sample_v1 *samples; /* in: the caller's buffer */
  uint32_t capacity;        /* in: its length */
  uint32_t written;         /* out: samples stored, the first `capacity` of those taken */
  uint32_t taken;           /* out: samples taken */
  uint32_t flags;           /* out: BENCH_RESULT_* */
  double resolution_ns;     /* out: smallest step of the timer, 0 = unknown */
  double floor_ns;          /* out: what an empty window reads, 0 = unknown; not subtracted */
  uint64_t flush_bytes;     /* out: bytes touched by each flush, 0 = none */
  char note[256];           /* out: why the method was chosen or stepped down from; may be empty */
} bench_result_v1;

#define BENCH_METHOD_UNKNOWN 0
#define BENCH_METHOD_HOST 1     /* host clock around synchronised work */
#define BENCH_METHOD_EVENT 2    /* a pair of device events around the window */
#define BENCH_METHOD_GATE 3     /* events, the queue held until all is enqueued */
#define BENCH_METHOD_BATCH 4    /* events around several launches */
#define BENCH_METHOD_GRAPH 5    /* a captured graph of launches */
#define BENCH_METHOD_PROFILER 6 /* the vendor's activity records */

#define BENCH_RESULT_COARSE 1u           /* limits in params were not obeyed */
#define BENCH_RESULT_UNJOINED 2u         /* work went to a stream that was not joined */
#define BENCH_RESULT_STEPPED_DOWN 4u     /* a better method was tried and failed: see note */
#define BENCH_RESULT_NOTHING_ENQUEUED 8u /* the launches left no work on the stream */
#define BENCH_RESULT_HOST_BOUND 16u      /* the device waited for the host within windows */
#define BENCH_RESULT_CACHE_UNPROVEN 32u  /* cold was asked for and could not be shown */
#define BENCH_RESULT_FROM_CALLBACK 64u   /* the status is a callback's, not the plugin's own */

/* ---- Classes and devices --------------------------------------------------------------------- */

/* A class of devices that a plugin serves. Constant for the life of the process. */
typedef struct bench_class_v1 {
  uint32_t struct_size;
  int32_t device_type;            /* its DLPack number; BENCH_DEVICE_EXT if it has none */
  const char *name;               /* [a-z][a-z0-9_]{0,30}: identifies the class for ever */
  const char *const *aliases;     /* alias_count other names that users type */
  const int32_t *memory_types;    /* memory_type_count DLPack types of host memory that belongs to this
                                   * class (CUDA: 3 and 13): they vote for the class, not for an id */
  uint32_t alias_count;
  uint32_t memory_type_count;
} bench_class_v1;

typedef struct bench_device_info_v1 {
  uint32_t struct_size;
  bench_status state;        /* BENCH_OK: usable. Else why not, with `reason` */
  bench_device_v1 device;
  uint8_t uuid[16];          /* identifies the device across processes and boots; zero = none */
  char class_name[32];
  char name[128];            /* as the vendor calls it */
  char vendor[64];
  char architecture[64];     /* what code is compiled for, e.g. "sm_90", "gfx942" */
  char driver_version[64];
  char runtime_version[64];
  char bus_id[32];           /* e.g. "0000:65:00.0"; empty if none */
  char partition[64];        /* e.g. a MIG profile; empty = the whole device */
  char reason[192];          /* state other than BENCH_OK: why, and what to do */
  uint64_t memory_bytes;
  uint64_t last_level_cache_bytes; /* sizes the flush; memory-side caches included; 0 = unknown */
  uint32_t compute_units;    /* SMs, CUs, Xe cores, or CPU cores usable by this process */
  uint32_t flags;            /* BENCH_DEVICE_FLAG_* */
  double timer_resolution_ns;       /* of T1 events, 0 = unknown */
  double timer_wrap_ns;             /* T1 events further apart read wrong, 0 = never */
  double peak_bytes_per_second;     /* memory, 0 = unknown: never a guess */
  double peak_flops_per_second;     /* single precision, 0 = unknown: never a guess */
} bench_device_info_v1;

#define BENCH_DEVICE_FLAG_INTEGRATED 1u  /* shares the host's memory */
#define BENCH_DEVICE_FLAG_SYNCHRONOUS 2u /* launches run on the calling thread */
#define BENCH_DEVICE_FLAG_OPAQUE_MEMORY 4u /* memory is a handle: never add to it, pass offsets instead */

/* ---- Host ------------------------------------------------------------------------------------
 * What the core offers to a plugin. Given to the entry (for its versions only: keep nothing) and to
 * open(), from where it stays valid until close() returns. */
typedef struct bench_host_v1 {
  uint32_t struct_size;
  uint32_t abi_minor; /* the core's BENCH_ABI_MINOR */
  void *user;
  /* [any], not in [timed]. Plugins write to no stream themselves: this is where text goes. */
  void (*log)(void *user, uint32_t level, const char *message);
  /* [any] A service of the core by id; NULL if the core has none. */
  const void *(*get_extension)(void *user, const char *id);
} bench_host_v1;

#define BENCH_LOG_DEBUG 1u
#define BENCH_LOG_INFO 2u
#define BENCH_LOG_WARNING 3u
#define BENCH_LOG_ERROR 4u

/* Options for open(): pairs of strings that the plugin documents. An unknown key is logged, not an
 * error. */
typedef struct bench_options_v1 {
  uint32_t struct_size;
  uint32_t count;
  const char *const *keys;
  const char *const *values;
} bench_options_v1;

typedef struct bench_instance_v1 bench_instance_v1; /* the plugin's own; may be NULL, see open */
typedef struct bench_event_v1 bench_event_v1;       /* the plugin's own */

#define BENCH_COPY_TO_DEVICE 1u
#define BENCH_COPY_FROM_DEVICE 2u
#define BENCH_COPY_ON_DEVICE 3u

#define BENCH_FLUSH_WRITE 1u /* leaves dirty lines of another buffer */
#define BENCH_FLUSH_READ 2u  /* leaves clean ones */

/* ---- The plugin's table ----------------------------------------------------------------------
 * Constant. A function that is NULL, or lies beyond struct_size, acts as BENCH_ERROR_UNSUPPORTED.
 * Tier T0: open..do_bench. Tier T1 adds stream_create..flush, ALL of them; the core's engine then
 * measures, and do_bench may stay NULL. If both are there, do_bench is the plugin's default.
 * event_record, memory_set and flush only enqueue and never wait for the stream. */
typedef struct bench_plugin_api_v1 {
  uint32_t struct_size;
  uint32_t abi_minor;      /* BENCH_ABI_MINOR of the header that the plugin was built with */
  uint32_t min_host_minor; /* refuse older cores, in words, before any other call; usually 0 */
  int32_t score;           /* among plugins of one class in ONE folder the higher wins; usually 0 */
  const char *id;          /* reverse DNS, e.g. "com.vendor.npu" */
  const char *version;     /* of the plugin, e.g. "1.4.2" */
  const char *vendor;
  const bench_class_v1 *const *classes; /* class_count, at least 1 */
  uint32_t class_count;
  uint32_t flags;          /* zero */

  /* [open] Makes an instance, which every later call takes. `options` may be NULL. Both open and
   * close NULL (tier T0 only): the instance is NULL in every call. */
  bench_status (*open)(const bench_host_v1 *host, const bench_options_v1 *options,
                       bench_instance_v1 **instance, bench_error_v1 *error);
  /* [open] Ends it; the caller has ended all other calls and destroyed what it made. */
  void (*close)(bench_instance_v1 *instance);

  /* [list] Writes up to `capacity` devices in the documented order and their full number to `count`.
   * `devices` may be NULL if capacity is 0. No device is BENCH_OK with count 0; a missing or old
   * driver is BENCH_ERROR_NO_DRIVER with its reason. Creates no context. */
  bench_status (*device_list)(bench_instance_v1 *instance, bench_device_v1 *devices, uint32_t capacity,
                              uint32_t *count, bench_error_v1 *error);
  /* [list] Creates no context. BENCH_ERROR_NO_DEVICE for a device that is not in the list. */
  bench_status (*device_info)(bench_instance_v1 *instance, bench_device_v1 device,
                              bench_device_info_v1 *info, bench_error_v1 *error);

  /* [device] Measures `callable`. Order: warm-up launches (each with its prepare); then for each
   * sample prepare, flush if cold, window; then restore. Takes at least min_samples unless the
   * deadline or should_stop ends it, and at most max_samples. `stream` NULL or NONE: a private one.
   * BENCH_OK, BENCH_ERROR_TIMEOUT or BENCH_ERROR_CANCELLED: the samples in `result` are good. A
   * plugin that cannot obey params sets BENCH_RESULT_COARSE. `written` and `taken` hold after every status.
   * No launch, max_samples 0 or below min_samples, or samples NULL with a capacity: INVALID_ARGUMENT. */
  bench_status (*do_bench)(bench_instance_v1 *instance, bench_device_v1 device,
                           const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                           const bench_config_v1 *config, const bench_params_v1 *params,
                           bench_result_v1 *result, bench_error_v1 *error);

  /* [device] A new stream; PLUGIN_OWNED. */
  bench_status (*stream_create)(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_stream_v1 *stream, bench_error_v1 *error);
  /* [device] */
  void (*stream_destroy)(bench_instance_v1 *instance, bench_device_v1 device, bench_stream_v1 *stream);
  /* [device] Blocks until all work of the stream is done; reports errors of that work. */
  bench_status (*stream_synchronize)(bench_instance_v1 *instance, bench_device_v1 device,
                                     const bench_stream_v1 *stream, bench_error_v1 *error);
  /* [device] The same for all streams of the device in this process. */
  bench_status (*device_synchronize)(bench_instance_v1 *instance, bench_device_v1 device,
                                     bench_error_v1 *error);

  /* [device] A timing event for streams of `stream`'s context; recorded on a stream of another:
   * INVALID_ARGUMENT. It may be recorded again once it has happened. */
  bench_status (*event_create)(bench_instance_v1 *instance, bench_device_v1 device,
                               const bench_stream_v1 *stream, bench_event_v1 **event,
                               bench_error_v1 *error);
  /* [device] */
  void (*event_destroy)(bench_instance_v1 *instance, bench_device_v1 device, bench_event_v1 *event);
  /* [timed] The device notes its time when the stream gets here. */
  bench_status (*event_record)(bench_instance_v1 *instance, bench_device_v1 device,
                               bench_event_v1 *event, const bench_stream_v1 *stream,
                               bench_error_v1 *error);
  /* [any, also while another call for the device blocks] BENCH_OK: it has happened; BENCH_ERROR_BUSY: not
   * yet. Never blocks: this is how a watchdog sees a hang. */
  bench_status (*event_query)(bench_instance_v1 *instance, bench_device_v1 device,
                              bench_event_v1 *event, bench_error_v1 *error);
  /* [device] Blocks until the event has happened; never recorded: INVALID_ARGUMENT. */
  bench_status (*event_synchronize)(bench_instance_v1 *instance, bench_device_v1 device,
                                    bench_event_v1 *event, bench_error_v1 *error);
  /* [device] Device time from `start` to `stop` in ns, both happened and of this device. One wrap of the
   * counter is corrected; BENCH_SAMPLE_WRAPPED, _NEGATIVE, _ZERO go to `sample_flags`. */
  bench_status (*event_elapsed)(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_event_v1 *start, bench_event_v1 *stop, double *elapsed_ns,
                                uint32_t *sample_flags, bench_error_v1 *error);

  /* [device] Device memory in `stream`'s context, aligned to 256 bytes or better, contents undefined. The
   * core never dereferences it (except class cpu), and adds to it only where the device is not
   * OPAQUE_MEMORY. `size` 0 is INVALID_ARGUMENT; too large is OUT_OF_RESOURCES. */
  bench_status (*memory_allocate)(bench_instance_v1 *instance, bench_device_v1 device,
                                  const bench_stream_v1 *stream, uint64_t size, void **memory,
                                  bench_error_v1 *error);
  /* [device] */
  void (*memory_free)(bench_instance_v1 *instance, bench_device_v1 device, void *memory);
  /* [device] Copies `size` bytes in stream order; `direction` is BENCH_COPY_*; offsets in bytes. Host
   * memory may be reused on return for TO_DEVICE and holds the data on return for FROM_DEVICE. */
  bench_status (*memory_copy)(bench_instance_v1 *instance, bench_device_v1 device, void *destination,
                              uint64_t destination_offset, const void *source,
                              uint64_t source_offset, uint64_t size, uint32_t direction,
                              const bench_stream_v1 *stream, bench_error_v1 *error);
  /* [device] Fills `size` bytes from `offset` with the byte `value`, in stream order. */
  bench_status (*memory_set)(bench_instance_v1 *instance, bench_device_v1 device, void *memory,
                             uint64_t offset, uint8_t value, uint64_t size,
                             const bench_stream_v1 *stream, bench_error_v1 *error);
  /* [device] Allocates what flush needs in `stream`'s context, once; `flushed_bytes` gets how much memory a
   * flush touches, sized from the last-level cache. */
  bench_status (*flush_prepare)(bench_instance_v1 *instance, bench_device_v1 device,
                                const bench_stream_v1 *stream, uint64_t *flushed_bytes,
                                bench_error_v1 *error);
  /* [device] Ends one flush_prepare. A plugin may keep the memory for the next, until close. */
  void (*flush_release)(bench_instance_v1 *instance, bench_device_v1 device,
                        const bench_stream_v1 *stream);
  /* [timed] Evicts the last-level cache, in stream order; `mode` is BENCH_FLUSH_*. Enqueues only, can be
   * captured; without flush_prepare before: INVALID_ARGUMENT. */
  bench_status (*flush)(bench_instance_v1 *instance, bench_device_v1 device,
                        const bench_stream_v1 *stream, uint32_t mode, bench_error_v1 *error);

  /* [any] An extension's constant table by id ("bench.kernel/1", "com.vendor.thing/1"), or NULL.
   * With a NULL instance of a plugin that has open: what it could offer with a driver present. */
  const void *(*get_extension)(bench_instance_v1 *instance, const char *id);
} bench_plugin_api_v1;

/* ---- Entry -----------------------------------------------------------------------------------
 * [entry] Checks `host` and returns the plugin's table, the same one each time; or NULL with `error`
 * filled. `host` may be NULL (a listing tool asks). */
typedef const bench_plugin_api_v1 *(*bench_plugin_entry_v1)(const bench_host_v1 *host,
                                                            bench_error_v1 *error);
BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host,
                                                        bench_error_v1 *error);

/* ---- Note ------------------------------------------------------------------------------------
 * BENCH_PLUGIN_NOTE emits the plugin's description as an ELF note, so that tools can list and judge
 * the file without running any of its code. Arguments are string literals; CLASSES and DLOPENS are
 * comma-separated JSON strings, e.g. "\"npu\"" and "\"libnpu.so.1\"" (empty = ""); MIN_HOST_MINOR is a plain
 * number and equals the table's. Use it once, at file scope:
 *   BENCH_PLUGIN_NOTE("com.vendor.npu", "1.0.0", "Vendor", "\"npu\"", "\"libnpu.so.1\"", 0);
 */
#define BENCH_NOTE_NAME "bench"
#define BENCH_NOTE_TYPE 1
#define BENCH_NOTE_STRING2(x) #x
#define BENCH_NOTE_STRING(x) BENCH_NOTE_STRING2(x)
#define BENCH_NOTE_JSON(ID, VERSION, VENDOR, CLASSES, DLOPENS, MIN_HOST_MINOR)                                     \
  "{\"schema\":1,\"abi\":[" BENCH_NOTE_STRING(BENCH_ABI_MAJOR) ","                                 \
  BENCH_NOTE_STRING(BENCH_ABI_MINOR) "],\"min_host_minor\":"                    \
  BENCH_NOTE_STRING(MIN_HOST_MINOR) ",\"id\":\"" ID "\",\"version\":\""     \
  VERSION "\",\"vendor\":\"" VENDOR "\",\"classes\":[" CLASSES "],\"dlopens\":[" DLOPENS "]}"
#define BENCH_PLUGIN_NOTE(ID, VERSION, VENDOR, CLASSES, DLOPENS, MIN_HOST_MINOR)                                   \
  __attribute__((used, aligned(4), section(".note.bench.plugin"))) static const struct {           \
    uint32_t name_size, text_size, type;                                                           \
    char name[8];                                                                                  \
    char text[(sizeof(BENCH_NOTE_JSON(ID, VERSION, VENDOR, CLASSES, DLOPENS, MIN_HOST_MINOR)) + 3) & ~(size_t)3];  \
  } bench_plugin_note = {sizeof(BENCH_NOTE_NAME),                                                  \
                         sizeof(BENCH_NOTE_JSON(ID, VERSION, VENDOR, CLASSES, DLOPENS, MIN_HOST_MINOR)),           \
                         BENCH_NOTE_TYPE, BENCH_NOTE_NAME,                                         \
                         BENCH_NOTE_JSON(ID, VERSION, VENDOR, CLASSES, DLOPENS, MIN_HOST_MINOR)}

#ifdef __cplusplus
}
#endif
#endif
