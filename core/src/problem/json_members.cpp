// SPDX-License-Identifier: Apache-2.0
#include "problem/json_members.hpp"

#include <algorithm>

namespace bench::problem {

using nlohmann::json;

Members::Members(const json &object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object.is_object())
    fail(std::string("an object is expected, not ") + object.type_name(),
         "write {...} with named members");
}

void Members::fail(const std::string &what, const std::string &hint) const {
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, place_, hint);
}

const json *Members::find(const char *name) {
  asked_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json &Members::require(const char *name, const char *what_it_is) {
  if (const json *found = find(name)) return *found;
  fail(std::string("member ") + name + " is missing", std::string("add it: ") + what_it_is);
}

std::string Members::text(const char *name, const std::string &otherwise) {
  const json *found = find(name);
  if (!found) return otherwise;
  if (!found->is_string())
    fail(std::string(name) + " is " + found->dump() + ", no text", "write it in quotes");
  return found->get<std::string>();
}

std::optional<std::string> Members::expression(const char *name) {
  const json *found = find(name);
  if (!found) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number() || found->is_boolean()) return value_of_json(*found, place_).to_text();
  fail(std::string(name) + " is " + found->dump() + ", neither number nor expression",
       "write a number, or an expression in quotes");
}

bool Members::flag(const char *name) {
  const json *found = find(name);
  if (!found) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number_integer()) return found->get<std::int64_t>() != 0;  // files write 1 as well
  fail(std::string(name) + " is " + found->dump() + ", neither true nor false",
       "write true or false");
}

void Members::ignore(std::initializer_list<const char *> names) {
  asked_.insert(names.begin(), names.end());
}

void Members::note_rest(std::vector<std::string> &notes) const {
  for (const auto &[name, value] : object_.items()) {
    if (!asked_.count(name)) notes.push_back(place_ + ": " + name + " is not known and is ignored");
  }
}

Value value_of_json(const json &scalar, const std::string &place) {
  if (scalar.is_boolean()) return Value(scalar.get<bool>());
  if (scalar.is_number_unsigned() &&
      scalar.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  scalar.dump() + " leaves the range of 64-bit integers", place,
                  "write it as a real, e.g. 1e20");
  }
  if (scalar.is_number_integer()) return Value(scalar.get<std::int64_t>());
  if (scalar.is_number()) return Value(scalar.get<double>());
  if (scalar.is_string()) return Value(scalar.get<std::string>());
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, scalar.dump() + " is no single value", place,
                "write a number, a text, true or false");
}

json parse_json(std::string_view text, const std::string &origin) {
  // A parser that recurses into 10,000 brackets would meet the stack's end before any rule of ours.
  constexpr int max_depth = 200;
  try {
    return json::parse(text.begin(), text.end(), [&](int depth, json::parse_event_t, json &) {
      if (depth > max_depth)
        throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                      "nested deeper than " + std::to_string(max_depth) + " levels", origin,
                      "a problem file needs fewer than ten");
      return true;
    });
  } catch (const json::parse_error &error) {
    const std::size_t at = std::min<std::size_t>(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const auto last = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t column = at - (last == std::string_view::npos || at == 0 ? 0 : last + 1) + 1;
    const std::string what = error.what();
    const auto colon = what.find(": ");
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "syntax error: " + (colon == std::string::npos ? what : what.substr(colon + 2)),
                  origin + ", line " + std::to_string(line) + ", column " + std::to_string(column),
                  "mend the JSON there; a comma too many or a missing quote is the usual cause");
  }
}

}  // namespace bench::problem
