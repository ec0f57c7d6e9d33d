// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "api/handles.hpp"
#include "bench/bench.h"
#include "dispatch/votes.hpp"
#include "tune/device_lock.hpp"
#include "tune/tuner_device.hpp"

using bench::Failure;
using bench::guarded;
namespace api = bench::api;
using nlohmann::json;

namespace {

/// Nothing of an elevated process may be steered by whoever started it.
std::string environment(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

std::string text(const json &document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::unique_ptr<bench_context> make_context(const bench_context_options_v1 *given) {
  bench_context_options_v1 options{};
  if (given) {
    api::require_size(given->struct_size,
                      offsetof(bench_context_options_v1, log_user) + sizeof(void *),
                      "bench_context_options_v1", "bench_context_create");
    std::memcpy(&options, given, sizeof options);
  }
  const bool reads_environment = !(options.flags & BENCH_CONTEXT_IGNORE_ENVIRONMENT);
  auto context = std::make_unique<bench_context>(options.log, options.log_user,
                                                 reads_environment ? environment("BENCH_LOG") : "");
  bench::loader::Options loader;
  if (options.plugin_path_count && !options.plugin_paths)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "plugin_paths is NULL while its count is not 0",
                  "bench_context_create", "pass plugin_path_count paths");
  for (std::uint32_t at = 0; at < options.plugin_path_count; ++at) {
    api::require(options.plugin_paths[at], "an element of plugin_paths", "bench_context_create");
    loader.paths.emplace_back(options.plugin_paths[at]);
  }
  loader.use_environment = reads_environment;
  loader.notes_only = options.flags & BENCH_CONTEXT_NOTES_ONLY;
  loader.allow_world_writable = options.flags & BENCH_CONTEXT_ALLOW_WORLD_WRITABLE;
  loader.log = &context->log;
  context->registry = std::make_unique<bench::loader::Registry>(std::move(loader));
  context->lock_folder = bench::tune::device_lock_folder(reads_environment);
  if (!(options.flags & BENCH_CONTEXT_NO_STORE)) {
    const std::filesystem::path file =
        options.store_path ? options.store_path : bench::store::default_path();
    context->store = std::make_unique<bench::store::Store>(file, &context->log);
  }
  return context;
}

json plugin_json(const bench::loader::PluginRecord &record) {
  return {{"path", record.path},
          {"classes", record.classes},
          {"state", bench::loader::state_name(record.state)},
          {"code", record.code.empty() ? json() : json(record.code)},
          {"reason", record.reason.empty() ? json() : json(record.reason)},
          {"id", record.id},
          {"version", record.version},
          {"vendor", record.vendor}};
}

}  // namespace

extern "C" {

bench_status bench_context_create(const bench_context_options_v1 *options, bench_context **context,
                                  bench_error_v1 *error) {
  return guarded(error, "bench_context_create", [&] {
    api::require(context, "context", "bench_context_create");
    *context = nullptr;
    *context = make_context(options).release();
  });
}

void bench_context_destroy(bench_context *context) {
  delete context;
}

bench_status bench_device_parse(bench_context *context, const char *name, bench_device_v1 *device,
                                bench_error_v1 *error) {
  return guarded(error, "bench_device_parse", [&] {
    api::require(context, "context", "bench_device_parse");
    api::require(name, "text", "bench_device_parse");
    api::require(device, "device", "bench_device_parse");
    *device = context->registry->parse_device(name);
  });
}

bench_status bench_device_info(bench_context *context, bench_device_v1 device,
                               bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "bench_device_info", [&] {
    const char *where = "bench_device_info";
    api::require(context, "context", where);
    api::require(info, "info", where);
    api::require_size(info->struct_size,
                      offsetof(bench_device_info_v1, peak_flops_per_second) + sizeof(double),
                      "bench_device_info_v1", where);
    for (const auto &record : context->registry->devices()) {
      if (record.device.type != device.type || record.device.id != device.id) continue;
      bench_device_info_v1 found = record.info;
      found.struct_size = info->struct_size;
      found.device = device;  // with the class's number in this process
      std::memcpy(info, &found, std::min<std::size_t>(sizeof found, info->struct_size));
      return;
    }
    const std::string name = context->registry->class_name(device.type);
    throw Failure(BENCH_ERROR_NO_DEVICE,
                  "there is no device " + (name.empty() ? std::to_string(device.type) : name) +
                      ":" + std::to_string(device.id),
                  where, "list the devices with `bench devices`");
  });
}

bench_status bench_devices_json(bench_context *context, const bench_writer_v1 *writer,
                                bench_error_v1 *error) {
  return guarded(error, "bench_devices_json", [&] {
    api::require(context, "context", "bench_devices_json");
    api::check_writer(writer, "bench_devices_json");
    json list = json::array();
    for (const auto &record : context->registry->devices())
      list.push_back({{"tag", record.tag()},
                      {"class", record.class_name},
                      {"name", record.info.name},
                      {"plugin", record.plugin},
                      {"state", record.usable ? "usable" : "unusable"},
                      {"reason", record.reason.empty() ? json() : json(record.reason)}});
    api::write(writer, text(list), "bench_devices_json");
  });
}

bench_status bench_plugins_json(bench_context *context, uint32_t story,
                                const bench_writer_v1 *writer, bench_error_v1 *error) {
  return guarded(error, "bench_plugins_json", [&] {
    api::require(context, "context", "bench_plugins_json");
    api::check_writer(writer, "bench_plugins_json");
    json plugins = json::array();
    for (const auto &record : context->registry->discover()) plugins.push_back(plugin_json(record));
    if (!story) return api::write(writer, text(plugins), "bench_plugins_json");
    json lines = json::array();
    for (const auto &line : context->registry->story())
      lines.push_back({{"code", line.code},
                       {"path", line.path},
                       {"what", line.what},
                       {"hint", line.hint.empty() ? json() : json(line.hint)}});
    api::write(writer, text({{"plugins", plugins}, {"story", lines}}), "bench_plugins_json");
  });
}

bench_status bench_dispatch(bench_context *context, const bench_argument_v1 *const *arguments,
                            uint32_t count, const char *device_name, bench_device_v1 *device,
                            bench_error_v1 *error) {
  return guarded(error, "bench_dispatch", [&] {
    api::require(context, "context", "bench_dispatch");
    api::require(device, "device", "bench_dispatch");
    if (count) api::require(arguments, "arguments", "bench_dispatch");
    if (device_name && *device_name) {
      *device = context->registry->parse_device(device_name);
      return;
    }
    const auto classes = bench::tune::class_table(*context->registry);
    *device = bench::dispatch::elect(classes, arguments, count, nullptr);
  });
}

}  // extern "C"
