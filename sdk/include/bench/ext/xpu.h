/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stream of class "xpu" (Intel GPUs through Level Zero) is.
 *
 * A framework's stream (kind NATIVE) needs three members, since Level Zero has no way from a list to what it
 * belongs to:
 *   handle         the ze_command_list_handle_t of an immediate command list
 *   context        its ze_context_handle_t
 *   device_handle  its ze_device_handle_t; NULL means the device of the call
 * Lists are taken to run out of order: the plugin puts a barrier before and after all that it appends. Work
 * that a framework appends itself is ordered as the framework orders it.
 * Streams of the plugin's own (PLUGIN_OWNED) have the same members, so that a callable can append to them.
 * Level Zero has no default stream: DEFAULT and PER_THREAD mean one stream of the plugin's for that device.
 */
#ifndef BENCH_EXT_XPU_H
#define BENCH_EXT_XPU_H

#include "../plugin_v1.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bench_stream_v1.class_kind */
#define BENCH_XPU_IMMEDIATE_LIST 0u /* work runs as it is appended */
#define BENCH_XPU_RECORDING_LIST 1u /* PLUGIN_OWNED, from bench.graph/1's begin(): a regular command list that
                                     * is executed as a graph. Appending is all that it can do */

#ifdef __cplusplus
}
#endif
#endif
