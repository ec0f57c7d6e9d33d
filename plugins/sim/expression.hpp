// SPDX-License-Identifier: Apache-2.0
// The arithmetic of sim programs: numbers, names, texts in quotes, + - * / // % **, comparisons,
// and or not, a if c else b, abs ceil floor log2 sqrt min max.
#pragma once
#include <map>
#include <string>

namespace bench_sim {

struct Value {
  double number = 0.0;
  std::string text;
  bool is_text = false;
};
using Names = std::map<std::string, Value>;

/// Throws plugin::Error (COMPILE_FAILED) with line, column and what was expected. `line` is for
/// the message.
double evaluate(const std::string &text, const Names &names, int line);

/// A macro's value: a number where it reads as one.
Value value_of(const std::string &text);

}  // namespace bench_sim
