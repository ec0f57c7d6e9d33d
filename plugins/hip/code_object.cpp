// SPDX-License-Identifier: Apache-2.0
#include "code_object.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

namespace bench_hip {
namespace {

constexpr std::uint16_t amdgpu_machine = 224;  // EM_AMDGPU
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_bundle_magic = "CCOB";
// Each kernel has a descriptor, named after it.
constexpr std::string_view descriptor_suffix = ".kd";
constexpr std::size_t most_names_shown = 8;

template <typename T>
bool read_at(const std::string &bytes, std::uint64_t offset, T &value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

bool begins_with(const std::string &image, std::string_view text) {
  return image.compare(0, text.size(), text) == 0;
}

bool is_elf(const std::string &image, Elf64_Ehdr &header) {
  return read_at(image, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64;
}

/// A NUL-terminated text at `offset`, or nothing.
std::string_view text_at(const std::string &bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = std::string_view(bytes).substr(offset);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

}  // namespace

bool is_code_object(const std::string &image) {
  Elf64_Ehdr header;
  return begins_with(image, bundle_magic) || begins_with(image, compressed_bundle_magic) ||
         (is_elf(image, header) && header.e_machine == amdgpu_machine);
}

std::string kernel_names_text(const std::string &image) {
  Elf64_Ehdr header;
  Elf64_Shdr table, strings;
  if (!is_elf(image, header) || header.e_shentsize != sizeof table) return "";
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    if (!read_at(image, header.e_shoff + std::uint64_t{i} * sizeof table, table)) break;
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (!read_at(image, header.e_shoff + std::uint64_t{table.sh_link} * sizeof strings, strings))
      continue;
    Elf64_Sym symbol;
    for (std::uint64_t at = 0; at + sizeof symbol <= table.sh_size; at += sizeof symbol) {
      if (!read_at(image, table.sh_offset + at, symbol)) break;
      const std::string_view name = text_at(image, strings.sh_offset + symbol.st_name);
      if (name.size() > descriptor_suffix.size() &&
          name.substr(name.size() - descriptor_suffix.size()) == descriptor_suffix)
        names.emplace(name.substr(0, name.size() - descriptor_suffix.size()));
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (const std::string &name : names)
    if (shown++ < most_names_shown) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace bench_hip
