/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.gate/1: holds a stream until everything that a window needs has been enqueued, so that the host's
 * speed is not in the measured time.
 *
 * A gate is a counter. enqueue() makes the stream wait for the next number; open() lets everything pass that
 * has been enqueued so far. Used as: enqueue, event_record, launches, event_record, open.
 */
#ifndef BENCH_EXT_GATE_H
#define BENCH_EXT_GATE_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_GATE_V1 "bench.gate/1"

typedef struct bench_gate_v1 bench_gate_v1; /* the plugin's own */

typedef struct bench_ext_gate_v1 {
  uint32_t struct_size;
  uint32_t max_launches; /* how much work may safely be queued behind a closed gate before the driver's
                          * queue is full and the launch itself blocks; 0 = unknown */

  /* [device] A gate for streams of `stream`'s context. BENCH_ERROR_UNSUPPORTED: this device has no way to
   * wait for the host; the engine then measures without a gate. */
  bench_status (*create)(bench_instance_v1 *instance, bench_device_v1 device,
                         const bench_stream_v1 *stream, bench_gate_v1 **gate, bench_error_v1 *error);
  /* [device] Opens it first, so that no stream hangs. NULL is allowed. */
  void (*destroy)(bench_instance_v1 *instance, bench_device_v1 device, bench_gate_v1 *gate);
  /* [timed] Work enqueued on `stream` from now on waits for the next open(). */
  bench_status (*enqueue)(bench_instance_v1 *instance, bench_device_v1 device, bench_gate_v1 *gate,
                          const bench_stream_v1 *stream, bench_error_v1 *error);
  /* [any, also while another call for the device blocks] Opens it for all that was enqueued so far. Takes no
   * lock, calls no driver that could block, cannot fail: a watchdog opens the gate of a thread that hangs in
   * a callback. Opening an open gate does nothing. */
  void (*open)(bench_instance_v1 *instance, bench_device_v1 device, bench_gate_v1 *gate);
} bench_ext_gate_v1;

#ifdef __cplusplus
}
#endif
#endif
