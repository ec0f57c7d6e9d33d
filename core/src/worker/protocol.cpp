// SPDX-License-Identifier: Apache-2.0
#include "worker/protocol.hpp"

#include <nlohmann/json.hpp>

namespace bench::worker {

using nlohmann::json;

json error_json(const ErrorText &text) {
  return {{"status", text.status},
          {"what", text.what},
          {"where", text.where},
          {"hint", text.hint},
          {"vendor_code", text.vendor_code},
          {"vendor_name", text.vendor_name}};
}

ErrorText error_of(const json &error) {
  ErrorText text;
  text.status = error.value("status", static_cast<bench_status>(BENCH_ERROR_INTERNAL));
  text.what = error.value("what", "");
  text.where = error.value("where", "");
  text.hint = error.value("hint", "");
  text.vendor_code = error.value("vendor_code", std::int64_t{0});
  text.vendor_name = error.value("vendor_name", "");
  return text;
}

measure::Policy policy_of(const bench_policy_v1 *given) {
  measure::Policy policy;
  if (!given) return policy;
  switch (given->kind) {
    case BENCH_POLICY_BACK_TO_BACK:
      break;
    case BENCH_POLICY_ISOLATED_HOT:
      policy.isolated = true;
      break;
    case BENCH_POLICY_ISOLATED_COLD:
      policy.isolated = true;
      policy.cache = measure::CachePolicy::cold;
      break;
    default:
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "policy kind " + std::to_string(given->kind),
                    "policy", "use BENCH_POLICY_BACK_TO_BACK, _ISOLATED_HOT or _ISOLATED_COLD");
  }
  policy.use_engine = given->engine != 0;
  if (given->max_samples) policy.max_samples = given->max_samples;
  if (given->relative_half_width > 0) policy.relative_half_width = given->relative_half_width;
  if (given->max_time_ns > 0) policy.max_time_ns = given->max_time_ns;
  policy.min_samples = std::min(policy.min_samples, policy.max_samples);
  return policy;
}

json measurement_json(const measure::Measurement &measurement) {
  const measure::Summary &summary = measurement.summary;
  json out{{"median_ns", summary.median_ns},
           {"interval_ns", nullptr},
           {"interval_reason", summary.interval_reason},
           {"minimum_ns", summary.minimum_ns},
           {"maximum_ns", summary.maximum_ns},
           {"p20_ns", summary.p20_ns},
           {"p80_ns", summary.p80_ns},
           {"samples", summary.samples},
           {"launches_per_window", measurement.launches_per_window},
           {"method", measurement.method},
           {"flags", measurement.flags},
           {"resolution_ns", measurement.resolution_ns},
           {"floor_ns", measurement.floor_ns},
           {"flush_bytes", measurement.flush_bytes},
           {"slope_ns", nullptr},
           {"stop_reason", measure::stop_reason_name(measurement.stop_reason)},
           {"note", measurement.note}};
  if (summary.interval) out["interval_ns"] = {summary.interval->lo, summary.interval->hi};
  if (measurement.slope_ns) out["slope_ns"] = *measurement.slope_ns;
  return out;
}

}  // namespace bench::worker
