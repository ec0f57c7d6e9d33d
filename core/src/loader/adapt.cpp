// SPDX-License-Identifier: Apache-2.0
#include "loader/adapt.hpp"

#include <bench/plugin_v1_layout.h>

#include <algorithm>
#include <cstring>

namespace bench::loader {
namespace {

// The table of ABI 1.0. A later minor is larger; this one never shrinks.
constexpr std::uint32_t first_table_bytes = BENCH_SIZE_1_0_PLUGIN_API;

bench_status unsupported(bench_error_v1 *error, const char *function) {
  if (!error) return BENCH_ERROR_UNSUPPORTED;
  if (BENCH_HAS(error, status)) error->status = BENCH_ERROR_UNSUPPORTED;
  const auto put = [](char *target, std::size_t size, const std::string &text) {
    std::strncpy(target, text.c_str(), size - 1);
    target[size - 1] = '\0';
  };
  if (BENCH_HAS(error, where)) put(error->where, sizeof error->where, function);
  if (BENCH_HAS(error, what))
    put(error->what, sizeof error->what, std::string("the plugin has no ") + function);
  if (BENCH_HAS(error, hint))
    put(error->hint, sizeof error->hint, "use a plugin of a higher tier, or a newer one");
  return BENCH_ERROR_UNSUPPORTED;
}

// One stub a signature: the last parameter is always the error.
template <typename Function>
struct Stub;
template <typename... Arguments>
struct Stub<bench_status (*)(Arguments...)> {
  template <const char *const *Name>
  static bench_status call(Arguments... arguments) {
    bench_error_v1 *error = nullptr;
    ((error = pick(arguments)), ...);
    return unsupported(error, *Name);
  }
  static bench_error_v1 *pick(bench_error_v1 *error) { return error; }
  template <typename Other>
  static bench_error_v1 *pick(Other) {
    return nullptr;
  }
};

#define BENCH_STUB(member)                          \
  static const char *const member##_name = #member; \
  if (!api.member) api.member = &Stub<decltype(api.member)>::call<&member##_name>

}  // namespace

std::optional<TableFault> judge_table(const bench_plugin_api_v1 *table) {
  const char *rebuild = "the plugin's vendor must rebuild it with the SDK's header";
  if (table->struct_size < first_table_bytes) {
    return TableFault{BENCH_ERROR_INVALID_ARGUMENT,
                      "its table has struct_size " + std::to_string(table->struct_size) +
                          ", below the " + std::to_string(first_table_bytes) + " of ABI 1.0",
                      rebuild};
  }
  if (table->min_host_minor > BENCH_ABI_MINOR) {
    return TableFault{BENCH_ERROR_INCOMPATIBLE,
                      "it needs a core of ABI 1." + std::to_string(table->min_host_minor) +
                          "; this core has 1." + std::to_string(BENCH_ABI_MINOR),
                      "update the core, or use an older release of the plugin"};
  }
  if (!table->id || !*table->id || !table->version)
    return TableFault{BENCH_ERROR_INVALID_ARGUMENT, "its table has no id or no version", rebuild};
  if (table->class_count == 0 || !table->classes)
    return TableFault{BENCH_ERROR_INVALID_ARGUMENT, "it serves no device class", rebuild};
  for (std::uint32_t i = 0; i < table->class_count; ++i) {
    const bench_class_v1 *device_class = table->classes[i];
    if (!device_class || device_class->struct_size < BENCH_SIZE_1_0_CLASS || !device_class->name) {
      return TableFault{BENCH_ERROR_INVALID_ARGUMENT,
                        "class " + std::to_string(i) + " of its table is incomplete", rebuild};
    }
    const std::string name = device_class->name;
    const bool good = !name.empty() && name.size() <= 31 && name[0] >= 'a' && name[0] <= 'z' &&
                      std::all_of(name.begin(), name.end(), [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                      });
    if (!good)
      return TableFault{BENCH_ERROR_INVALID_ARGUMENT,
                        "its class name '" + name + "' breaks the rule [a-z][a-z0-9_]{0,30}",
                        rebuild};
  }
  if (!table->device_list || !table->device_info)
    return TableFault{BENCH_ERROR_INVALID_ARGUMENT, "it has no device_list or no device_info",
                      rebuild};
  if (!table->open != !table->close)
    return TableFault{BENCH_ERROR_INVALID_ARGUMENT, "it has only one of open and close", rebuild};
  return std::nullopt;
}

bench_plugin_api_v1 adapt_table(const bench_plugin_api_v1 &table, bool &has_t1,
                                bool &has_do_bench) {
  bench_plugin_api_v1 api{};
  std::memcpy(&api, &table, std::min<std::size_t>(table.struct_size, sizeof api));
  api.struct_size = sizeof api;
  has_do_bench = api.do_bench != nullptr;
  has_t1 = api.stream_create && api.stream_destroy && api.stream_synchronize &&
           api.device_synchronize && api.event_create && api.event_destroy && api.event_record &&
           api.event_synchronize && api.event_elapsed && api.memory_allocate && api.memory_free &&
           api.memory_copy && api.memory_set && api.flush_prepare && api.flush_release &&
           api.flush && api.event_query;
  BENCH_STUB(do_bench);
  BENCH_STUB(stream_create);
  BENCH_STUB(stream_synchronize);
  BENCH_STUB(device_synchronize);
  BENCH_STUB(event_create);
  BENCH_STUB(event_record);
  BENCH_STUB(event_synchronize);
  BENCH_STUB(event_elapsed);
  BENCH_STUB(memory_allocate);
  BENCH_STUB(memory_copy);
  BENCH_STUB(memory_set);
  BENCH_STUB(event_query);
  BENCH_STUB(flush_prepare);
  BENCH_STUB(flush);
  if (!api.close) api.close = [](bench_instance_v1 *) {};
  if (!api.stream_destroy)
    api.stream_destroy = [](bench_instance_v1 *, bench_device_v1, bench_stream_v1 *) {};
  if (!api.event_destroy)
    api.event_destroy = [](bench_instance_v1 *, bench_device_v1, bench_event_v1 *) {};
  if (!api.memory_free) api.memory_free = [](bench_instance_v1 *, bench_device_v1, void *) {};
  if (!api.flush_release)
    api.flush_release = [](bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *) {};
  if (!api.get_extension)
    api.get_extension = [](bench_instance_v1 *, const char *) -> const void * { return nullptr; };
  return api;
}

}  // namespace bench::loader
