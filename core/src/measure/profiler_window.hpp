// SPDX-License-Identifier: Apache-2.0
// Windows read from the vendor's own activity records: no event, no gap of the host, no floor.
#pragma once
#include <vector>

#include "bench/ext/profiler.h"
#include "measure/engine.hpp"
#include "measure/window.hpp"

namespace bench::measure {

/// From the start of the first operation on the device to the end of the last one.
class ProfilerWindow final : public WindowMethod {
 public:
  ProfilerWindow(const Target &target, const bench_ext_profiler_v1 &extension,
                 const bench_stream_v1 &stream, Clock &clock)
      : target_(target), extension_(extension), stream_(stream), clock_(clock) {}

  WindowFault run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                  std::uint32_t launches, bench_sample_v1 &sample, bench_error_v1 &error) override;

 private:
  const Target &target_;
  const bench_ext_profiler_v1 &extension_;
  const bench_stream_v1 &stream_;
  Clock &clock_;
  std::vector<bench_activity_v1> activities_;
};

}  // namespace bench::measure
