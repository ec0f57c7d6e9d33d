/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.kernel/1: a plugin compiles, loads and launches kernels from source.
 *
 * Three steps, so that compiling runs ahead, in other processes, while the device is timed:
 *   compile  source -> bytes and a log; touches no device, any process
 *   load     bytes  -> a kernel on a device
 *   launch   enqueues the kernel with arguments
 * The bytes of one plugin build load in any process of this machine that has that plugin build.
 */
#ifndef BENCH_EXT_KERNEL_H
#define BENCH_EXT_KERNEL_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_KERNEL_V1 "bench.kernel/1"

/* A parameter of the kernel, in the order of the call. */
typedef struct bench_kernel_parameter_v1 {
  uint32_t struct_size;
  uint32_t kind;       /* BENCH_PARAMETER_* */
  uint32_t access;     /* BENCH_ACCESS_* */
  uint8_t dtype_code;  /* DLPack's DLDataTypeCode: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool */
  uint8_t dtype_bits;
  uint16_t dtype_lanes;
  const char *name;
} bench_kernel_parameter_v1;

#define BENCH_PARAMETER_VECTOR 1u /* pointer to device memory */
#define BENCH_PARAMETER_SCALAR 2u /* by value */
#define BENCH_PARAMETER_LOCAL 3u  /* OpenCL local memory of a given size */
#define BENCH_PARAMETER_SYMBOL 4u /* a global of the module (e.g. constant memory), not in the call */

#define BENCH_ACCESS_READ 1u
#define BENCH_ACCESS_WRITE 2u

typedef struct bench_kernel_source_v1 {
  uint32_t struct_size;
  uint32_t option_count;
  const char *language;       /* "C", "C++", "CUDA", "HIP", "OpenCL", "SPIR-V", ... */
  const char *path;           /* of the file, for messages and relative includes; may be NULL */
  const char *text;           /* the source, text_size bytes */
  uint64_t text_size;
  const char *name;           /* of the kernel function */
  const char *architecture;   /* bench_device_info_v1.architecture of the target */
  const char *const *options; /* option_count compiler options */
  const char *const *definition_names;  /* definition_count macros */
  const char *const *definition_values;
  const bench_kernel_parameter_v1 *const *parameters; /* parameter_count */
  uint32_t definition_count;
  uint32_t parameter_count;
  uint32_t grid[3];           /* of this configuration, in blocks */
  uint32_t block[3];          /* in threads */
  int64_t deadline_ns;        /* CLOCK_MONOTONIC by which to give up with TIMEOUT; 0 = none */
  uint32_t required;          /* what must not be ignored: none in revision 1 */
  uint32_t reserved;
} bench_kernel_source_v1;

/* The caller fills all members after struct_size with UINT32_MAX; the plugin writes what it knows. */
typedef struct bench_kernel_resources_v1 {
  uint32_t struct_size;
  uint32_t registers_per_thread;
  uint32_t shared_bytes;   /* static, per block */
  uint32_t local_bytes;    /* spills and stack, per thread */
  uint32_t constant_bytes;
  uint32_t max_threads_per_block;
} bench_kernel_resources_v1;

/* What the device can run; a launch beyond it is BENCH_ERROR_OUT_OF_RESOURCES. 0 = no limit. */
typedef struct bench_kernel_limits_v1 {
  uint32_t struct_size;
  uint32_t max_threads_per_block;
  uint32_t max_block[3];
  uint32_t max_grid[3];
  uint64_t max_shared_bytes; /* per block, static and dynamic together */
  uint32_t subgroup_size;    /* warp, wavefront */
  uint32_t reserved;
} bench_kernel_limits_v1;

typedef struct bench_kernel_launch_v1 {
  uint32_t struct_size;
  uint32_t shared_bytes;        /* dynamic */
  uint32_t grid[3];             /* blocks */
  uint32_t block[3];            /* threads */
  const void *const *arguments; /* argument_count pointers TO the values, in parameter order without
                                 * SYMBOLs: a VECTOR's is a pointer to the device pointer, a SCALAR's
                                 * to the value, a LOCAL's to its size as uint64_t */
  const uint64_t *argument_sizes; /* argument_count sizes of those values in bytes */
  uint32_t argument_count;
  uint32_t required;              /* what must not be ignored: none in revision 1 */
} bench_kernel_launch_v1;

typedef struct bench_kernel_v1 bench_kernel_v1; /* the plugin's own */

typedef struct bench_ext_kernel_v1 {
  uint32_t struct_size;
  uint32_t language_count;
  const char *const *languages; /* that this plugin may compile, compilers present or not */

  /* [any] Writes the identity of the compiler for `language` (name and version: part of the stored
   * environment). BENCH_ERROR_UNSUPPORTED: none at hand; the hint names the package that brings it. */
  bench_status (*compiler)(bench_instance_v1 *instance, const char *language,
                           const bench_writer_v1 *identity, bench_error_v1 *error);
  /* [any] `binary` and `log` may be written in pieces; `log` also on success (warnings), and may be
   * NULL. BENCH_ERROR_COMPILE_FAILED: the source; BENCH_ERROR_TIMEOUT: the deadline. */
  bench_status (*compile)(bench_instance_v1 *instance, const bench_kernel_source_v1 *source,
                          const bench_writer_v1 *binary, const bench_writer_v1 *log,
                          bench_error_v1 *error);
  /* [device] Loads into `stream`'s context. `parameters` as given to compile; `resources` may be NULL. A
   * kernel that is not in the binary is BENCH_ERROR_INVALID_ARGUMENT, and the message lists those that are. */
  bench_status (*load)(bench_instance_v1 *instance, bench_device_v1 device,
                       const bench_stream_v1 *stream, const void *binary, uint64_t size,
                       const char *name, const bench_kernel_parameter_v1 *const *parameters,
                       uint32_t parameter_count, bench_kernel_v1 **kernel,
                       bench_kernel_resources_v1 *resources, bench_error_v1 *error);
  /* [device] */
  void (*unload)(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel);
  /* [device] Address and size of a global of the kernel's module, for memory_copy. */
  bench_status (*symbol)(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel,
                         const char *name, void **memory, uint64_t *size, bench_error_v1 *error);
  /* [timed] */
  bench_status (*launch)(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel,
                         const bench_kernel_launch_v1 *launch, const bench_stream_v1 *stream,
                         bench_error_v1 *error);
  /* [list] */
  bench_status (*limits)(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_kernel_limits_v1 *limits, bench_error_v1 *error);
} bench_ext_kernel_v1;

#ifdef __cplusplus
}
#endif
#endif
