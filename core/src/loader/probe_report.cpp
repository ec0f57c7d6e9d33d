// SPDX-License-Identifier: Apache-2.0
#include "loader/probe_report.hpp"

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "loader/adapt.hpp"
#include "loader/diagnostics.hpp"

namespace bench::loader {
namespace {

using nlohmann::json;

// More devices than any machine has; a plugin that claims more is broken.
constexpr std::uint32_t max_devices = 4096;

void ignore_log(void *, std::uint32_t, const char *) {}
const void *no_extension(void *, const char *) {
  return nullptr;
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return std::string(text, ::strnlen(text, N));
}

json refusal(const char *code, const std::string &reason, const std::string &hint) {
  return {{"code", code}, {"reason", reason}, {"hint", hint}};
}

json classes_of(const bench_plugin_api_v1 &api) {
  json classes = json::array();
  for (std::uint32_t i = 0; i < api.class_count; ++i) {
    const bench_class_v1 &known = *api.classes[i];
    json one{{"name", known.name},
             {"type", known.device_type},
             {"aliases", json::array()},
             {"memory_types", json::array()}};
    for (std::uint32_t a = 0; known.aliases && a < known.alias_count; ++a)
      one["aliases"].push_back(known.aliases[a]);
    for (std::uint32_t m = 0; known.memory_types && m < known.memory_type_count; ++m)
      one["memory_types"].push_back(known.memory_types[m]);
    classes.push_back(std::move(one));
  }
  return classes;
}

std::string bytes_text(const void *bytes, std::size_t size) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[static_cast<const unsigned char *>(bytes)[i] >> 4];
    text += digits[static_cast<const unsigned char *>(bytes)[i] & 15];
  }
  return text;
}

void list_devices(const bench_plugin_api_v1 &api, bench_instance_v1 *instance, json &report) {
  bench_error_v1 error = error_struct();
  std::uint32_t count = 0;
  bench_status status = api.device_list(instance, nullptr, 0, &count, &error);
  std::vector<bench_device_v1> devices(std::min(count, max_devices));
  if (status == BENCH_OK && count > 0) {
    status = api.device_list(instance, devices.data(), static_cast<std::uint32_t>(devices.size()),
                             &count, &error);
    devices.resize(std::min<std::size_t>(count, devices.size()));
  }
  report["devices"] = json::array();
  if (status != BENCH_OK) {
    report["no_device"] = {
        {"status", status}, {"reason", text_of(error.what)}, {"hint", text_of(error.hint)}};
    return;
  }
  for (const bench_device_v1 device : devices) {
    bench_device_info_v1 info{};
    info.struct_size = sizeof info;
    error = error_struct();
    status = api.device_info(instance, device, &info, &error);
    json one{{"type", device.type}, {"id", device.id}};
    if (status != BENCH_OK) {
      one["reason"] = text_of(error.what);
      info.state = status;
    }
    one["info"] = bytes_text(&info, sizeof info);
    report["devices"].push_back(std::move(one));
  }
}

json ask(bench_plugin_entry_v1 entry) {
  bench_host_v1 host{};
  host.struct_size = sizeof host;
  host.abi_minor = BENCH_ABI_MINOR;
  host.log = ignore_log;
  host.get_extension = no_extension;
  bench_error_v1 error = error_struct();
  const bench_plugin_api_v1 *table = entry(&host, &error);
  if (!table) {
    const std::string what = text_of(error.what);
    return refusal(
        code::entry_refused,
        what.empty() ? "its entry returned no table and no reason" : "its entry refused: " + what,
        error.hint[0] ? text_of(error.hint) : "ask the plugin's vendor");
  }
  if (const auto fault = judge_table(table)) {
    return refusal(fault->status == BENCH_ERROR_INCOMPATIBLE ? code::incompatible : code::table_bad,
                   fault->what, fault->hint);
  }
  bool has_t1 = false, has_do_bench = false;
  const bench_plugin_api_v1 api = adapt_table(*table, has_t1, has_do_bench);
  if (!has_t1 && !has_do_bench) {
    return refusal(code::table_bad, "it has neither do_bench nor all T1 primitives",
                   "the plugin's vendor must add one of them");
  }
  json report{{"id", api.id},
              {"version", api.version},
              {"vendor", api.vendor ? api.vendor : ""},
              {"score", api.score},
              {"classes", classes_of(api)}};
  bench_instance_v1 *instance = nullptr;
  if (api.open) {
    const bench_status status = api.open(&host, nullptr, &instance, &error);
    if (status != BENCH_OK) {
      report["devices"] = json::array();
      report["no_device"] = {
          {"status", status}, {"reason", text_of(error.what)}, {"hint", text_of(error.hint)}};
      return report;
    }
  }
  list_devices(api, instance, report);
  if (api.open) api.close(instance);
  return report;
}

}  // namespace

json probe_report(bench_plugin_entry_v1 entry) {
  constexpr const char *hint = "its vendor must catch exceptions before they leave a C function";
  // Where the plugin is probed in this process, the exception would end the user's search.
  try {
    return ask(entry);
  } catch (const std::exception &error) {
    return refusal(code::entry_refused, std::string("it threw an exception: ") + error.what(),
                   hint);
  } catch (...) {
    return refusal(code::entry_refused, "it threw an exception", hint);
  }
}

}  // namespace bench::loader
