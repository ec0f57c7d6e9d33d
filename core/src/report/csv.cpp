// SPDX-License-Identifier: Apache-2.0
#include "report/csv.hpp"

#include <charconv>
#include <cmath>

namespace bench::report {

std::string csv_field(const std::string &text) {
  // A lone empty field quoted: else a line of one column is a blank line, which readers skip.
  if (text.empty()) return "\"\"";
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char byte : text) {
    if (byte == '"') quoted += '"';
    quoted += byte;
  }
  return quoted + '"';
}

std::string csv_field(double number) {
  if (!std::isfinite(number)) return "";
  char buffer[32];  // the shortest form of a double has at most 24 characters
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string csv_line(const std::vector<std::string> &fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line + "\r\n";
}

}  // namespace bench::report
