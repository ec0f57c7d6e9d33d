// SPDX-License-Identifier: Apache-2.0
// Records as JSON text, and the checksum that each row carries.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace bench::store {

/// One text for equal values: the columns that rows are found by.
std::string encode(const Identity &identity);
std::string encode(const Environment &environment);
std::string encode(const Entry &entry);
std::string encode(const Tuned &tuned);

/// Throw Failure on text that encode() cannot have written.
Environment decode_environment(const std::string &text);
Entry decode_entry(const std::string &text);
Tuned decode_tuned(const std::string &text);

/// "driver: 550 -> 580" for each field that differs.
std::vector<std::string> differences(const Environment &stored, const Environment &now);

/// Over all texts of a row: SQLite itself does not notice a changed byte inside a text.
std::int64_t checksum(std::initializer_list<std::string_view> texts);

}  // namespace bench::store
