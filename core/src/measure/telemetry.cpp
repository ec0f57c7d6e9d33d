// SPDX-License-Identifier: Apache-2.0
#include "measure/telemetry.hpp"

#include "base/error.hpp"
#include "measure/extensions.hpp"

namespace bench::measure {
std::optional<bench_telemetry_v1> read_telemetry(const Target &target, std::string &reason) {
  const Extensions extensions(*target.api, target.instance);
  if (!extensions.telemetry || !extensions.telemetry->read) {
    reason = "the device's plugin has no telemetry";
    return std::nullopt;
  }
  bench_telemetry_v1 telemetry{};
  telemetry.struct_size = sizeof telemetry;
  bench_error_v1 error = error_struct();
  const bench_status status =
      extensions.telemetry->read(target.instance, target.device, &telemetry, &error);
  if (status == BENCH_OK) return telemetry;
  reason = error_line(error_text(status, error));
  return std::nullopt;
}

std::vector<std::string> throttle_names(std::uint32_t throttle) {
  const struct {
    std::uint32_t bit;
    const char *name;
  } table[] = {{BENCH_THROTTLE_POWER, "power"},
               {BENCH_THROTTLE_THERMAL, "thermal"},
               {BENCH_THROTTLE_HARDWARE, "hardware"},
               {BENCH_THROTTLE_USER, "user"},
               {BENCH_THROTTLE_OTHER, "other"}};
  std::vector<std::string> names;
  for (const auto &entry : table)
    if (throttle & entry.bit) names.push_back(entry.name);
  return names;
}

}  // namespace bench::measure
