// SPDX-License-Identifier: Apache-2.0
// Tables in plain text, and numbers as people read them, in any locale.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench::report {

enum class Align { left, right };

/// Control characters as \xNN: a kernel's name must not move the cursor.
std::string printable(const std::string &text);
/// Columns on a terminal: wide East Asian characters take two, combining ones none.
std::size_t display_width(const std::string &text);

/// "12.3 us", "1.234 ms": up to 4 significant digits; "-" if not finite.
std::string format_time_ns(double time_ns);
/// "1,234,567"
std::string format_count(std::uint64_t count);

class Table {
 public:
  void column(std::string title, Align align = Align::left);
  /// Missing cells are empty; more than there are columns is a Failure.
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  struct Column {
    std::string title;
    Align align;
    std::size_t width;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bench::report
