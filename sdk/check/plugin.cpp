// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>

namespace check {

bench_error_v1 new_error() {
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  return error;
}

std::string told(const char *function, bench_status status, const bench_error_v1 &error) {
  std::string text = std::string(function) + " returned " + std::to_string(status);
  // Nobody has promised yet that it is terminated.
  if (error.what[0]) text += ": " + std::string(error.what, strnlen(error.what, sizeof error.what));
  return text;
}

void require_good(const char *function, bench_status status, const bench_error_v1 &error) {
  require(status == BENCH_OK, told(function, status, error));
}

void require_error_filled(const char *function, bench_status status, const bench_error_v1 &error) {
  const auto ended = [](const char *text, std::size_t size) {
    return std::memchr(text, 0, size) != nullptr;
  };
  const std::string name = function;
  require(ended(error.what, sizeof error.what) && ended(error.where, sizeof error.where) &&
              ended(error.hint, sizeof error.hint) &&
              ended(error.vendor_name, sizeof error.vendor_name),
          name + " left a text of the error without its terminating zero");
  require(error.struct_size == sizeof error, name + " wrote the error's struct_size");
  require(error.status == status, name + " returned " + std::to_string(status) +
                                      " and wrote status " + std::to_string(error.status) +
                                      " into the error");
  require(error.what[0] != 0, name + " failed and its error does not say what happened");
}

Plugin::Plugin(const Options &options) {
  void *library = dlopen(options.plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Broken(std::string("it cannot be loaded: ") + dlerror());
  entry_ = reinterpret_cast<bench_plugin_entry_v1>(dlsym(library, "bench_plugin_v1"));
  require(entry_ != nullptr, "it does not export bench_plugin_v1");
  bench_error_v1 error = new_error();
  api_ = entry_(quiet_host(), &error);
  require(api_ != nullptr, std::string("its entry returned no table: ") + error.what);
  require(api_->struct_size >= BENCH_SIZE_1_0_PLUGIN_API,
          "its table has struct_size " + std::to_string(api_->struct_size) + ", below the " +
              std::to_string(BENCH_SIZE_1_0_PLUGIN_API) + " of ABI 1.0");
}

bool Plugin::has_streams() const {
  const bench_plugin_api_v1 &a = *api_;
  return a.stream_create && a.stream_destroy && a.stream_synchronize && a.device_synchronize &&
         a.event_create && a.event_destroy && a.event_record && a.event_query &&
         a.event_synchronize && a.event_elapsed && a.memory_allocate && a.memory_free &&
         a.memory_copy && a.memory_set && a.flush_prepare && a.flush_release && a.flush;
}

const bench_host_v1 *quiet_host() {
  static const bench_host_v1 host = {sizeof(bench_host_v1), BENCH_ABI_MINOR, nullptr,
                                     [](void *, std::uint32_t, const char *) {},
                                     [](void *, const char *) -> const void * { return nullptr; }};
  return &host;
}

Instance::Instance(const Plugin &plugin) : plugin_(plugin) {
  if (!plugin.api().open) return;
  bench_error_v1 error = new_error();
  require_good("open", plugin.api().open(quiet_host(), nullptr, &instance_, &error), error);
}

Instance::~Instance() {
  if (plugin_.api().close) plugin_.api().close(instance_);
}

std::vector<bench_device_v1> list_devices(const Plugin &plugin, bench_instance_v1 *instance) {
  bench_error_v1 error = new_error();
  constexpr std::uint32_t room = 256;
  std::vector<bench_device_v1> devices(room);
  std::uint32_t count = 0;
  const bench_status status =
      plugin.api().device_list(instance, devices.data(), room, &count, &error);
  if (status == BENCH_ERROR_NO_DRIVER || status == BENCH_ERROR_NO_DEVICE ||
      status == BENCH_ERROR_NO_PERMISSION)
    throw NotHere(std::string("no device here: ") + error.what);
  require_good("device_list", status, error);
  devices.resize(count < room ? count : room);
  return devices;
}

Bed::Bed(const Options &options) : plugin(options), instance(plugin), device{} {
  for (const bench_device_v1 candidate : list_devices(plugin, instance.get())) {
    bench_error_v1 error = new_error();
    bench_device_info_v1 info{};
    info.struct_size = sizeof info;
    if (plugin.api().device_info(instance.get(), candidate, &info, &error) == BENCH_OK &&
        info.state == BENCH_OK) {
      device = candidate;
      return;
    }
  }
  throw NotHere("no usable device here");
}

}  // namespace check
