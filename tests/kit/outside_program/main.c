/* SPDX-License-Identifier: Apache-2.0
 * Measures an empty launch on a plugin's device: outside_program PLUGIN DEVICE. */
#include <bench/bench.h>
#include <stdio.h>

static bench_status nothing(void *user, const bench_config_v1 *config,
                            const bench_stream_v1 *stream, bench_error_v1 *error) {
  (void)config, (void)stream, (void)error;
  ++*(int *)user;
  return BENCH_OK;
}

int main(int argc, char **argv) {
  bench_error_v1 error = {.struct_size = sizeof error};
  bench_context *context = NULL;
  bench_device_v1 device;
  if (argc != 3) return 2;
  const char *paths[] = {argv[1]};
  const bench_context_options_v1 options = {
      .struct_size = sizeof options, .plugin_paths = paths, .plugin_path_count = 1};
  bench_device_info_v1 info = {.struct_size = sizeof info};
  int launches = 0;
  const bench_callable_v1 callable = {.struct_size = sizeof callable,
                                      .flags = BENCH_CALLABLE_SYNCHRONOUS,
                                      .user = &launches,
                                      .launch = nothing};
  bench_measurement_v1 result = {.struct_size = sizeof result};
  if (bench_context_create(&options, &context, &error) ||
      bench_device_parse(context, argv[2], &device, &error) ||
      bench_device_info(context, device, &info, &error) ||
      bench_do_bench(context, device, NULL, &callable, NULL, NULL, &result, &error)) {
    fprintf(stderr, "%s: %s (%s)\n", error.where, error.what, error.hint);
    return 1;
  }
  printf("%s: %d launches\n", info.name, launches);
  bench_context_destroy(context);
  return launches > 0 ? 0 : 1;
}
