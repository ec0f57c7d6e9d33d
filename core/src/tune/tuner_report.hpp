// SPDX-License-Identifier: Apache-2.0
// What was decided for a key and why, as the JSON of bench_tuner_report_json; and why nothing was
// valid.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tune/race.hpp"
#include "tune/tuner_bench.hpp"
#include "tune/tuner_tune.hpp"

namespace bench::tune {

/// Report of a race over `candidates` (positions in the options' configurations).
nlohmann::json race_report(const TuneRequest &request, const std::vector<std::size_t> &candidates,
                           const RaceResult &result, std::uint32_t launches_per_window,
                           const std::vector<std::string> &notes);
/// Configurations that did not race, with their state.
void add_pruned(nlohmann::json &report, const TuneRequest &request,
                const std::vector<std::size_t> &pruned);

/// As text, whatever bytes a callback's messages hold.
std::string report_text(const nlohmann::json &report);

/// NO_VALID_CONFIG (DEVICE_LOST where that ended it) with a count per reason and the first message
/// of each.
Failure no_valid_config(const TuneRequest &request, const std::vector<std::size_t> &candidates,
                        const RaceResult &result, bool device_lost);

}  // namespace bench::tune
