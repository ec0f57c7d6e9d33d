// SPDX-License-Identifier: Apache-2.0
// The clock of a plugin's devices: its own through bench.clock/1, else the system's.
#include "base/clock.hpp"
#include "bench/ext/clock.h"
#include "bench/ext/clock_layout.h"
#include "loader/registry.hpp"

namespace bench::loader {
namespace {

class PluginClock final : public Clock {
 public:
  PluginClock(bench_instance_v1 *instance, const bench_ext_clock_v1 &extension)
      : instance_(instance), extension_(extension) {}
  std::int64_t now_ns() override { return extension_.now_ns(instance_); }
  void sleep_ns(std::int64_t duration_ns) override {
    extension_.sleep_until(instance_, extension_.now_ns(instance_) + duration_ns);
  }

 private:
  bench_instance_v1 *const instance_;
  const bench_ext_clock_v1 &extension_;
};

}  // namespace

Clock &Plugin::clock() {
  std::call_once(clock_once_, [this] {
    const auto *extension =
        static_cast<const bench_ext_clock_v1 *>(api->get_extension(instance, BENCH_EXT_CLOCK_V1));
    if (extension && extension->struct_size >= BENCH_SIZE_1_0_EXT_CLOCK && extension->now_ns &&
        extension->sleep_until)
      clock_ = std::make_unique<PluginClock>(instance, *extension);
  });
  return clock_ ? *clock_ : system_clock();
}

bool Plugin::has_own_clock() {
  return &clock() != &system_clock();
}

}  // namespace bench::loader
