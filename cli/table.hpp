// SPDX-License-Identifier: Apache-2.0
// Plain text tables and numbers for people. Locale-proof.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

enum class Align { left, right };

class Table {
 public:
  void column(std::string title, Align align = Align::left);
  void row(std::vector<std::string> cells);
  /// Lines with two spaces between columns and a newline at the end of each.
  std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Four significant digits and a unit: "12.34 us". Not finite: "-".
std::string time_text(double ns);
/// "116,928".
std::string count_text(std::uint64_t count);

}  // namespace cli
