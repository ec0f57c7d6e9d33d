// SPDX-License-Identifier: Apache-2.0
// The xpu plugin as a core sees it, over the real Level Zero loader and the software driver that
// ZE_ENABLE_ALT_DRIVERS names.
#pragma once
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>
#include <bench/ext/kernel.h>
#include <bench/ext/profiler.h>
#include <bench/ext/telemetry.h>
#include <bench/ext/xpu.h>
#include <bench/plugin_v1.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../drivers/level_zero/control.hpp"

namespace bench::test {

using level_zero_driver::Control;
using level_zero_driver::HostKernel;

inline const bench_plugin_api_v1 &xpu_api() {
  static const bench_plugin_api_v1 *const api = [] {
    void *library = ::dlopen(BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_xpu.so",
                             RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    REQUIRE_MESSAGE(!!entry, "the entry symbol is not exported");
    return entry(nullptr, nullptr);
  }();
  return *api;
}

/// The software driver's controls, back to their defaults.
inline Control &fresh_control() {
  static Control *const control = [] {
    const char *path = std::getenv("ZE_ENABLE_ALT_DRIVERS");
    REQUIRE_MESSAGE(path != nullptr, "ZE_ENABLE_ALT_DRIVERS names the software driver");
    void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    const auto get = reinterpret_cast<level_zero_driver::ControlFunction>(
        ::dlsym(library, "bench_level_zero_control"));
    REQUIRE_MESSAGE(!!get, "the file is not the software driver");
    return get();
  }();
  static const Control defaults = *control;
  const std::int64_t objects = control->objects;
  *control = defaults;
  control->objects = objects;
  return *control;
}

struct Error : bench_error_v1 {
  Error() : bench_error_v1{} { struct_size = sizeof(bench_error_v1); }
  bool complete() const { return *what && *where && *hint && status < 0; }
  bool has(const char *text) const { return std::strstr(what, text) != nullptr; }
};

#define REQUIRE_OK(call, error)                                                      \
  do {                                                                               \
    const bench_status required_status = (call);                                     \
    REQUIRE_MESSAGE(required_status == BENCH_OK, (error).where, ": ", (error).what); \
  } while (false)

/// An instance, which starts nothing, and a stream on its first device.
class Xpu {
 public:
  explicit Xpu(std::int32_t id = 0) : api(xpu_api()), device{BENCH_DEVICE_ONEAPI, id} {
    objects_before_ = control.objects;
    host.struct_size = sizeof host;
    host.user = &logged;
    host.log = [](void *user, std::uint32_t, const char *message) {
      *static_cast<std::string *>(user) += std::string(message) + "\n";
    };
    REQUIRE_OK(api.open(&host, nullptr, &instance, &error), error);
    extension(gate, BENCH_EXT_GATE_V1);
    extension(graph, BENCH_EXT_GRAPH_V1);
    extension(kernels, BENCH_EXT_KERNEL_V1);
    extension(profiler, BENCH_EXT_PROFILER_V1);
    extension(telemetry, BENCH_EXT_TELEMETRY_V1);
  }
  ~Xpu() {
    for (bench_stream_v1 &stream : streams_) api.stream_destroy(instance, device, &stream);
    api.close(instance);
    // Whatever is not given back stays on the device until the process ends.
    if (expect_all_back) CHECK(control.objects == objects_before_);
    CHECK_MESSAGE(control.violations == 0, control.violation);
  }
  Xpu(const Xpu &) = delete;  // the instance is closed once
  Xpu &operator=(const Xpu &) = delete;

  /// Made at the first call.
  bench_stream_v1 &stream() {
    if (streams_.empty()) streams_.push_back(make_stream());
    return streams_.front();
  }
  /// Forgets the stream, for tests that destroy it themselves.
  void drop_stream() { streams_.clear(); }

  bench_stream_v1 make_stream() {
    bench_stream_v1 made{};
    made.struct_size = sizeof made;
    REQUIRE_OK(api.stream_create(instance, device, &made, &error), error);
    return made;
  }
  bench_event_v1 *make_event() {
    bench_event_v1 *event = nullptr;
    REQUIRE_OK(api.event_create(instance, device, &stream(), &event, &error), error);
    return event;
  }
  void record(bench_event_v1 *event) {
    REQUIRE_OK(api.event_record(instance, device, event, &stream(), &error), error);
  }
  void synchronize() {
    REQUIRE_OK(api.stream_synchronize(instance, device, &stream(), &error), error);
  }
  double elapsed(bench_event_v1 *start, bench_event_v1 *stop, std::uint32_t *flags = nullptr) {
    double ns = -1;
    std::uint32_t ignored = 0;
    REQUIRE_OK(
        api.event_elapsed(instance, device, start, stop, &ns, flags ? flags : &ignored, &error),
        error);
    return ns;
  }
  void *allocate(std::uint64_t size) {
    void *memory = nullptr;
    REQUIRE_OK(api.memory_allocate(instance, device, &stream(), size, &memory, &error), error);
    return memory;
  }

  Control &control = fresh_control();
  const bench_plugin_api_v1 &api;
  bench_host_v1 host{};
  std::string logged;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device;
  Error error;
  const bench_ext_gate_v1 *gate = nullptr;
  const bench_ext_graph_v1 *graph = nullptr;
  const bench_ext_kernel_v1 *kernels = nullptr;
  const bench_ext_profiler_v1 *profiler = nullptr;
  const bench_ext_telemetry_v1 *telemetry = nullptr;
  bool expect_all_back = true;

 private:
  template <typename Table>
  void extension(const Table *&table, const char *id) {
    table = static_cast<const Table *>(api.get_extension(instance, id));
    REQUIRE(table != nullptr);
  }

  std::vector<bench_stream_v1> streams_;
  std::int64_t objects_before_ = 0;
};

inline bench_status append_text(void *user, const void *bytes, std::uint64_t size) {
  static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
  return BENCH_OK;
}
inline bench_writer_v1 writer_to(std::string &text) {
  return {sizeof(bench_writer_v1), 0, &text, append_text};
}

/// A SPIR-V module of nothing but a header and what names its kernels.
inline std::string spirv_module(const std::vector<std::string> &kernels) {
  std::vector<std::uint32_t> words{0x07230203, 0x00010000, 0, 100, 0};
  std::uint32_t id = 1;
  for (const std::string &kernel : kernels) {
    std::vector<std::uint32_t> name(kernel.size() / 4 + 1, 0);
    std::memcpy(name.data(), kernel.data(), kernel.size());
    words.push_back((static_cast<std::uint32_t>(name.size() + 3) << 16) | 15);  // OpEntryPoint
    words.push_back(6);                                                         // Kernel
    words.push_back(id++);
    words.insert(words.end(), name.begin(), name.end());
  }
  return std::string(reinterpret_cast<const char *>(words.data()), words.size() * 4);
}

/// A loaded kernel, unloaded with it.
class LoadedKernel {
 public:
  LoadedKernel(Xpu &xpu, const std::string &name, const std::vector<std::uint32_t> &kinds = {})
      : xpu_(xpu) {
    std::vector<bench_kernel_parameter_v1> parameters;
    for (const std::uint32_t kind : kinds)
      parameters.push_back(
          {sizeof(bench_kernel_parameter_v1), kind, BENCH_ACCESS_READ, 2, 32, 1, "parameter"});
    std::vector<const bench_kernel_parameter_v1 *> pointers;
    for (const auto &parameter : parameters) pointers.push_back(&parameter);
    const std::string module = spirv_module({name});
    REQUIRE_OK(xpu.kernels->load(xpu.instance, xpu.device, &xpu.stream(), module.data(),
                                 module.size(), name.c_str(), pointers.data(),
                                 static_cast<std::uint32_t>(pointers.size()), &kernel, nullptr,
                                 &xpu.error),
               xpu.error);
  }
  ~LoadedKernel() { xpu_.kernels->unload(xpu_.instance, xpu_.device, kernel); }
  LoadedKernel(const LoadedKernel &) = delete;  // unloaded once
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  bench_status launch(const bench_stream_v1 &stream,
                      const std::vector<const void *> &arguments = {},
                      const std::vector<std::uint64_t> &sizes = {}, std::uint32_t grid = 1,
                      std::uint32_t block = 1) {
    bench_kernel_launch_v1 call{};
    call.struct_size = sizeof call;
    call.grid[0] = grid;
    call.block[0] = block;
    call.grid[1] = call.grid[2] = call.block[1] = call.block[2] = 1;
    call.arguments = arguments.data();
    call.argument_sizes = sizes.data();
    call.argument_count = static_cast<std::uint32_t>(arguments.size());
    return xpu_.kernels->launch(xpu_.instance, xpu_.device, kernel, &call, &stream, &xpu_.error);
  }
  bench_kernel_v1 *kernel = nullptr;

 private:
  Xpu &xpu_;
};

}  // namespace bench::test
