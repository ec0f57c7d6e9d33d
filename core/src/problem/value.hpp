// SPDX-License-Identifier: Apache-2.0
// A value of the expression language: what Python would have, cut down to what problem files use.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace bench::problem {

class Value;
using List = std::vector<Value>;

class Value {
 public:
  Value() : data_(std::int64_t{0}) {}
  Value(std::int64_t integer) : data_(integer) {}  // NOLINT: a literal is a value
  Value(int integer) : data_(std::int64_t{integer}) {}
  Value(double real) : data_(real) {}
  Value(bool boolean) : data_(boolean) {}
  Value(std::string text) : data_(std::move(text)) {}
  Value(const char *text) : data_(std::string(text)) {}
  explicit Value(List list) : data_(std::make_shared<const List>(std::move(list))) {}

  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }
  bool is_boolean() const { return std::holds_alternative<bool>(data_); }
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<std::shared_ptr<const List>>(data_); }
  /// Integer, real or boolean: Python counts True as 1.
  bool is_number() const { return !is_text() && !is_list(); }

  std::int64_t integer() const {
    return is_boolean() ? std::get<bool>(data_) : std::get<std::int64_t>(data_);
  }
  double real() const;
  bool boolean() const { return std::get<bool>(data_); }
  const std::string &text() const { return std::get<std::string>(data_); }
  const List &list() const { return *std::get<std::shared_ptr<const List>>(data_); }

  /// Python's truth: zero, empty text and empty list are false.
  bool truth() const;
  /// As Python would print it: 16, 0.5, True, abc (texts bare).
  std::string to_text() const;
  /// "integer", "real", "boolean", "text", "list".
  const char *type_name() const;
  /// 1 == 1.0 == True, as in Python; a text equals texts only.
  friend bool operator==(const Value &a, const Value &b);

 private:
  std::variant<std::int64_t, double, bool, std::string, std::shared_ptr<const List>> data_;
};

}  // namespace bench::problem
