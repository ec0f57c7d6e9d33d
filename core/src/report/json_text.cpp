// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace bench::report {

nlohmann::json to_json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

nlohmann::json to_json_number(const std::optional<double> &value) {
  if (!value) return nullptr;
  return to_json_number(*value);
}

std::string json_text(const nlohmann::json &document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bench::report
