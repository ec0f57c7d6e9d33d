/* SPDX-License-Identifier: Apache-2.0
 * Embeds the tuner in C: which dot product is the fastest for these arguments? */
#include <bench/bench.h>
#include <stdio.h>

enum { N = 1 << 16 };
static float x[N], y[N];
static volatile float result; /* volatile: a timed call must not vanish */

#define DOT(WAYS)                                                    \
  static float dot_##WAYS(void) {                                    \
    float part[WAYS] = {0}, sum = 0;                                 \
    for (int i = 0; i < N; i += WAYS)                                \
      for (int k = 0; k < WAYS; ++k) part[k] += x[i + k] * y[i + k]; \
    for (int k = 0; k < WAYS; ++k) sum += part[k];                   \
    return sum;                                                      \
  }
DOT(1)
DOT(4)
DOT(16)
static float (*const variants[])(void) = {dot_1, dot_4, dot_16};

static bench_status launch(void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
                           bench_error_v1 *error) {
  (void)user, (void)stream, (void)error;
  result = variants[config->index]();
  return BENCH_OK;
}

int main(void) {
  for (int i = 0; i < N; ++i) x[i] = 1, y[i] = 2;
  const bench_config_v1 one = {.struct_size = sizeof one}, *configs[] = {&one, &one, &one};
  // clang-format off
  const char *names[] = {"x", "y", "n"}, *keys[] = {"n"};
  const int64_t shape[] = {N};
  const bench_tuner_options_v1 options = {.struct_size = sizeof options, .name = "dot/1",
    .config_count = 3, .configs = configs, .argument_count = 3, .argument_names = names,
    .key_count = 1, .key_names = keys};
  const bench_argument_v1 vector = {.struct_size = sizeof vector, .kind = BENCH_ARGUMENT_TENSOR,
    .dtype_code = 2, .dtype_bits = 32, .dtype_lanes = 1, .device = {BENCH_DEVICE_CPU, 0},
    .rank = 1, .shape = shape}, count = {.struct_size = sizeof count,
    .kind = BENCH_ARGUMENT_INTEGER, .integer = N};
  const bench_argument_v1 *arguments[] = {&vector, &vector, &count};
  const bench_callable_v1 callable = {.struct_size = sizeof callable, .launch = launch,
    .flags = BENCH_CALLABLE_SYNCHRONOUS | BENCH_CALLABLE_REPEATABLE};
  const bench_call_v1 call = {.struct_size = sizeof call, .callable = &callable};
  // clang-format on
  bench_error_v1 error = {.struct_size = sizeof error};
  bench_context *context = NULL;
  bench_tuner *tuner = NULL;
  uint64_t best = 0;
  int failed = bench_context_create(NULL, &context, &error) ||
               bench_tuner_create(context, &options, &tuner, &error) ||
               bench_tuner_lookup(tuner, arguments, 3, &call, &best, &error);
  if (failed) fprintf(stderr, "%s: %s (%s)\n", error.where, error.what, error.hint);
  if (!failed) printf("n = %d: variant %d, dot = %g\n", N, (int)best, (double)variants[best]());
  bench_tuner_destroy(tuner), bench_context_destroy(context);
  return failed || variants[best]() != 2.0f * N;
}
