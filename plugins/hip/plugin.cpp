// SPDX-License-Identifier: Apache-2.0
// The plugin's table: AMD GPUs through the HIP runtime.
#include <cstring>
#include <memory>
#include <string>

#include "hip.hpp"

namespace bench_hip {
namespace {

using Extensions = bench::plugin::StreamExtensions<Runtime>;

// Launches behind a gate wait in the device's queue, whose packets the runtime does not tell of.
// Not found out on a device of AMD's: a watchdog lowers it where it is too much.
constexpr std::uint32_t gate_depth = 256;

void log_unknown(const bench_host_v1 *host, const bench_options_v1 *options) {
  if (!host || !host->log || !options) return;
  for (std::uint32_t i = 0; i < options->count; ++i)
    host->log(
        host->user, BENCH_LOG_WARNING,
        (std::string("hip has no option ") + options->keys[i] + ", which is ignored").c_str());
}

bench_status open(const bench_host_v1 *host, const bench_options_v1 *options,
                  bench_instance_v1 **instance, bench_error_v1 *error) {
  *instance = nullptr;
  return guarded(error, "open", [&] {
    bench::plugin::fork_count();  // counts from here on
    log_unknown(host, options);
    auto made = std::make_unique<bench_instance_v1>();
    made->host = host;
    *instance = made.release();
  });
}

void close(bench_instance_v1 *instance) {
  if (!instance) return;
  Extensions::release(instance);
  for (std::int32_t id = 0; opened_library() && id < bench_instance_v1::most_devices; ++id)
    if (instance->known[id].load()) StreamApi::release_kept(instance, {Runtime::device_type, id});
  delete instance;
}

const void *get_extension(bench_instance_v1 *instance, const char *id) {
  static constexpr bench_ext_gate_v1 gate = Extensions::gate_table(gate_depth);
  static constexpr bench_ext_graph_v1 graph = Extensions::graph_table();
  static constexpr bench_ext_capture_v1 capture = Extensions::capture_table();
  // What this runtime has; without an instance, what one could have.
  const Library *hip = instance ? opened_library() : nullptr;
  const struct {
    const char *id;
    const void *table;
  } tables[] = {{BENCH_EXT_GATE_V1, !hip || hip->hipStreamWaitValue32 ? &gate : nullptr},
                {BENCH_EXT_GRAPH_V1, !hip || hip->can_graph() ? &graph : nullptr},
                {BENCH_EXT_CAPTURE_V1, !hip || hip->can_capture() ? &capture : nullptr},
                {BENCH_EXT_KERNEL_V1, &kernel_extension},
                {BENCH_EXT_TELEMETRY_V1, &telemetry_extension}};
  for (const auto &one : tables)
    if (std::strcmp(id, one.id) == 0) return one.table;
  return nullptr;
}

const char *const aliases[] = {"rocm"};
const std::int32_t memory_types[] = {BENCH_DEVICE_ROCM_HOST};
const bench_class_v1 hip_class = {
    sizeof(bench_class_v1), Runtime::device_type, "hip", aliases, memory_types, 1, 1};
const bench_class_v1 *const classes[] = {&hip_class};

const bench_plugin_api_v1 api = {
    sizeof(bench_plugin_api_v1),
    BENCH_ABI_MINOR,
    0,
    0,
    "org.bench.hip",
    "0.1.0",
    "bench",
    classes,
    1,
    0,
    open,
    close,
    device_list,
    device_info,
    nullptr,  // the core's engine measures
    BENCH_PLUGIN_T1(StreamApi::),
    get_extension,
};

}  // namespace
}  // namespace bench_hip

BENCH_PLUGIN_NOTE("org.bench.hip", "0.1.0", "bench", "\"hip\"",
                  "\"libamdhip64.so\",\"libhiprtc.so\"", 0);

extern "C" BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *,
                                                                   bench_error_v1 *) {
  return &bench_hip::api;
}
