// SPDX-License-Identifier: Apache-2.0
// What a plugin offers beyond T1 that makes measuring better. Each may be absent.
#pragma once
#include <cstdint>

#include "bench/ext/capture.h"
#include "bench/ext/gate.h"
#include "bench/ext/graph.h"
#include "bench/ext/profiler.h"
#include "bench/ext/telemetry.h"
#include "bench/plugin_v1.h"

namespace bench::measure {

/// The table behind `id` if the plugin has it whole: one that ends early is of a draft.
template <typename Table>
const Table *find_extension(const bench_plugin_api_v1 &api, bench_instance_v1 *instance,
                            const char *id) {
  if (!api.get_extension) return nullptr;
  const auto *table = static_cast<const Table *>(api.get_extension(instance, id));
  return table && table->struct_size >= sizeof(Table) ? table : nullptr;
}

struct Extensions {
  const bench_ext_gate_v1 *gate = nullptr;
  const bench_ext_graph_v1 *graph = nullptr;
  const bench_ext_capture_v1 *capture = nullptr;
  const bench_ext_profiler_v1 *profiler = nullptr;
  const bench_ext_telemetry_v1 *telemetry = nullptr;

  Extensions() = default;
  Extensions(const bench_plugin_api_v1 &api, bench_instance_v1 *instance)
      : gate(find_extension<bench_ext_gate_v1>(api, instance, BENCH_EXT_GATE_V1)),
        graph(find_extension<bench_ext_graph_v1>(api, instance, BENCH_EXT_GRAPH_V1)),
        capture(find_extension<bench_ext_capture_v1>(api, instance, BENCH_EXT_CAPTURE_V1)),
        profiler(find_extension<bench_ext_profiler_v1>(api, instance, BENCH_EXT_PROFILER_V1)),
        telemetry(find_extension<bench_ext_telemetry_v1>(api, instance, BENCH_EXT_TELEMETRY_V1)) {}
};

}  // namespace bench::measure
