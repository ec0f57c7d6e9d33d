// SPDX-License-Identifier: Apache-2.0
#include "measure/profiler_window.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace bench::measure {
namespace {

// A launch may be several operations (a fill before a kernel): room for this many of each.
constexpr std::size_t operations_per_launch = 8;

}  // namespace

WindowFault ProfilerWindow::run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                                std::uint32_t launches, bench_sample_v1 &sample,
                                bench_error_v1 &error) {
  sample = {};
  sample.launches = launches;
  activities_.resize(std::max<std::size_t>(launches, 1) * operations_per_launch);
  // What was enqueued before, a flush say, belongs to nobody's window.
  bench_status status =
      target_.api->stream_synchronize(target_.instance, target_.device, &stream_, &error);
  if (status != BENCH_OK) return {status, "stream_synchronize"};
  sample.start_ns = clock_.now_ns();
  status = extension_.start(target_.instance, target_.device, &error);
  if (status != BENCH_OK) return {status, "profiler"};
  WindowFault fault;
  for (std::uint32_t i = 0; i < launches && fault.status == BENCH_OK; ++i)
    fault = {callable->launch(callable->user, config, &stream_, &error), "launch", true};
  if (fault.status == BENCH_OK && callable && callable->wait)
    fault = {callable->wait(callable->user, config, &stream_, &error), "wait", true};
  std::uint64_t count = 0, dropped = 0;
  // Also after a failure: the interface is the process's, others wait for it.
  bench_error_v1 stop_error = error_struct();
  status = extension_.stop(target_.instance, target_.device, activities_.data(), activities_.size(),
                           &count, &dropped, &stop_error);
  sample.end_ns = clock_.now_ns();
  if (fault.status != BENCH_OK) return fault;
  if (status != BENCH_OK) {
    error = stop_error;
    return {status, "profiler"};
  }
  count = std::min<std::uint64_t>(count, activities_.size());
  if (dropped > 0) sample.flags |= BENCH_SAMPLE_DISTURBED;
  if (count == 0) return {};  // nothing ran: no time passed on the device
  std::int64_t first = activities_[0].start_ns, last = activities_[0].end_ns;
  for (std::uint64_t i = 1; i < count; ++i) {
    first = std::min(first, activities_[i].start_ns);
    last = std::max(last, activities_[i].end_ns);
  }
  sample.elapsed_ns = static_cast<double>(last - first);
  return {};
}

}  // namespace bench::measure
