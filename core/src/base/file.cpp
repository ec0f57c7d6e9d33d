// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fstream>
#include <iterator>

namespace bench {

std::optional<std::string> read_file(const std::filesystem::path &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  try {
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    return text;
  } catch (const std::ios_base::failure &) {
    return std::nullopt;
  }
}

}  // namespace bench
