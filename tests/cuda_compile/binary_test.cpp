// SPDX-License-Identifier: Apache-2.0
// The bytes between compile and load: whole ones come back, no part of one harms.
#include "binary.hpp"

#include <doctest/doctest.h>

#include <bench/plugin.hpp>
#include <cstring>
#include <random>

using namespace bench_cuda;

namespace {

const std::string ptx =
    ".version 6.0\n.target sm_50\n.visible .entry first(\n) { ret; }\n.entry second { ret; }\n";

std::vector<std::uint8_t> packed() {
  return pack({"_Z5firstv", "sm_90", ptx});
}

}  // namespace

TEST_CASE("what was packed is unpacked") {
  const auto bytes = packed();
  const Binary binary = unpack(bytes.data(), bytes.size());
  CHECK(binary.kernel_name == "_Z5firstv");
  CHECK(binary.architecture == "sm_90");
  CHECK(binary.image == ptx);
}

TEST_CASE("a bare image is taken without a name") {
  const Binary binary = unpack(ptx.data(), ptx.size());
  CHECK(binary.kernel_name.empty());
  CHECK(image_kind(binary.image) == ImageKind::ptx);
  CHECK(kernel_names(ptx) == std::vector<std::string>{"first", "second"});
}

TEST_CASE("no part of one is taken for one") {
  const auto bytes = packed();
  for (std::size_t size = 8; size < bytes.size(); ++size)
    CHECK_THROWS_AS(unpack(bytes.data(), size), bench::plugin::Error);
  CHECK_THROWS_AS(unpack("", 0), bench::plugin::Error);
  auto longer = bytes;
  longer.push_back(0);
  CHECK_THROWS_AS(unpack(longer.data(), longer.size()), bench::plugin::Error);
}

TEST_CASE("flipped bits and noise cost an error at most") {
  std::mt19937 random(1);
  auto bytes = packed();
  for (int i = 0; i < 20'000; ++i) {
    auto damaged = bytes;
    for (int flips = 0; flips < 3; ++flips)
      damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    try {
      kernel_names(unpack(damaged.data(), damaged.size()).image);
    } catch (const bench::plugin::Error &) {
    }
  }
  // An ELF for CUDA whose tables point anywhere.
  for (int i = 0; i < 20'000; ++i) {
    std::string elf(200, '\0');
    for (char &one : elf) one = static_cast<char>(random());
    std::memcpy(elf.data(),
                "\x7f"
                "ELF\x02",
                5);
    const std::uint16_t machine = 190, entry_size = 64;
    std::memcpy(elf.data() + 18, &machine, 2);
    std::memcpy(elf.data() + 58, &entry_size, 2);
    kernel_names(elf);
  }
}
