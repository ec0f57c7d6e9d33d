// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <charconv>
#include <cmath>

namespace cli {
namespace {

/// Code points, not bytes: a device's name may hold "®" or "µ".
std::size_t width(const std::string &text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return count;
}

}  // namespace

void Table::column(std::string title, Align align) {
  titles_.push_back(std::move(title));
  aligns_.push_back(align);
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    std::size_t widest = width(titles_[c]);
    for (const auto &row : rows_) widest = std::max(widest, width(row[c]));
    widths.push_back(widest);
  }
  std::string out;
  const auto line = [&](const std::vector<std::string> &cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string pad(widths[c] - width(cells[c]), ' ');
      if (c) text += "  ";
      text += aligns_[c] == Align::right ? pad + cells[c] : cells[c] + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(titles_);
  for (const auto &row : rows_) line(row);
  return out;
}

std::string time_text(double ns) {
  if (!std::isfinite(ns)) return "-";
  static constexpr const char *units[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  double value = ns;
  while (std::fabs(value) >= 1000.0 && unit < 3) {
    value /= 1000.0;
    ++unit;
  }
  // std::to_chars: printf would use the locale's decimal comma.
  const int decimals = std::fabs(value) >= 100 ? 1 : std::fabs(value) >= 10 ? 2 : 3;
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  return std::string(buffer, end.ptr) + " " + units[unit];
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace cli
