// SPDX-License-Identifier: Apache-2.0
// The bytes between bench.kernel/1's compile and load, for plugins whose compiler renames kernels:
// an image for the driver, with the name that the compiler gave the kernel. Header-only, C++17.
#pragma once
#include <bench/plugin_v1.h>

#include <bench/plugin.hpp>
#include <cstring>
#include <string>
#include <vector>

namespace bench::plugin {

struct KernelImage {
  std::string kernel_name;   // as the image has it (mangled); empty: as the caller has it
  std::string architecture;  // that it was compiled for; empty if not known
  std::string image;
};

/// Eight characters, a plugin's own, that no image of its driver begins with.
using ImageMagic = const char[9];

struct KernelImageHeader {
  char magic[8];
  std::uint32_t name_size;
  std::uint32_t architecture_size;
  std::uint64_t image_size;
};
static_assert(sizeof(KernelImageHeader) == 24);

inline std::vector<std::uint8_t> pack_image(const KernelImage &image, ImageMagic &magic) {
  KernelImageHeader header{};
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.name_size = static_cast<std::uint32_t>(image.kernel_name.size());
  header.architecture_size = static_cast<std::uint32_t>(image.architecture.size());
  header.image_size = image.image.size();
  std::vector<std::uint8_t> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (const std::string *part : {&image.kernel_name, &image.architecture, &image.image})
    bytes.insert(bytes.end(), part->begin(), part->end());
  return bytes;
}

inline bool is_packed_image(const void *bytes, std::uint64_t size, ImageMagic &magic) {
  return size >= sizeof(KernelImageHeader::magic) &&
         std::memcmp(bytes, magic, sizeof(KernelImageHeader::magic)) == 0;
}

/// What pack_image() made. Throws Error, INVALID_ARGUMENT, for a part of one.
inline KernelImage unpack_image(const void *bytes, std::uint64_t size) {
  const auto *all = static_cast<const char *>(bytes);
  KernelImageHeader header{};
  const bool has_header = size >= sizeof header;
  if (has_header) std::memcpy(&header, all, sizeof header);
  if (!has_header || header.image_size > size ||
      sizeof header + std::uint64_t{header.name_size} + header.architecture_size +
              header.image_size !=
          size)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                "a compiled kernel of " + std::to_string(size) + " bytes is not whole",
                "compile it again");
  const char *at = all + sizeof header;
  const auto take = [&](std::uint64_t count) {
    const std::string part(at, count);
    at += count;
    return part;
  };
  KernelImage image;
  image.kernel_name = take(header.name_size);
  image.architecture = take(header.architecture_size);
  image.image = take(header.image_size);
  return image;
}

}  // namespace bench::plugin
