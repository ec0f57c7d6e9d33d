/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.capture/1: tells whether somebody else, a framework say, is recording a stream at the moment. Nothing
 * may be measured then: a synchronisation would break the recording.
 */
#ifndef BENCH_EXT_CAPTURE_H
#define BENCH_EXT_CAPTURE_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_EXT_CAPTURE_V1 "bench.capture/1"

#define BENCH_CAPTURE_NONE 0u   /* work on it runs */
#define BENCH_CAPTURE_ACTIVE 1u /* work on it is recorded */
#define BENCH_CAPTURE_BROKEN 2u /* a recording that has failed and was not ended yet */

typedef struct bench_ext_capture_v1 {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Writes BENCH_CAPTURE_* to `state`. Synchronises nothing and leaves a recording as it is. */
  bench_status (*query)(bench_instance_v1 *instance, bench_device_v1 device,
                        const bench_stream_v1 *stream, uint32_t *state, bench_error_v1 *error);
} bench_ext_capture_v1;

#ifdef __cplusplus
}
#endif
#endif
