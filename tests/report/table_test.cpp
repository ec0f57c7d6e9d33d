// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.hpp"

using namespace bench::report;

TEST_CASE("columns line up, numbers to the right, no blanks at the end") {
  Table table;
  table.column("name");
  table.column("time", Align::right);
  table.column("note");
  table.row({"a", "12.3 us", ""});
  table.row({"longer", "1 us", "x"});
  CHECK(table.text() ==
        "name       time  note\n"
        "a       12.3 us\n"
        "longer     1 us  x\n");
  CHECK_THROWS_AS(table.row({"1", "2", "3", "4"}), bench::Failure);
}

TEST_CASE("width is counted in characters as shown") {
  CHECK(display_width("\xC2\xB5s") == 2);     // micro sign
  CHECK(display_width("\xE6\xBC\xA2") == 2);  // a wide character
  CHECK(display_width("e\xCC\x81") == 1);     // a combining accent
  CHECK(display_width("\xff\xe6") == 2);      // no UTF-8 at all
}

TEST_CASE("control characters are shown, not obeyed") {
  CHECK(printable("a\x1b[31m\n\x7f") == "a\\x1b[31m\\x0a\\x7f");
  CHECK(printable("\xC2\x9b") == "\\x9b");
  CHECK(printable("\xC2\xB5s") == "\xC2\xB5s");
  Table table;
  table.column("c");
  table.row({"x\ty"});
  CHECK(table.text() == "c\nx\\x09y\n");
}

TEST_CASE("times have four digits and the unit that fits") {
  CHECK(format_time_ns(0) == "0 ns");
  CHECK(format_time_ns(12300) == "12.3 us");
  CHECK(format_time_ns(1234567) == "1.235 ms");
  CHECK(format_time_ns(999.96) == "1 us");
  CHECK(format_time_ns(2.5e9) == "2.5 s");
  CHECK(format_time_ns(1e14) == "100000 s");
  CHECK(format_time_ns(-1500) == "-1.5 us");
  CHECK(format_time_ns(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("counts have separators") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(18446744073709551615U) == "18,446,744,073,709,551,615");
}
