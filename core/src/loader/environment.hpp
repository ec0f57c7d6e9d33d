// SPDX-License-Identifier: Apache-2.0
// Environment, folders and permissions, as a process that may run elevated has to see them.
#pragma once
#include <optional>
#include <string>

namespace bench::loader {

/// Setuid, setgid or with file capabilities: what the environment says may be an attacker's word.
bool process_is_elevated();
/// Nothing if unset, or in an elevated process.
std::optional<std::string> environment(const char *name);
/// The folder of the library (or program) that holds this code.
std::string own_folder();
/// $XDG_CACHE_HOME/bench or ~/.cache/bench; empty if there is no such place.
std::string user_cache_folder();

/// Why a file or folder must not be trusted: others than root and this user may replace it. Nothing
/// if it may. A sticky folder (/tmp) counts as writable by all: anybody may put a file there.
std::optional<std::string> untrusted(const std::string &path);

}  // namespace bench::loader
