// SPDX-License-Identifier: Apache-2.0
// A device of the mock plugin for one test: its own instance, clock and script, and a callable
// whose launches cost what the test says.
#pragma once
#include <dlfcn.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "loader/adapt.hpp"
#include "measure/engine.hpp"
#include "mock_control.h"

namespace bench::test {

inline const bench_plugin_api_v1 *load_table(const char *path) {
  void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(::dlerror());
  const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
  bench_error_v1 error = error_struct();
  const bench_plugin_api_v1 *table = entry(nullptr, &error);
  if (!table) throw std::runtime_error(error.what);
  return table;
}

class MockDevice {
 public:
  MockDevice() {
    const bench_plugin_api_v1 *table = load_table(BENCH_MOCK_PLUGIN);
    api_ = loader::adapt_table(*table, target.has_t1, target.has_do_bench);
    bench_error_v1 error = error_struct();
    if (api_.open(nullptr, nullptr, &target.instance, &error) != BENCH_OK)
      throw std::runtime_error(error.what);
    target.api = &api_;
    target.device = {BENCH_DEVICE_EXT, 0};
    control = static_cast<const bench_ext_test_mock_v1 *>(
        api_.get_extension(target.instance, BENCH_TEST_MOCK_V1));
    script = control->script(target.instance, target.device);
    clock.device = this;
  }
  ~MockDevice() { api_.close(target.instance); }
  MockDevice(const MockDevice &) = delete;  // owns the instance
  MockDevice &operator=(const MockDevice &) = delete;

  /// Nothing that the core made is left behind.
  bool clean() const {
    return script->streams_alive == 0 && script->events_alive == 0 && script->memories_alive == 0 &&
           script->flush_prepared == 0 && script->memory_bytes == 0;
  }

  struct HostClock final : Clock {
    MockDevice *device = nullptr;
    std::int64_t now_ns() override {
      return static_cast<std::int64_t>(device->control->now_ns(device->target.instance));
    }
    void sleep_ns(std::int64_t duration_ns) override {
      device->control->advance_ns(device->target.instance, static_cast<double>(duration_ns));
    }
  };

  measure::Target target;
  const bench_ext_test_mock_v1 *control = nullptr;
  bench_test_mock_script_v1 *script = nullptr;
  HostClock clock;

 private:
  bench_plugin_api_v1 api_{};
};

/// A callable on a mock device. `duration` gives the device time of launch number i. `order` has
/// one letter a callback: p(repare), l(aunch), w(ait), r(estore).
struct Work {
  explicit Work(MockDevice &on, double constant_ns = 10'000.0)
      : device(on), duration([constant_ns](std::uint64_t) { return constant_ns; }) {
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_REPEATABLE;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                         bench_error_v1 *error) -> bench_status {
      Work &self = *static_cast<Work *>(user);
      if (self.records_order) self.order += 'l';
      const std::uint64_t number = ++self.launches;
      if (number == self.fail_at) return self.fail(error);
      if (!self.enqueues) return BENCH_OK;
      const auto &target = self.device.target;
      if (self.stray_ns > 0.0)
        self.device.control->stray_work(target.instance, target.device, self.stray_ns, error);
      return self.device.control->work(target.instance, target.device, stream,
                                       self.duration(number - 1), error);
    };
  }
  Work(const Work &) = delete;  // the callable points here
  Work &operator=(const Work &) = delete;

  void with_prepare() {
    callable.prepare = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                          bench_error_v1 *error) -> bench_status {
      Work &self = *static_cast<Work *>(user);
      self.order += 'p';
      ++self.prepares;
      const auto &target = self.device.target;
      return self.device.control->work(target.instance, target.device, stream, self.prepare_ns,
                                       error);
    };
  }
  void with_restore() {
    callable.restore = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                          bench_error_v1 *error) -> bench_status {
      Work &self = *static_cast<Work *>(user);
      self.order += 'r';
      ++self.restores;
      if (self.restore_status == BENCH_OK) return BENCH_OK;
      return error_fill(error,
                        {self.restore_status, "restore broke", "my restore", "mend it", 0, ""});
    };
  }
  void with_wait() {
    callable.wait = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                       bench_error_v1 *) -> bench_status {
      static_cast<Work *>(user)->order += 'w';
      return BENCH_OK;
    };
  }
  bench_status fail(bench_error_v1 *error) const {
    return error_fill(
        error, {fail_status, "argument 3 is odd", "my launch", "give an even one", 77, "MY_ERROR"});
  }

  MockDevice &device;
  std::function<double(std::uint64_t)> duration;
  bench_callable_v1 callable{};
  std::string order;
  bool records_order = true;
  bool enqueues = true;
  double stray_ns = 0.0;
  double prepare_ns = 0.0;
  std::uint64_t launches = 0, prepares = 0, restores = 0, fail_at = 0;
  bench_status fail_status = BENCH_ERROR_CALLABLE_FAILED;
  bench_status restore_status = BENCH_OK;
};

}  // namespace bench::test
