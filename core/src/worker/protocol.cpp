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

json policy_json(const measure::Policy &policy) {
  return {{"cold", policy.cache == measure::CachePolicy::cold},
          {"isolated", policy.isolated},
          {"engine", policy.use_engine},
          {"method", static_cast<std::uint32_t>(policy.method)},
          {"min_samples", policy.min_samples},
          {"max_samples", policy.max_samples},
          {"max_time_ns", policy.max_time_ns},
          {"max_warmup_ns", policy.max_warmup_ns},
          {"relative_half_width", policy.relative_half_width}};
}

measure::Policy policy_of(const json &policy) {
  measure::Policy result;
  result.cache =
      policy.at("cold").get<bool>() ? measure::CachePolicy::cold : measure::CachePolicy::hot;
  result.isolated = policy.at("isolated");
  result.use_engine = policy.at("engine");
  result.method = static_cast<measure::Method>(policy.at("method").get<std::uint32_t>());
  result.min_samples = policy.at("min_samples");
  result.max_samples = policy.at("max_samples");
  result.max_time_ns = policy.at("max_time_ns");
  result.max_warmup_ns = policy.at("max_warmup_ns");
  result.relative_half_width = policy.at("relative_half_width");
  return result;
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

json resources_json(const bench_kernel_resources_v1 &resources) {
  json out = json::object();
  const auto add = [&](const char *name, std::uint32_t value) {
    if (value != UINT32_MAX) out[name] = value;  // what the plugin left as it was is unknown
  };
  add("registers_per_thread", resources.registers_per_thread);
  add("shared_bytes", resources.shared_bytes);
  add("local_bytes", resources.local_bytes);
  add("constant_bytes", resources.constant_bytes);
  add("max_threads_per_block", resources.max_threads_per_block);
  return out;
}

json telemetry_json(const measure::Target &target) {
  constexpr double hz_per_mhz = 1e6;
  std::string reason;
  const auto telemetry = measure::read_telemetry(target, reason);
  if (!telemetry) return {{"reason", reason}};
  json out = json::object();
  const auto add = [&](std::uint32_t bit, const char *name, double value) {
    if (telemetry->known & bit) out[name] = value;
  };
  add(BENCH_TELEMETRY_CLOCK, "clock_mhz", telemetry->clock_hz / hz_per_mhz);
  add(BENCH_TELEMETRY_MAX_CLOCK, "max_clock_mhz", telemetry->max_clock_hz / hz_per_mhz);
  add(BENCH_TELEMETRY_MEMORY_CLOCK, "memory_clock_mhz", telemetry->memory_clock_hz / hz_per_mhz);
  add(BENCH_TELEMETRY_TEMPERATURE, "temperature_celsius", telemetry->temperature_celsius);
  add(BENCH_TELEMETRY_POWER, "power_watts", telemetry->power_watts);
  add(BENCH_TELEMETRY_POWER_LIMIT, "power_limit_watts", telemetry->power_limit_watts);
  if (telemetry->known & BENCH_TELEMETRY_THROTTLE)
    out["throttled_by"] = measure::throttle_names(telemetry->throttle);
  if (telemetry->known & BENCH_TELEMETRY_PROCESSES)
    out["other_processes"] = telemetry->other_processes;
  return out;
}

json energy_json(const measure::Energy &energy) {
  const auto number = [](const std::optional<double> &value) {
    return value ? json(*value) : json(nullptr);
  };
  json out{{"joules_per_launch", number(energy.joules_per_launch)},
           {"busy_watts", number(energy.busy_watts)},
           {"idle_watts", number(energy.idle_watts)},
           {"busy_share", number(energy.busy_share)},
           {"launch_ns", number(energy.launch_ns)},
           {"launches", energy.launches}};
  if (!energy.reason.empty()) out["reason"] = energy.reason;
  return out;
}

}  // namespace bench::worker
