/* SPDX-License-Identifier: Apache-2.0
 * A T0 plugin whose device_info fills whatever part the caller's struct has room for. */
#include <bench/plugin.h>

#define CLASS "clips_info"

static bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                                uint32_t capacity, uint32_t *count, bench_error_v1 *error) {
  (void)instance, (void)error;
  if (capacity > 0) devices[0] = (bench_device_v1){BENCH_DEVICE_EXT, 0};
  *count = 1;
  return BENCH_OK;
}

static bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_device_info_v1 *info, bench_error_v1 *error) {
  bench_device_info_v1 full = {.struct_size = info->struct_size, .device = device};
  (void)instance, (void)error;
  strcpy(full.class_name, CLASS);
  strcpy(full.name, "a device that clips");
  memcpy(info, &full, info->struct_size < sizeof full ? info->struct_size : sizeof full);
  return BENCH_OK;
}

static bench_status do_bench(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                             const bench_config_v1 *config, const bench_params_v1 *params,
                             bench_result_v1 *result, bench_error_v1 *error) {
  (void)instance, (void)device;
  return bench_host_do_bench(NULL, NULL, stream, callable, config, params, result, error);
}

static const bench_class_v1 only = {sizeof only, BENCH_DEVICE_EXT, CLASS, NULL, NULL, 0, 0};
static const bench_class_v1 *const classes[] = {&only};
static const bench_plugin_api_v1 api = {.struct_size = sizeof api,
                                        .id = "org.bench.test.clips_info",
                                        .version = "1.0.0",
                                        .classes = classes,
                                        .class_count = 1,
                                        .device_list = device_list,
                                        .device_info = device_info,
                                        .do_bench = do_bench};

const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host, bench_error_v1 *error) {
  (void)host, (void)error;
  return &api;
}
