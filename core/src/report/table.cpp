// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace bench::report {
namespace {

constexpr int significant_digits = 4;
constexpr const char *column_gap = "  ";

/// The code point at `at`, which moves on; a byte that starts none stands for itself.
char32_t next_code_point(const std::string &text, std::size_t &at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  if (more == 0) return first;
  char32_t point = first & (0x3fU >> more);
  for (int i = 0; i < more && at < text.size() && (byte(at) & 0xc0) == 0x80; ++i) {
    point = point << 6 | (byte(at++) & 0x3fU);
  }
  return point;
}

bool within(char32_t point, char32_t first, char32_t last) {
  return point >= first && point <= last;
}

std::size_t width_of(char32_t point) {
  if (within(point, 0x300, 0x36f) || within(point, 0x200b, 0x200f) ||
      within(point, 0xfe00, 0xfe0f)) {
    return 0;  // combining marks, joiners, variation selectors
  }
  const bool wide = within(point, 0x1100, 0x115f) || within(point, 0x2e80, 0xa4cf) ||
                    within(point, 0xac00, 0xd7a3) || within(point, 0xf900, 0xfaff) ||
                    within(point, 0xfe30, 0xfe6f) || within(point, 0xff00, 0xff60) ||
                    within(point, 0x1f300, 0x1faff) || within(point, 0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

std::string digits_of(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general,
                                 significant_digits);
  return {buffer, end.ptr};
}

}  // namespace

std::string printable(const std::string &text) {
  static const char hex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are controls too: 0x9b alone starts a terminal's escape sequence.
    const bool second_set = byte == 0xc2 && i + 1 < text.size() &&
                            static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                            static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && !second_set) {
      out += text[i];
      continue;
    }
    const auto shown = second_set ? static_cast<unsigned char>(text[++i]) : byte;
    out += "\\x";
    out += hex[shown >> 4];
    out += hex[shown & 0xf];
  }
  return out;
}

std::size_t display_width(const std::string &text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string format_time_ns(double time_ns) {
  if (!std::isfinite(time_ns)) return "-";
  static constexpr const char *units[] = {"ns", "us", "ms", "s"};
  constexpr std::size_t last = std::size(units) - 1;
  // What rounds to 1000 belongs to the next unit: 999.99 ns is "1 us", not "1000 ns".
  constexpr double next_unit = 999.95;
  double value = time_ns;
  std::size_t unit = 0;
  for (; std::fabs(value) >= next_unit && unit < last; ++unit) value /= 1000;
  if (std::fabs(value) >= 10000) {  // "general" would turn to 1.2e+05
    char buffer[340];               // the largest double has 309 digits
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 0);
    return std::string(buffer, end.ptr) + " " + units[unit];
  }
  return digits_of(value) + " " + units[unit];
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

void Table::column(std::string title, Align align) {
  title = printable(title);
  const std::size_t width = display_width(title);
  columns_.push_back({std::move(title), align, width});
}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) {
    throw Failure(
        BENCH_ERROR_INTERNAL,
        std::to_string(cells.size()) + " cells for " + std::to_string(columns_.size()) + " columns",
        "table", "this is a defect of the library: please report it");
  }
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = printable(cells[i]);
    columns_[i].width = std::max(columns_[i].width, display_width(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::string out;
  const auto line = [&](const auto &cell_at) {
    std::string written;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string &cell = cell_at(i);
      const std::string padding(columns_[i].width - display_width(cell), ' ');
      if (i > 0) written += column_gap;
      written += columns_[i].align == Align::right ? padding + cell : cell + padding;
    }
    written.erase(written.find_last_not_of(' ') + 1);
    out += written + "\n";
  };
  line([&](std::size_t i) -> const std::string & { return columns_[i].title; });
  for (const auto &cells : rows_) {
    line([&](std::size_t i) -> const std::string & { return cells[i]; });
  }
  return out;
}

}  // namespace bench::report
