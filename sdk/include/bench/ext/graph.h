/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.graph/1: records work once and submits it as a whole, so that many launches cost the host one.
 */
#ifndef BENCH_EXT_GRAPH_H
#define BENCH_EXT_GRAPH_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_GRAPH_V1 "bench.graph/1"

typedef struct bench_graph_v1 bench_graph_v1; /* the plugin's own */

typedef struct bench_ext_graph_v1 {
  uint32_t struct_size;
  uint32_t reserved;

  /* [device] From now until end() the calling thread's work on `recording` is recorded, not run. `recording`
   * is `stream` itself where the device can record it, else a stream of the plugin's own (a default stream
   * cannot be captured; a command list records for a queue). The caller set its struct_size. */
  bench_status (*begin)(bench_instance_v1 *instance, bench_device_v1 device,
                        const bench_stream_v1 *stream, bench_stream_v1 *recording,
                        bench_error_v1 *error);
  /* [device] Ends the recording, also one that failed meanwhile: then `graph` is NULL, the status says why
   * (BENCH_ERROR_UNSUPPORTED: something in it cannot be recorded) and the stream works as before. `graph` may
   * be NULL: the recording is thrown away. `nodes` (or NULL) gets how many operations were recorded. */
  bench_status (*end)(bench_instance_v1 *instance, bench_device_v1 device,
                      const bench_stream_v1 *recording, bench_graph_v1 **graph, uint64_t *nodes,
                      bench_error_v1 *error);
  /* [timed] Enqueues all of it on `stream`, in the order recorded. */
  bench_status (*launch)(bench_instance_v1 *instance, bench_device_v1 device, bench_graph_v1 *graph,
                         const bench_stream_v1 *stream, bench_error_v1 *error);
  /* [device] NULL is allowed. */
  void (*destroy)(bench_instance_v1 *instance, bench_device_v1 device, bench_graph_v1 *graph);
} bench_ext_graph_v1;

#ifdef __cplusplus
}
#endif
#endif
