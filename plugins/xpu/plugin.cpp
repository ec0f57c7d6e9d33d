// SPDX-License-Identifier: Apache-2.0
// The plugin's table.
#include "xpu.hpp"

namespace bench_xpu {
namespace {

bench_status open(const bench_host_v1 *host, const bench_options_v1 *options,
                  bench_instance_v1 **instance, bench_error_v1 *error) {
  *instance = nullptr;
  return guarded(error, "open", [&] {
    auto made = std::make_unique<bench_instance_v1>();
    made->host = host;
    for (std::uint32_t i = 0; options && i < options->count; ++i)
      log(*made, BENCH_LOG_WARNING,
          std::string("the xpu plugin has no option ") + options->keys[i]);
    *instance = made.release();
  });
}

/// Devices that never ended their work, for the rest of the process.
void keep(std::unique_ptr<Device> device) {
  static std::mutex mutex;
  static auto *const kept = new std::vector<std::unique_ptr<Device>>;  // never destroyed either
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(device));
}

void close(bench_instance_v1 *instance) {
  guarded(nullptr, "close", [&] {
    if (!instance->listed.load()) return;
    for (auto &device : instance->devices) {
      if (!close_device(*instance, *device)) keep(std::move(device));
    }
  });
  delete instance;
}

const void *get_extension(bench_instance_v1 *, const char *id) {
  if (std::strcmp(id, BENCH_EXT_GATE_V1) == 0) return &gate_extension;
  if (std::strcmp(id, BENCH_EXT_GRAPH_V1) == 0) return &graph_extension;
  if (std::strcmp(id, BENCH_EXT_KERNEL_V1) == 0) return &kernel_extension;
  if (std::strcmp(id, BENCH_EXT_PROFILER_V1) == 0) return &profiler_extension;
  if (std::strcmp(id, BENCH_EXT_TELEMETRY_V1) == 0) return &telemetry_extension;
  return nullptr;
}

const char *const aliases[] = {"level_zero", "oneapi", "sycl"};
const bench_class_v1 xpu_class = {
    sizeof(bench_class_v1), BENCH_DEVICE_ONEAPI, "xpu", aliases, nullptr, 3, 0};
const bench_class_v1 *const classes[] = {&xpu_class};

const bench_plugin_api_v1 api = {
    sizeof(bench_plugin_api_v1),
    BENCH_ABI_MINOR,
    0,
    0,
    "org.bench.xpu",
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
    BENCH_PLUGIN_T1(),
    get_extension,
};

}  // namespace
}  // namespace bench_xpu

BENCH_PLUGIN_NOTE("org.bench.xpu", "0.1.0", "bench", "\"xpu\"", "\"libze_loader.so.1\"", 0);

extern "C" BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *,
                                                                   bench_error_v1 *) {
  return &bench_xpu::api;
}
