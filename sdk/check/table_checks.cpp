// SPDX-License-Identifier: Apache-2.0
// The entry and its table.
#include <algorithm>
#include <cstring>
#include <thread>

#include "plugin.hpp"

namespace check {
namespace {

void size(const Options &options) {
  Plugin plugin(options);
}

void same_table(const Options &options) {
  const Plugin plugin(options);
  constexpr int calls = 1000;
  for (int call = 0; call < calls; ++call)
    require(plugin.entry()(quiet_host(), nullptr) == &plugin.api(),
            "the entry returned another table at a later call");
}

void null_host(const Options &options) {
  const Plugin plugin(options);
  require(plugin.entry()(nullptr, nullptr) == &plugin.api(),
          "the entry refuses a NULL host, which listing tools give");
}

void larger_host(const Options &options) {
  const Plugin plugin(options);
  struct {
    bench_host_v1 host;
    char later[64];
  } later{};
  later.host = *quiet_host();
  later.host.struct_size = sizeof later;
  later.host.abi_minor = 99;
  require(plugin.entry()(&later.host, nullptr) != nullptr,
          "the entry refuses a host that is newer and larger");
}

void entry_from_threads(const Options &options) {
  const Plugin plugin(options);
  std::vector<std::thread> threads;
  std::vector<const bench_plugin_api_v1 *> tables(8);
  for (std::size_t i = 0; i < tables.size(); ++i)
    threads.emplace_back([&, i] { tables[i] = plugin.entry()(quiet_host(), nullptr); });
  for (std::thread &thread : threads) thread.join();
  for (const auto *table : tables)
    require(table == &plugin.api(), "the entry gave a thread another table");
}

void identity(const Options &options) {
  const bench_plugin_api_v1 &api = Plugin(options).api();
  require(api.id && *api.id && api.version && *api.version, "its table has no id or no version");
  require(std::strchr(api.id, '.') != nullptr,
          std::string("its id '") + api.id + "' is not reverse DNS");
  require(api.min_host_minor <= BENCH_ABI_MINOR,
          "it needs a core of ABI 1." + std::to_string(api.min_host_minor));
  require(api.flags == 0, "flags of its table is not zero");
}

void classes(const Options &options) {
  const bench_plugin_api_v1 &api = Plugin(options).api();
  require(api.class_count > 0 && api.classes, "it serves no device class");
  for (std::uint32_t i = 0; i < api.class_count; ++i) {
    const bench_class_v1 *one = api.classes[i];
    require(one && one->struct_size >= BENCH_SIZE_1_0_CLASS && one->name,
            "class " + std::to_string(i) + " is incomplete");
    const std::string name = one->name;
    require(
        !name.empty() && name.size() <= 31 && name[0] >= 'a' && name[0] <= 'z' &&
            name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos,
        "its class name '" + name + "' breaks the rule [a-z][a-z0-9_]{0,30}");
    require(one->device_type > 0,
            "class " + name + " has device type " + std::to_string(one->device_type));
    for (std::uint32_t j = 0; j < i; ++j)
      require(name != api.classes[j]->name, "it names class " + name + " twice");
    require(one->alias_count == 0 || one->aliases,
            "class " + name + " counts aliases and has none");
    require(one->memory_type_count == 0 || one->memory_types,
            "class " + name + " counts memory types and has none");
  }
}

void required_functions(const Options &options) {
  const bench_plugin_api_v1 &api = Plugin(options).api();
  require(api.device_list && api.device_info, "it has no device_list or no device_info");
  require(!api.open == !api.close, "it has only one of open and close");
}

void tier(const Options &options) {
  const Plugin plugin(options);
  const bench_plugin_api_v1 &a = plugin.api();
  const bool any = a.stream_create || a.stream_destroy || a.stream_synchronize ||
                   a.device_synchronize || a.event_create || a.event_record || a.event_elapsed ||
                   a.memory_allocate || a.memory_copy || a.memory_set || a.flush_prepare || a.flush;
  require(!any || plugin.has_streams(),
          "it has some functions of tier T1, stream_create to flush, but not all");
  require(a.do_bench || plugin.has_streams(),
          "it has neither do_bench nor all functions of tier T1: it measures nothing");
  require(!any || (a.open && a.close), "open and close may be NULL in tier T0 only");
}

void unknown_extension(const Options &options) {
  const Plugin plugin(options);
  if (!plugin.api().get_extension) throw NotHere("it has no get_extension");
  require(!plugin.api().get_extension(nullptr, "org.example.nobody/1"),
          "it claims an extension that nobody defined");
  require(!plugin.api().get_extension(nullptr, ""), "it claims an extension without a name");
  const Instance instance(plugin);
  require(!plugin.api().get_extension(instance.get(), "org.example.nobody/1"),
          "an instance claims an extension that nobody defined");
}

}  // namespace

const std::vector<Check> &table_checks() {
  static const std::vector<Check> checks = {
      {"table.size", "The file loads, and its entry gives a table of at least the 1.0 size.", size},
      {"table.same", "The entry gives the same table each time.", same_table},
      {"table.null_host", "The entry takes a NULL host, as listing tools call it.", null_host},
      {"table.larger_host", "A newer, larger host is no reason to refuse.", larger_host},
      {"table.threads", "The entry may be called from any thread at once.", entry_from_threads},
      {"table.identity", "id, version and min_host_minor are usable; flags is zero.", identity},
      {"table.classes", "Each class has a legal name of its own and a device type.", classes},
      {"table.functions", "device_list and device_info are there; open and close both or neither.",
       required_functions},
      {"table.tier", "It is whole: T0 by do_bench, or all of T1.", tier},
      {"table.unknown_extension", "An unknown extension id gives NULL.", unknown_extension},
  };
  return checks;
}

}  // namespace check
