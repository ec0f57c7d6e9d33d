/* SPDX-License-Identifier: Apache-2.0
 * A T0 plugin that is good, except for what ZOO_<kind> says. */
#include <bench/plugin_v1.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(ZOO_fast_math) && defined(__x86_64__)
#include <xmmintrin.h>
#endif

#if defined(ZOO_undefined)
int zoo_symbol_that_nobody_has(void);
int zoo_use(void);
int zoo_use(void) {
  return zoo_symbol_that_nobody_has();
}
#endif
#if defined(ZOO_dependency)
int zoo_lost(void);
int zoo_use(void);
int zoo_use(void) {
  return zoo_lost();
}
#endif

#if defined(ZOO_exits) || defined(ZOO_aborts) || defined(ZOO_segfaults) || defined(ZOO_hangs) || \
    defined(ZOO_prints) || defined(ZOO_fast_math) || defined(ZOO_leaves_child) ||                \
    defined(ZOO_closes_and_hangs)
__attribute__((constructor)) static void on_load(void) {
#if defined(ZOO_exits)
  exit(3);
#elif defined(ZOO_aborts)
  abort();
#elif defined(ZOO_segfaults)
  raise(SIGSEGV);
#elif defined(ZOO_hangs)
  for (;;) pause();
#elif defined(ZOO_prints)
  puts("Welcome to the zoo");
  fflush(stdout);
#elif defined(ZOO_closes_and_hangs)
  for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
  for (;;) pause();
#elif defined(ZOO_leaves_child)
  if (fork() == 0) {
    sleep(20); /* a driver's daemon: it holds every descriptor that it was born with */
    _exit(0);
  }
#elif defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, as fast-math start files do */
#endif
}
#endif

#if defined(ZOO_bad_class)
#define CLASS "Bad Class"
#elif defined(ZOO_low) || defined(ZOO_high)
#define CLASS "rivals" /* both claim it; their scores differ */
#else
#define CLASS ZOO_KIND
#endif
#if defined(ZOO_twin)
#define ID "org.bench.zoo.good"
#else
#define ID "org.bench.zoo." ZOO_KIND
#endif

static bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                                uint32_t capacity, uint32_t *count, bench_error_v1 *error) {
  (void)instance;
#if defined(ZOO_hangs_in_list)
  for (;;) pause();
#elif defined(ZOO_crashes_in_list)
  raise(SIGSEGV);
#elif defined(ZOO_no_driver)
  if (error) {
    strcpy(error->what, "libzoo.so.1 is not installed");
    strcpy(error->hint, "install the zoo's driver");
  }
  return BENCH_ERROR_NO_DRIVER;
#endif
  (void)error;
  if (capacity > 0) devices[0] = (bench_device_v1){BENCH_DEVICE_EXT, 0};
  *count = 1;
  return BENCH_OK;
}

static bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_device_info_v1 *info, bench_error_v1 *error) {
  (void)instance;
  (void)error;
  info->device = device;
  strcpy(info->class_name, CLASS);
  strcpy(info->name, "an animal");
  return BENCH_OK;
}

#if !defined(ZOO_nothing_to_do)
static bench_status do_bench(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                             const bench_config_v1 *config, const bench_params_v1 *params,
                             bench_result_v1 *result, bench_error_v1 *error) {
  (void)instance, (void)device, (void)stream, (void)callable, (void)config, (void)params,
      (void)result, (void)error;
  return BENCH_ERROR_UNSUPPORTED;
}
#define DO_BENCH do_bench
#else
#define DO_BENCH 0
#endif

static const bench_class_v1 zoo_class = {
    sizeof(bench_class_v1), BENCH_DEVICE_EXT, CLASS, 0, 0, 0, 0};
static const bench_class_v1 *const classes[] = {&zoo_class};
static const bench_plugin_api_v1 api = {
#if !defined(ZOO_size_zero)
    .struct_size = sizeof(bench_plugin_api_v1),
#endif
#if defined(ZOO_needs_newer)
    .min_host_minor = 99,
#endif
    .id = ID,
    .version = "1.0.0",
#if defined(ZOO_high)
    .score = 10,
#elif defined(ZOO_low)
    .score = -10,
#endif
    .classes = classes,
#if !defined(ZOO_no_classes)
    .class_count = 1,
#endif
    .device_list = device_list,
    .device_info = device_info,
    .do_bench = DO_BENCH};

#if defined(ZOO_no_entry)
BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v0(void);
BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v0(void) {
  return &api;
}
#else
BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host,
                                                        bench_error_v1 *error) {
  (void)host;
  (void)error;
#if defined(ZOO_entry_null)
  if (error) strcpy(error->what, "the zoo is closed today");
  (void)api;
  return 0;
#else
  return &api;
#endif
}
#endif
