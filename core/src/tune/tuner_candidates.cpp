// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_candidates.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace bench::tune {

namespace {

constexpr const char *where = "bench_tuner_lookup";

void ask_prune(const TunerOptions &options, const bench_tune_callbacks_v1 &callbacks,
               std::vector<std::uint8_t> &keep) {
  if (!callbacks.prune) return;
  bench_error_v1 error = error_struct();
  const bench_status status = callbacks.prune(callbacks.user, keep.data(), keep.size(), &error);
  if (status != BENCH_OK) throw Failure(status, error, "prune");
  if (std::find_if(keep.begin(), keep.end(), [](auto each) { return each != 0; }) == keep.end())
    throw Failure(BENCH_ERROR_NO_VALID_CONFIG,
                  "pruning kept none of the " + std::to_string(keep.size()) +
                      " configurations of '" + options.name + "'",
                  where, "keep at least one for every key");
}

/// Keeps the cheapest of what is kept.
void ask_model(const TunerOptions &options, const bench_tune_callbacks_v1 &callbacks,
               std::vector<std::uint8_t> &keep) {
  if (!callbacks.estimate || (!options.top_count && !(options.top_fraction > 0))) return;
  struct Cost {
    double cost;
    std::size_t at;
  };
  std::vector<Cost> costs;
  for (std::size_t at = 0; at < keep.size(); ++at) {
    if (!keep[at]) continue;
    double cost = 0;
    bench_error_v1 error = error_struct();
    const bench_status status =
        callbacks.estimate(callbacks.user, &options.configs[at]->raw(), &cost, &error);
    if (status != BENCH_OK) throw Failure(status, error, "estimate");
    if (std::isfinite(cost)) costs.push_back({cost, at});
  }
  if (costs.empty())
    throw Failure(BENCH_ERROR_NO_VALID_CONFIG,
                  "the model gave no finite cost for any configuration of '" + options.name + "'",
                  where, "return a finite cost for the configurations that may run");
  // The part is of the whole list, pruned ones included, as in Triton.
  const auto all = double(keep.size());
  const std::size_t top = options.top_count
                              ? options.top_count
                              : std::max<std::size_t>(1, std::size_t(all * options.top_fraction));
  // Stable: equal costs stay in the order of declaration.
  std::stable_sort(costs.begin(), costs.end(),
                   [](const Cost &left, const Cost &right) { return left.cost < right.cost; });
  costs.resize(std::min(costs.size(), top));
  std::fill(keep.begin(), keep.end(), std::uint8_t{0});
  for (const Cost &each : costs) keep[each.at] = 1;
}

}  // namespace

Candidates choose_candidates(const TunerOptions &options,
                             const bench_tune_callbacks_v1 *callbacks) {
  std::vector<std::uint8_t> keep(options.configs.size(), 1);
  if (callbacks) {
    ask_prune(options, *callbacks, keep);
    ask_model(options, *callbacks, keep);
  }
  Candidates result;
  for (std::size_t at = 0; at < keep.size(); ++at)
    (keep[at] ? result.kept : result.pruned).push_back(at);
  result.default_config =
      keep[options.default_config] ? options.default_config : result.kept.front();
  return result;
}

}  // namespace bench::tune
