/* SPDX-License-Identifier: Apache-2.0
 * A small plugin whose name is a place holder: the program writes a number over it in each copy. */
#include <bench/plugin_v1.h>

#define NAME "device_000"
#define ID "org.bench.copies." NAME

static bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                                uint32_t capacity, uint32_t *count, bench_error_v1 *error) {
  (void)instance, (void)error;
  if (capacity > 0) devices[0] = (bench_device_v1){BENCH_DEVICE_EXT, 0};
  *count = 1;
  return BENCH_OK;
}

/* The name is read from here and never from a literal in the code: a compiler may turn that into
 * immediate operands, which the program that numbers the copies would not find. */
static const volatile char name[] = NAME;

static bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_device_info_v1 *info, bench_error_v1 *error) {
  (void)instance, (void)error;
  info->device = device;
  for (unsigned at = 0; at < sizeof name; ++at) info->class_name[at] = name[at];
  return BENCH_OK;
}

static bench_status do_bench(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                             const bench_config_v1 *config, const bench_params_v1 *params,
                             bench_result_v1 *result, bench_error_v1 *error) {
  (void)instance, (void)device, (void)stream, (void)callable, (void)config, (void)params,
      (void)result, (void)error;
  return BENCH_ERROR_UNSUPPORTED;
}

static const bench_class_v1 only = {sizeof only, BENCH_DEVICE_EXT, NAME, 0, 0, 0, 0};
static const bench_class_v1 *const classes[] = {&only};
static const bench_plugin_api_v1 api = {.struct_size = sizeof api,
                                        .id = ID,
                                        .version = "1",
                                        .classes = classes,
                                        .class_count = 1,
                                        .device_list = device_list,
                                        .device_info = device_info,
                                        .do_bench = do_bench};
BENCH_PLUGIN_NOTE("org.bench.copies.device_000", "1", "bench", "\"device_000\"", "", 0);

BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host,
                                                        bench_error_v1 *error) {
  (void)host, (void)error;
  return &api;
}
