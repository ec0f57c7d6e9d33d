// SPDX-License-Identifier: Apache-2.0
#include "measure/policy.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace bench::measure {
namespace {

constexpr std::uint32_t first_policy_size =
    offsetof(bench_policy_v1, max_time_ns) + sizeof(std::int64_t);

}  // namespace

const char *method_name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::event:
      return "event";
    case Method::gate:
      return "gate";
    case Method::graph:
      return "graph";
    case Method::profiler:
      return "profiler";
  }
  return "auto";
}

std::string Policy::text() const {
  std::string text = cache == CachePolicy::cold ? "isolated-cold"
                     : isolated                 ? "isolated-hot"
                                                : "back-to-back";
  if (use_engine) text += "+engine";
  if (method != Method::automatic) text += std::string("+") + method_name(method);
  return text;
}

namespace {

Method method_of(std::uint32_t given) {
  switch (given) {
    case BENCH_METHOD_UNKNOWN:
      return Method::automatic;
    case BENCH_METHOD_EVENT:
      return Method::event;
    case BENCH_METHOD_GATE:
      return Method::gate;
    case BENCH_METHOD_GRAPH:
      return Method::graph;
    case BENCH_METHOD_PROFILER:
      return Method::profiler;
    default:
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "method " + std::to_string(given) + " cannot be asked for", "policy",
                    "use BENCH_METHOD_EVENT, _GATE, _GRAPH or _PROFILER, or 0 to let the engine "
                    "choose");
  }
}

}  // namespace

Policy policy_of(const bench_policy_v1 *policy) {
  Policy result;
  if (!policy) return result;
  if (policy->struct_size < first_policy_size)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the policy has struct_size " + std::to_string(policy->struct_size) +
                      ", below the " + std::to_string(first_policy_size) + " of version 1.0",
                  "policy", "set struct_size to sizeof(bench_policy_v1)");
  if (policy->kind > BENCH_POLICY_ISOLATED_COLD)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "policy kind " + std::to_string(policy->kind) + " is unknown", "policy",
                  "use one of BENCH_POLICY_BACK_TO_BACK, _ISOLATED_HOT, _ISOLATED_COLD");
  if (policy->relative_half_width < 0 || !std::isfinite(policy->relative_half_width) ||
      policy->max_time_ns < 0)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the policy has a negative or infinite limit (relative_half_width " +
                      std::to_string(policy->relative_half_width) + ", max_time_ns " +
                      std::to_string(policy->max_time_ns) + ")",
                  "policy", "give positive limits, or 0 for the default");
  if (policy->kind == BENCH_POLICY_ISOLATED_COLD) result.cache = CachePolicy::cold;
  result.isolated = policy->kind == BENCH_POLICY_ISOLATED_HOT;
  if (BENCH_HAS(policy, method)) result.method = method_of(policy->method);
  result.use_engine = policy->engine != 0;
  if (policy->max_samples) result.max_samples = policy->max_samples;
  result.min_samples = std::min(result.min_samples, result.max_samples);
  if (policy->relative_half_width > 0) result.relative_half_width = policy->relative_half_width;
  if (policy->max_time_ns > 0) {
    result.max_time_ns = policy->max_time_ns;
    // At most half of the time for warming up: the rest must hold samples.
    result.max_warmup_ns = std::min(result.max_warmup_ns, policy->max_time_ns / 2);
  }
  return result;
}

}  // namespace bench::measure
