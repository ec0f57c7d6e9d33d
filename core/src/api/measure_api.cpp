// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>

#include "api/handles.hpp"
#include "measure/engine.hpp"
#include "tune/tuner_device.hpp"

using bench::guarded;
namespace api = bench::api;
namespace measure = bench::measure;

namespace {

constexpr const char *where = "bench_do_bench";

/// Cut at a whole code point.
template <std::size_t N>
void copy(char (&target)[N], const std::string &text) {
  std::size_t size = std::min(text.size(), N - 1);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    --size;
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

bench_measurement_v1 convert(const measure::Measurement &measured) {
  const measure::Summary &summary = measured.summary;
  const double absent = std::numeric_limits<double>::quiet_NaN();
  const bool any = summary.samples > 0;
  bench_measurement_v1 result{};
  result.method = measured.method;
  result.flags = measured.flags;
  result.launches_per_window = measured.launches_per_window;
  result.samples = summary.samples;
  result.median_ns = any ? summary.median_ns : absent;
  result.interval_low_ns = summary.interval ? summary.interval->lo : absent;
  result.interval_high_ns = summary.interval ? summary.interval->hi : absent;
  result.minimum_ns = any ? summary.minimum_ns : absent;
  result.maximum_ns = any ? summary.maximum_ns : absent;
  result.p20_ns = any ? summary.p20_ns : absent;
  result.p80_ns = any ? summary.p80_ns : absent;
  result.resolution_ns = measured.resolution_ns;
  result.floor_ns = measured.floor_ns;
  result.flush_bytes = measured.flush_bytes;
  copy(result.stop_reason, measure::stop_reason_name(measured.stop_reason));
  std::string note = measured.note;
  if (!summary.interval_reason.empty())
    note += (note.empty() ? "interval: " : "; interval: ") + summary.interval_reason;
  copy(result.note, note);
  result.mean_ns = absent;
  return result;
}

/// Times per launch of the windows that count, for a caller who gave room.
void give_samples(const measure::Measurement &measured, bench_measurement_v1 &result) {
  double sum = 0;
  std::uint64_t usable = 0;
  for (const bench_sample_v1 &sample : measured.samples) {
    if (!measure::usable(sample)) continue;
    const double time_ns = sample.elapsed_ns / sample.launches;
    sum += time_ns;
    if (result.samples_ns && usable < result.sample_capacity) result.samples_ns[usable] = time_ns;
    ++usable;
  }
  if (usable) result.mean_ns = sum / double(usable);
  result.sample_count = result.samples_ns ? std::min(usable, result.sample_capacity) : 0;
}

}  // namespace

extern "C" bench_status bench_do_bench(bench_context *context, bench_device_v1 device,
                                       const bench_stream_v1 *stream,
                                       const bench_callable_v1 *callable,
                                       const bench_config_v1 *config, const bench_policy_v1 *policy,
                                       bench_measurement_v1 *measurement, bench_error_v1 *error) {
  return guarded(error, where, [&] {
    api::require(context, "context", where);
    api::require(callable, "callable", where);
    api::require(measurement, "measurement", where);
    api::require_size(callable->struct_size, offsetof(bench_callable_v1, wait) + sizeof(void *),
                      "bench_callable_v1", where);
    api::require_size(measurement->struct_size, offsetof(bench_measurement_v1, note) + 256,
                      "bench_measurement_v1", where);
    if (!callable->launch)
      throw bench::Failure(BENCH_ERROR_INVALID_ARGUMENT, "the callable has no launch function",
                           where, "set bench_callable_v1.launch");
    const measure::Policy effort = bench::measure::policy_of(policy);
    bench::tune::DeviceUse use(*context->registry, device);
    std::function<bool()> should_stop;
    if (policy && BENCH_HAS(policy, should_stop_user) && policy->should_stop)
      should_stop = [=] { return policy->should_stop(policy->should_stop_user) != 0; };
    const bench::tune::TimingLock lock(use, context->lock_folder, should_stop);
    const measure::Measurement measured = measure::measure(
        use.target(), stream, *callable, config, effort, use.plugin().clock(), should_stop);
    bench_measurement_v1 result = convert(measured);
    if (BENCH_HAS(measurement, sample_count)) {
      result.samples_ns = measurement->samples_ns;
      result.sample_capacity = measurement->sample_capacity;
      give_samples(measured, result);
    }
    // The caller's struct may be larger than ours: what we do not know stays as it is.
    result.struct_size = measurement->struct_size;
    std::memcpy(measurement, &result, std::min<std::size_t>(sizeof result, result.struct_size));
  });
}
