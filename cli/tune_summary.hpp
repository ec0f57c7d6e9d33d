// SPDX-License-Identifier: Apache-2.0
// What a person reads after a tune: table, winner, tie set, gain, where the result is kept.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace cli {

/// "block=64, vector=4" from a configuration object.
std::string configuration_text(const nlohmann::json &configuration);
/// NaN where JSON has null.
double number(const nlohmann::json &value);
/// " [1.20 us, 1.25 us]" or nothing where the interval is null.
std::string interval_text(const nlohmann::json &interval);
std::string tune_summary(const nlohmann::json &document, bool all);

}  // namespace cli
