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

constexpr char magic[8] = {'B', 'E', 'N', 'C', 'H', 'C', 'U', '1'};
constexpr std::uint32_t fatbin_magic = 0xBA55ED50;
constexpr std::uint16_t cuda_machine = 190;  // EM_CUDA
constexpr std::string_view kernel_section = ".text.";

struct Header {
  char magic[8];
  std::uint32_t name_size;
  std::uint32_t architecture_size;
  std::uint64_t image_size;
};
static_assert(sizeof(Header) == 24);

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
  Header header{};
  std::memcpy(header.magic, magic, sizeof magic);
  header.name_size = static_cast<std::uint32_t>(binary.kernel_name.size());
  header.architecture_size = static_cast<std::uint32_t>(binary.architecture.size());
  header.image_size = binary.image.size();
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (const std::string *part : {&binary.kernel_name, &binary.architecture, &binary.image})
    bytes.insert(bytes.end(), part->begin(), part->end());
  return bytes;
}

Binary unpack(const void *bytes, std::uint64_t size) {
  const std::string all(static_cast<const char *>(bytes), size);
  Binary binary;
  if (size < sizeof magic || std::memcmp(bytes, magic, sizeof magic) != 0) {
    if (image_kind(all) == ImageKind::unknown)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                  std::to_string(size) + " bytes that are neither a cubin, nor PTX, nor a fatbin",
                  "give what compile returned, or an image for the CUDA driver");
    binary.image = all;
    return binary;
  }
  Header header;
  const bool whole = read_at(all, 0, header) && header.image_size <= size &&
                     sizeof header + std::uint64_t{header.name_size} + header.architecture_size +
                             header.image_size ==
                         size;
  if (!whole)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                "a compiled kernel of " + std::to_string(size) + " bytes is not whole",
                "compile it again");
  std::size_t at = sizeof header;
  const auto take = [&](std::uint64_t count) {
    const std::string part = all.substr(at, count);
    at += count;
    return part;
  };
  binary.kernel_name = take(header.name_size);
  binary.architecture = take(header.architecture_size);
  binary.image = take(header.image_size);
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
