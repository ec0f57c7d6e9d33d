// SPDX-License-Identifier: Apache-2.0
// CSV after RFC 4180: CRLF, quotes where needed, quotes doubled.
#pragma once
#include <string>
#include <vector>

namespace bench::report {

std::string csv_field(const std::string &text);
/// Shortest text that reads back the same, with a point in any locale; empty if not finite.
std::string csv_field(double number);
/// Fields are already made by csv_field.
std::string csv_line(const std::vector<std::string> &fields);

}  // namespace bench::report
