/* SPDX-License-Identifier: Apache-2.0
 * A T0 plugin: two devices of the invented class "toy" and a do_bench of its own that reads no
 * clock. A launch takes the configuration's "time_ns", on device 1 twice that, with a spread of 0.3
 * % in a fixed pattern. open and close are NULL, so that the instance is NULL in every call. */
#include <bench/plugin.h>
#include <string.h>

#include "toy_control.h"

#define DEVICES 2
#define DEFAULT_TIME_NS 1000.0

static bench_test_toy_script_v1 script = {.time_ns = DEFAULT_TIME_NS};

static void reset(void) {
  memset(&script, 0, sizeof script);
  script.time_ns = DEFAULT_TIME_NS;
}

static bench_status fail(bench_error_v1 *error, bench_status status, const char *where,
                         const char *what, const char *hint) {
  if (!error) return status;
  if (BENCH_HAS(error, status)) error->status = status;
  if (BENCH_HAS(error, vendor_code)) error->vendor_code = 0;
  if (BENCH_HAS(error, vendor_name)) error->vendor_name[0] = 0;
  if (BENCH_HAS(error, where)) strncpy(error->where, where, sizeof error->where);
  if (BENCH_HAS(error, what)) strncpy(error->what, what, sizeof error->what);
  if (BENCH_HAS(error, hint)) strncpy(error->hint, hint, sizeof error->hint);
  return status;
}

static int is_ours(bench_device_v1 device) {
  return device.type == BENCH_DEVICE_EXT && device.id >= 0 && device.id < DEVICES;
}

static bench_status no_device(bench_error_v1 *error, const char *where) {
  return fail(error, BENCH_ERROR_NO_DEVICE, where, "class toy has devices 0 and 1 of type 12 only",
              "take one of device_list");
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
  if (!is_ours(device)) return no_device(error, "device_info");
  bench_device_info_v1 full;
  memset(&full, 0, sizeof full);
  full.state = BENCH_OK;
  full.device = device;
  memset(full.uuid, 0x70 + device.id, sizeof full.uuid);
  strcpy(full.class_name, "toy");
  strcpy(full.name, device.id == 0 ? "Toy device 0" : "Toy device 1, half as fast");
  strcpy(full.vendor, "Tests");
  strcpy(full.architecture, "toy1");
  strcpy(full.driver_version, "1.0");
  full.memory_bytes = 1 << 20;
  full.compute_units = 1;
  return bench_store_info(info, &full, error);
}

static double time_of(bench_device_v1 device, const bench_config_v1 *config) {
  double time_ns = script.time_ns;
  for (uint32_t at = 0; config && at < config->count; ++at)
    if (strcmp(config->names[at], "time_ns") == 0) time_ns = (double)config->values[at]->integer;
  return device.id == 0 ? time_ns : 2 * time_ns;
}

static bench_status do_bench(bench_instance_v1 *instance, bench_device_v1 device,
                             const bench_stream_v1 *stream, const bench_callable_v1 *callable,
                             const bench_config_v1 *config, const bench_params_v1 *params,
                             bench_result_v1 *result, bench_error_v1 *error) {
  (void)instance;
  result->written = result->taken = 0;
  ++script.do_bench_calls;
  script.warmup_launches = params->warmup_launches;
  script.min_samples = params->min_samples;
  script.max_samples = params->max_samples;
  script.launches_per_sample = params->launches_per_sample;
  if (!is_ours(device)) return no_device(error, "do_bench");
  if (params->required || callable->required || params->cache > BENCH_CACHE_COLD)
    return fail(error, BENCH_ERROR_UNSUPPORTED, "do_bench", "something unknown is required",
                "require what 1.0 knows");
  if (!callable->launch || params->max_samples == 0 || params->min_samples > params->max_samples ||
      (result->capacity > 0 && !result->samples))
    return fail(error, BENCH_ERROR_INVALID_ARGUMENT, "do_bench",
                "no launch, no samples wanted, or no buffer for them",
                "see do_bench in plugin_v1.h");
  if (script.fail_status != BENCH_OK)
    return fail(error, script.fail_status, "do_bench", "the script says so", "change the script");

  bench_stream_v1 none;
  memset(&none, 0, sizeof none);
  none.struct_size = sizeof none;
  if (!stream) stream = &none;
  const uint32_t wanted = script.fixed_samples ? script.fixed_samples : params->max_samples;
  const uint32_t warmup = script.fixed_samples ? 0 : params->warmup_launches;
  bench_status status = BENCH_OK;
  int called = 0;
  for (uint32_t at = 0; at < warmup + wanted && status == BENCH_OK; ++at) {
    if (at >= warmup && params->should_stop && params->should_stop(params->should_stop_user)) {
      status = fail(error, BENCH_ERROR_CANCELLED, "do_bench", "should_stop said so",
                    "the samples written are good");
      break;
    }
    called = 1;
    if (callable->prepare) status = callable->prepare(callable->user, config, stream, error);
    if (status == BENCH_OK) status = callable->launch(callable->user, config, stream, error);
    ++script.launches;
    if (status != BENCH_OK) {
      result->flags |= BENCH_RESULT_FROM_CALLBACK;
      break;
    }
    if (at < warmup) continue;
    if (result->written < result->capacity) {
      const double pattern = 1.0 + 0.00075 * ((double)((result->taken * 7u) % 5u) - 2.0);
      bench_sample_v1 sample;
      memset(&sample, 0, sizeof sample);
      sample.elapsed_ns = time_of(device, config) * pattern;
      sample.launches = 1;
      if (script.negative_samples) {
        sample.elapsed_ns = -sample.elapsed_ns;
        sample.flags = BENCH_SAMPLE_NEGATIVE;
      }
      result->samples[result->written++] = sample;
    }
    ++result->taken;
  }
  if (callable->restore && called && status != BENCH_ERROR_DEVICE_LOST) {
    /* The first failure's text wins over that of the restore after it. */
    const bench_status restored =
        callable->restore(callable->user, config, stream, status == BENCH_OK ? error : 0);
    if (status == BENCH_OK && restored != BENCH_OK) {
      result->flags |= BENCH_RESULT_FROM_CALLBACK;
      status = restored;
    }
  }
  result->method = BENCH_METHOD_HOST;
  result->resolution_ns = 0.001;
  result->written += script.overstate_written;
  return status;
}

static const void *get_extension(bench_instance_v1 *instance, const char *id) {
  static const bench_ext_test_toy_v1 control = {sizeof control, 0, &script, reset};
  (void)instance;
  return strcmp(id, BENCH_TEST_TOY_V1) == 0 ? &control : 0;
}

static const bench_class_v1 toy = {sizeof toy, BENCH_DEVICE_EXT, "toy", 0, 0, 0, 0};
static const bench_class_v1 *const classes[] = {&toy};
static const bench_plugin_api_v1 api = {.struct_size = sizeof api,
                                        .abi_minor = BENCH_ABI_MINOR,
                                        .id = "org.bench.test.toy",
                                        .version = "1.0.0",
                                        .vendor = "Tests",
                                        .classes = classes,
                                        .class_count = 1,
                                        .device_list = device_list,
                                        .device_info = device_info,
                                        .do_bench = do_bench,
                                        .get_extension = get_extension};

const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *host, bench_error_v1 *error) {
  (void)host, (void)error;
  return &api;
}

BENCH_PLUGIN_NOTE("org.bench.test.toy", "1.0.0", "Tests", "\"toy\"", "", 0);
