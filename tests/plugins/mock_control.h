/* SPDX-License-Identifier: Apache-2.0
 * How a test scripts the mock plugin: the table behind get_extension(instance, BENCH_TEST_MOCK_V1).
 * All time is virtual: a host clock of the instance, and for each stream the time at which its work
 * ends. */
#ifndef BENCH_TEST_MOCK_CONTROL_H
#define BENCH_TEST_MOCK_CONTROL_H

#include <bench/plugin_v1.h>

#define BENCH_TEST_MOCK_V1 "org.bench.test.mock/1"

#define MOCK_OFFERS_GATE 1u
#define MOCK_OFFERS_GRAPH 2u
#define MOCK_OFFERS_CAPTURE 4u
#define MOCK_OFFERS_PROFILER 8u
#define MOCK_OFFERS_TELEMETRY 16u

/* Knobs and counters of one device of one instance. "every k": at each k-th; 0 = never. */
typedef struct bench_test_mock_script_v1 {
  /* The timer. */
  double resolution_ns;     /* events read multiples of it; 0 = exact */
  double wrap_ns;           /* the counter starts again at it; 0 = never */
  double event_gap_ns;      /* device time that an event takes: what an empty window reads */
  double event_gap_step_ns; /* 0 to 4 times it is added in turn, as no device is constant */
  double event_host_ns;     /* host time that event_record takes */
  uint32_t frozen_timer;    /* every event reads the same */
  uint32_t negative_every;  /* of the results of event_elapsed */
  uint32_t zero_every;
  uint32_t synchronous; /* work ends before work() returns */
  /* What get_extension offers: MOCK_OFFERS_*, of device 0 for both. */
  uint32_t offers;
  uint32_t capture_state;  /* what bench.capture/1 answers */
  uint32_t queue_limit;    /* operations behind a closed gate until the next one blocks; 0 = none */
  uint32_t profiler_busy;  /* somebody else holds the profiler */
  double throttled_after_ns; /* telemetry: from this host time on the power limit throttles; 0 = never */
  double power_watts;      /* telemetry: constant, its integral over host time is the energy */
  double recording_jitter; /* device time of recorded work varies by this share of it, in turn */
  /* Work. */
  double submit_ns;     /* host time that work() takes */
  double flush_ns;      /* device time of a flush */
  double cold_extra_ns; /* added to the first work after a flush */
  double slow_factor;   /* the first slow_count works after an idle time are so much slower */
  double idle_limit_ns; /* how long that idle time is */
  uint32_t slow_count;
  /* Faults. */
  bench_status
      fail_status; /* what fail_function returns at its fail_countdown-th call from now on */
  uint32_t fail_countdown;     /* 0 = never */
  char fail_function[32];      /* e.g. "event_record" */
  uint64_t memory_limit_bytes; /* of all memory_allocate and flush_prepare together */
  uint32_t lost;               /* every call but destruction returns DEVICE_LOST */
  /* Counters. */
  uint32_t streams_alive;
  uint32_t events_alive;
  uint32_t memories_alive;
  uint32_t flush_prepared;
  uint32_t gates_alive;
  uint32_t graphs_alive;
  uint32_t graph_launches;
  uint32_t recordings;
  uint32_t records;
  uint32_t elapsed_calls;
  uint32_t flushes;
  uint32_t works;
  uint32_t calls_after_loss; /* other than destruction: forbidden */
  uint64_t memory_bytes;
} bench_test_mock_script_v1;

typedef struct bench_ext_test_mock_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  bench_test_mock_script_v1 *(*script)(bench_instance_v1 *instance, bench_device_v1 device);
  /* The host's virtual time, and time that passes on the host. */
  double (*now_ns)(bench_instance_v1 *instance);
  void (*advance_ns)(bench_instance_v1 *instance, double duration_ns);
  /* Enqueues work of that device time: what a launch does. */
  bench_status (*work)(bench_instance_v1 *instance, bench_device_v1 device,
                       const bench_stream_v1 *stream, double duration_ns, bench_error_v1 *error);
  /* Work on a stream of its own that nobody joins. */
  bench_status (*stray_work)(bench_instance_v1 *instance, bench_device_v1 device,
                             double duration_ns, bench_error_v1 *error);
} bench_ext_test_mock_v1;

#endif
