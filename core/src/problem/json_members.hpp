// SPDX-License-Identifier: Apache-2.0
// Members of a JSON object, read with errors that name the place, and a note for each nobody asked
// for.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problem/value.hpp"

namespace bench::problem {

class Members {
 public:
  /// `place` is for messages: "file.json, KernelSpecification". Throws Failure if `object` is none.
  Members(const nlohmann::json &object, std::string place);

  const nlohmann::json *find(const char *name);
  const nlohmann::json &require(const char *name, const char *what_it_is);
  std::string text(const char *name, const std::string &otherwise = "");
  /// A number or a text with an expression, as text; nothing if absent or null.
  std::optional<std::string> expression(const char *name);
  bool flag(const char *name);
  /// The names that are known and carry nothing for us.
  void ignore(std::initializer_list<const char *> names);
  /// "Foo is not known and is ignored" for what was never asked for.
  void note_rest(std::vector<std::string> &notes) const;

  const std::string &place() const { return place_; }
  [[noreturn]] void fail(const std::string &what, const std::string &hint) const;

 private:
  const nlohmann::json &object_;
  std::string place_;
  std::set<std::string> asked_;
};

/// A JSON scalar as a value. Throws Failure for objects, arrays and null.
Value value_of_json(const nlohmann::json &json, const std::string &place);

/// Parses with line and column in the error.
nlohmann::json parse_json(std::string_view text, const std::string &origin);

}  // namespace bench::problem
