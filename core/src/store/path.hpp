// SPDX-License-Identifier: Apache-2.0
// Which file the store is.
#pragma once
#include <filesystem>
#include <string>

namespace bench::store {

/// True where file locks of several hosts do not exclude each other reliably. `kind` is statfs's.
bool network_kind(unsigned long kind);

/// "store.db" becomes "store-HOST.db" on a network file system, else stays.
std::filesystem::path local_file(const std::filesystem::path &file);
/// The name used there: "dir/store.db", "node7" -> "dir/store-node7.db".
std::filesystem::path host_file(const std::filesystem::path &file, const std::string &host);

}  // namespace bench::store
