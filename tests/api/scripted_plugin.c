/* SPDX-License-Identifier: Apache-2.0
 * A T0 plugin for the tests of the tuner: three devices of an invented class, on which a launch of
 * a configuration takes as long as its parameter "time_ns" says. No real time is read. */
#include <bench/plugin_v1.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES 3 /* the last is there to be lost */

static bench_status fail(bench_error_v1 *error, bench_status status, const char *what) {
  if (error && BENCH_HAS(error, what)) {
    error->status = status;
    strncpy(error->where, "scripted", sizeof error->where - 1);
    strncpy(error->what, what, sizeof error->what - 1);
    strncpy(error->hint, "list the devices", sizeof error->hint - 1);
  }
  return status;
}

static bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                                uint32_t capacity, uint32_t *count, bench_error_v1 *error) {
  (void)instance, (void)error;
  *count = DEVICES;
  for (uint32_t at = 0; at < DEVICES && at < capacity; ++at) {
    devices[at].type = BENCH_DEVICE_EXT;
    devices[at].id = (int32_t)at;
  }
  return BENCH_OK;
}

static bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                                bench_device_info_v1 *info, bench_error_v1 *error) {
  (void)instance;
  if (device.id < 0 || device.id >= DEVICES)
    return fail(error, BENCH_ERROR_NO_DEVICE, "there are devices 0 to 2 only");
  info->state = BENCH_OK;
  info->device = device;
  memset(info->uuid, 0xa0 + device.id, sizeof info->uuid);
  strcpy(info->class_name, "scripted");
  strcpy(info->name, "Scripted device");
  strcpy(info->vendor, "Tests");
  strcpy(info->architecture, "script1");
  /* A driver that can be changed while the process lives. */
  const char *driver = getenv("BENCH_SCRIPTED_DRIVER");
  strncpy(info->driver_version, driver ? driver : "1.0", sizeof info->driver_version - 1);
  info->memory_bytes = 1 << 20;
  info->compute_units = 1;
  return BENCH_OK;
}

static double time_of(const bench_config_v1 *config) {
  for (uint32_t at = 0; config && at < config->count; ++at)
    if (strcmp(config->names[at], "time_ns") == 0) return (double)config->values[at]->integer;
  return 1000;
}

static bench_status do_bench(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                             const bench_config_v1 *config, const bench_params_v1 *params,
                             bench_result_v1 *result, bench_error_v1 *error) {
  (void)instance;
  bench_stream_v1 none;
  memset(&none, 0, sizeof none);
  none.struct_size = sizeof none;
  if (!stream) stream = &none;
  if (device.id < 0 || device.id >= DEVICES)
    return fail(error, BENCH_ERROR_NO_DEVICE, "there are devices 0 to 2 only");
  bench_status status = BENCH_OK;
  uint32_t wanted = params->max_samples;
  for (uint32_t at = 0; at < params->warmup_launches + wanted && status == BENCH_OK; ++at) {
    if (callable->prepare) status = callable->prepare(callable->user, config, stream, error);
    if (status == BENCH_OK) status = callable->launch(callable->user, config, stream, error);
    if (status != BENCH_OK || at < params->warmup_launches) continue;
    if (params->should_stop && params->should_stop(params->should_stop_user)) {
      status = BENCH_ERROR_CANCELLED;
      break;
    }
    /* A spread of 0.3 % in a fixed pattern: what a quiet device shows. */
    const uint32_t step = (result->taken * 7u) % 5u;
    if (result->written < result->capacity) {
      bench_sample_v1 sample;
      memset(&sample, 0, sizeof sample);
      sample.elapsed_ns = time_of(config) * (1.0 + 0.00075 * ((double)step - 2.0));
      sample.launches = 1;
      result->samples[result->written++] = sample;
    }
    ++result->taken;
  }
  if (callable->restore) {
    const bench_status restored = callable->restore(callable->user, config, stream, error);
    if (status == BENCH_OK) status = restored;
  }
  result->method = BENCH_METHOD_HOST;
  result->resolution_ns = 0.001;
  return status;
}

static const bench_class_v1 scripted = {sizeof scripted, BENCH_DEVICE_EXT, "scripted", 0, 0, 0, 0};
static const bench_class_v1 *const classes[] = {&scripted};
static const bench_plugin_api_v1 api = {.struct_size = sizeof api,
                                        .abi_minor = BENCH_ABI_MINOR,
                                        .id = "org.tests.scripted",
                                        .version = "1.0.0",
                                        .vendor = "Tests",
                                        .classes = classes,
                                        .class_count = 1,
                                        .device_list = device_list,
                                        .device_info = device_info,
                                        .do_bench = do_bench};

const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host, bench_error_v1 *error) {
  (void)host, (void)error;
  return &api;
}

BENCH_PLUGIN_NOTE("org.tests.scripted", "1.0.0", "Tests", "\"scripted\"", "", 0);
