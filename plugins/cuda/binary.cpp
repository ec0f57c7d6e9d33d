// SPDX-License-Identifier: Apache-2.0
#include "binary.hpp"

#include <elf.h>

#include <algorithm>
#include <bench/plugin.hpp>
#include <cstring>
#include <string_view>

namespace bench_cuda {
namespace {

using bench::plugin::Error;

constexpr char magic[] = "BENCHCU1";
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;
constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA
constexpr std::string_view kernel_section = ".text.";

template <typename T>
bool read_at(const std::string &bytes, std::uint64_t offset, T &value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

/// A NUL-terminated text at `offset`, or nothing.
std::string_view text_at(const std::string &bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = std::string_view(bytes).substr(offset);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

/// Each kernel has a section of its own: ".text." and its name.
std::vector<std::string> names_in_cubin(const std::string &image) {
  std::vector<std::string> names;
  Elf64_Ehdr header;
  Elf64_Shdr strings, section;
  if (!read_at(image, 0, header) || header.e_shentsize != sizeof section) return names;
  if (!read_at(image, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof section, strings))
    return names;
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    if (!read_at(image, header.e_shoff + std::uint64_t{i} * sizeof section, section)) break;
    const std::string_view name = text_at(image, strings.sh_offset + section.sh_name);
    if (name.substr(0, kernel_section.size()) == kernel_section)
      names.emplace_back(name.substr(kernel_section.size()));
  }
  return names;
}

std::vector<std::string> names_in_ptx(const std::string &image) {
  constexpr std::string_view directive = ".entry";
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string> names;
  for (auto at = image.find(directive); at != std::string::npos;
       at = image.find(directive, at + directive.size())) {
    const auto begin = image.find_first_not_of(blanks, at + directive.size());
    if (begin == std::string::npos) break;
    const auto end = image.find_first_of(" \t\r\n({", begin);
    const std::string name = image.substr(begin, end == std::string::npos ? end : end - begin);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace

const char *image_kind_name(ImageKind kind) {
  switch (kind) {
    case ImageKind::cubin:
      return "cubin";
    case ImageKind::ptx:
      return "PTX";
    case ImageKind::fatbin:
      return "fatbin";
    case ImageKind::unknown:
      break;
  }
  return "unknown";
}

std::vector<std::uint8_t> pack(const Binary &binary) {
  return bench::plugin::pack_image(binary, magic);
}

Binary unpack(const void *bytes, std::uint64_t size) {
  if (!bench::plugin::is_packed_image(bytes, size, magic)) {
    const std::string all(static_cast<const char *>(bytes), size);
    if (image_kind(all) == ImageKind::unknown)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                  std::to_string(size) + " bytes that are neither a cubin, nor PTX, nor a fatbin",
                  "give what compile returned, or an image for the CUDA driver");
    return {"", "", all};
  }
  Binary binary = bench::plugin::unpack_image(bytes, size);
  if (image_kind(binary.image) == ImageKind::unknown)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "a compiled kernel holds no image that CUDA knows",
                "compile it again");
  return binary;
}

ImageKind image_kind(const std::string &image) {
  Elf64_Ehdr header;
  if (read_at(image, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == cuda_machine)
    return ImageKind::cubin;
  std::uint32_t first = 0;
  if (read_at(image, 0, first) && first == fatbin_magic) return ImageKind::fatbin;
  if (image.find(".version") != std::string::npos && image.find(".target") != std::string::npos)
    return ImageKind::ptx;
  return ImageKind::unknown;
}

std::vector<std::string> kernel_names(const std::string &image) {
  std::vector<std::string> names;
  switch (image_kind(image)) {
    case ImageKind::cubin:
      names = names_in_cubin(image);
      break;
    case ImageKind::ptx:
      names = names_in_ptx(image);
      break;
    default:
      break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace bench_cuda
