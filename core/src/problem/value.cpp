// SPDX-License-Identifier: Apache-2.0
#include "problem/value.hpp"

#include <charconv>
#include <cmath>

namespace bench::problem {

double Value::real() const {
  if (is_real()) return std::get<double>(data_);
  return static_cast<double>(integer());
}

bool Value::truth() const {
  if (is_text()) return !text().empty();
  if (is_list()) return !list().empty();
  if (is_real()) return std::get<double>(data_) != 0.0;
  return integer() != 0;
}

std::string Value::to_text() const {
  if (is_boolean()) return boolean() ? "True" : "False";
  if (is_integer()) return std::to_string(integer());
  if (is_text()) return text();
  if (is_real()) {
    const double value = std::get<double>(data_);
    char buffer[64];
    // Shortest text that reads back to the same number; never the locale's comma.
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string result(buffer, end.ptr);
    if (std::isfinite(value) && result.find_first_of(".e") == std::string::npos) result += ".0";
    return result;
  }
  std::string result = "[";
  for (const Value &item : list()) result += (result.size() > 1 ? ", " : "") + item.to_text();
  return result + "]";
}

const char *Value::type_name() const {
  static constexpr const char *names[] = {"integer", "real", "boolean", "text", "list"};
  return names[data_.index()];
}

bool operator==(const Value &a, const Value &b) {
  if (a.is_text() || b.is_text()) return a.is_text() && b.is_text() && a.text() == b.text();
  if (a.is_list() || b.is_list()) return a.is_list() && b.is_list() && a.list() == b.list();
  // Two integers compare as integers: above 2^53 doubles would call different values equal.
  if (!a.is_real() && !b.is_real()) return a.integer() == b.integer();
  return a.real() == b.real();
}

}  // namespace bench::problem
