/* SPDX-License-Identifier: Apache-2.0
 * How a test scripts the toy plugin: the table behind get_extension(NULL, BENCH_TEST_TOY_V1). */
#ifndef BENCH_TEST_TOY_CONTROL_H
#define BENCH_TEST_TOY_CONTROL_H

#include <bench/plugin_v1.h>

#define BENCH_TEST_TOY_V1 "org.bench.test.toy/1"

/* Knobs and counters of the process. reset() puts all of them back. */
typedef struct bench_test_toy_script_v1 {
  double time_ns;             /* of a launch whose configuration has no value "time_ns" */
  uint32_t fixed_samples;     /* not 0: takes that many samples whatever is asked for, as a vendor's
                               * closed benchmark tool would */
  bench_status fail_status;   /* not BENCH_OK: do_bench fails with it before the first launch */
  uint32_t overstate_written; /* adds to `written`: a plugin that lies about its buffer */
  uint32_t negative_samples;  /* all samples are negative */
  uint32_t do_bench_calls;    /* counters */
  uint32_t launches;
  uint32_t warmup_launches; /* of the last call */
  uint32_t min_samples;
  uint32_t max_samples;
  uint32_t launches_per_sample;
} bench_test_toy_script_v1;

typedef struct bench_ext_test_toy_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  bench_test_toy_script_v1 *script;
  void (*reset)(void);
} bench_ext_test_toy_v1;

#endif
