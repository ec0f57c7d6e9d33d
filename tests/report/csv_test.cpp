// SPDX-License-Identifier: Apache-2.0
#include "report/csv.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace bench::report;

TEST_CASE("fields are quoted where RFC 4180 asks for it") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_field("cr\r") == "\"cr\r\"");
  CHECK(csv_field("") == "\"\"");
}

TEST_CASE("numbers read back the same; what is not finite is empty") {
  CHECK(csv_field(0.1) == "0.1");
  CHECK(csv_field(1e300) == "1e+300");
  CHECK(csv_field(std::numeric_limits<double>::infinity()).empty());
  CHECK(csv_field(std::numeric_limits<double>::quiet_NaN()).empty());
}

TEST_CASE("lines end in CRLF") {
  CHECK(csv_line({"a", "1"}) == "a,1\r\n");
}
