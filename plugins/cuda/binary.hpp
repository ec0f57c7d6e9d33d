// SPDX-License-Identifier: Apache-2.0
// The bytes between compile and load: an image for the driver, with the name that the compiler gave
// the kernel. Also what can be read from images that others made.
#pragma once
#include <bench/plugin/kernel_image.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace bench_cuda {

enum class ImageKind { cubin, ptx, fatbin, unknown };
const char *image_kind_name(ImageKind kind);

using Binary = bench::plugin::KernelImage;

std::vector<std::uint8_t> pack(const Binary &binary);
/// What pack() made, or a bare image. Throws Error, INVALID_ARGUMENT, for anything else, or for a
/// part of one.
Binary unpack(const void *bytes, std::uint64_t size);

ImageKind image_kind(const std::string &image);
/// Names of the kernels in a cubin or in PTX; nothing for others.
std::vector<std::string> kernel_names(const std::string &image);

}  // namespace bench_cuda
