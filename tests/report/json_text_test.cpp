// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

using namespace bench::report;

TEST_CASE("a number that JSON cannot hold is null") {
  CHECK(to_json_number(1.5) == 1.5);
  CHECK(to_json_number(std::numeric_limits<double>::quiet_NaN()).is_null());
  CHECK(to_json_number(-std::numeric_limits<double>::infinity()).is_null());
  CHECK(to_json_number(std::optional<double>{}).is_null());
}

TEST_CASE("bytes that are no UTF-8 are replaced, not thrown about") {
  const std::string text = json_text(nlohmann::json{{"log", "a\xff\xc3"}});
  CHECK(nlohmann::json::parse(text)["log"] == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}
