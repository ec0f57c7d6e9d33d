// SPDX-License-Identifier: Apache-2.0
#include "tune/race.hpp"

namespace bench::tune {
namespace {

constexpr const char *names[end_state_count] = {
    "measured",      "not-tested",  "rejected",     "compile-failed", "out-of-resources",
    "launch-failed", "timeout",     "wrong-output", "unverified",     "non-finite",
    "crashed",       "device-lost", "cancelled",    "pruned"};

}  // namespace

const char *end_state_name(EndState state) {
  return names[static_cast<std::size_t>(state)];
}

std::optional<EndState> end_state_of(const std::string &name) {
  for (std::size_t i = 0; i < end_state_count; ++i) {
    if (name == names[i]) return static_cast<EndState>(i);
  }
  return std::nullopt;
}

EndState end_state_of(bench_status status) {
  switch (status) {
    case BENCH_ERROR_CONFIG_REJECTED:
      return EndState::rejected;
    case BENCH_ERROR_OUT_OF_RESOURCES:
      return EndState::out_of_resources;
    case BENCH_ERROR_COMPILE_FAILED:
      return EndState::compile_failed;
    case BENCH_ERROR_TIMEOUT:
      return EndState::timeout;
    case BENCH_ERROR_CANCELLED:
      return EndState::cancelled;
    case BENCH_ERROR_DEVICE_LOST:
      return EndState::device_lost;
    default:
      break;
  }
  // Codes of later minors act as their range says (plugin_v1.h, Status).
  if (status <= -100 && status > -200) return EndState::rejected;
  if (status <= -400 && status > -500) return EndState::device_lost;
  return EndState::launch_failed;
}

}  // namespace bench::tune
