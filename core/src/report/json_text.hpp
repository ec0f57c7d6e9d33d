// SPDX-License-Identifier: Apache-2.0
// JSON as others can read it: no NaN, no infinity, valid UTF-8 whatever came in.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace bench::report {

/// null for a number that JSON cannot hold.
nlohmann::json to_json_number(double value);
nlohmann::json to_json_number(const std::optional<double> &value);

/// Bytes that are no UTF-8 become U+FFFD. `indent` below zero: one line.
std::string json_text(const nlohmann::json &document, int indent = -1);

}  // namespace bench::report
