// SPDX-License-Identifier: Apache-2.0
// The plugin's table: NVIDIA GPUs through the CUDA driver API.
#include <cstring>
#include <memory>
#include <string>

#include "cuda.hpp"

namespace bench_cuda {
namespace {

using Extensions = bench::plugin::StreamExtensions<Runtime>;

// A channel's queue holds 1024 entries, and a launch takes one; an operation that finds it full
// blocks until the device has taken another, which a closed gate prevents. Half of it leaves room
// for launches that are several operations.
constexpr std::uint32_t gate_depth = 512;

void log_unknown(const bench_host_v1 *host, const bench_options_v1 *options) {
  if (!host || !host->log || !options) return;
  for (std::uint32_t i = 0; i < options->count; ++i)
    host->log(
        host->user, BENCH_LOG_WARNING,
        (std::string("cuda has no option ") + options->keys[i] + ", which is ignored").c_str());
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
  release_clock_locks(*instance);
  Extensions::release(instance);
  const Driver *cuda = opened_driver();
  for (std::int32_t id = 0; cuda && id < bench_instance_v1::most_devices; ++id) {
    const bench_device_v1 device{BENCH_DEVICE_CUDA, id};
    if (!instance->primary[id].load() || !StreamApi::alive(instance, device)) continue;
    StreamApi::release_kept(instance, device);
    Runtime::drop_settled(*instance, device);
    CUdevice handle = 0;
    if (cuda->cuDeviceGet(&handle, id) == CUDA_SUCCESS) cuda->cuDevicePrimaryCtxRelease(handle);
  }
  delete instance;
}

const void *get_extension(bench_instance_v1 *, const char *id) {
  static constexpr bench_ext_gate_v1 gate = Extensions::gate_table(gate_depth);
  static constexpr bench_ext_graph_v1 graph = Extensions::graph_table();
  static constexpr bench_ext_capture_v1 capture = Extensions::capture_table();
  const struct {
    const char *id;
    const void *table;
  } tables[] = {{BENCH_EXT_GATE_V1, &gate},
                {BENCH_EXT_GRAPH_V1, &graph},
                {BENCH_EXT_CAPTURE_V1, &capture},
                {BENCH_EXT_KERNEL_V1, &kernel_extension},
                {BENCH_EXT_TELEMETRY_V1, &telemetry_extension},
                {BENCH_EXT_PROFILER_V1, &profiler_extension}};
  for (const auto &one : tables)
    if (std::strcmp(id, one.id) == 0) return one.table;
  return nullptr;
}

const std::int32_t memory_types[] = {BENCH_DEVICE_CUDA_HOST, BENCH_DEVICE_CUDA_MANAGED};
const bench_class_v1 cuda_class = {
    sizeof(bench_class_v1), BENCH_DEVICE_CUDA, "cuda", nullptr, memory_types, 0, 2};
const bench_class_v1 *const classes[] = {&cuda_class};

const bench_plugin_api_v1 api = {
    sizeof(bench_plugin_api_v1),
    BENCH_ABI_MINOR,
    0,
    0,
    "org.bench.cuda",
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
}  // namespace bench_cuda

BENCH_PLUGIN_NOTE("org.bench.cuda", "0.1.0", "bench", "\"cuda\"",
                  "\"libcuda.so.1\",\"libnvrtc.so\",\"libnvidia-ml.so.1\",\"libcupti.so\"", 0);

extern "C" BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *,
                                                                   bench_error_v1 *) {
  return &bench_cuda::api;
}
