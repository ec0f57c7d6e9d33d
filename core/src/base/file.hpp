// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace bench {

/// The bytes of a file; nothing if it cannot be opened or read. A folder can be opened on Linux,
/// and only reading it fails, in ways that streams report by an exception of their own.
std::optional<std::string> read_file(const std::filesystem::path &path);

}  // namespace bench
