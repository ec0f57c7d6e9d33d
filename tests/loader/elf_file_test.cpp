// SPDX-License-Identifier: Apache-2.0
#include "loader/elf_file.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <fstream>
#include <random>

#include "zoo.hpp"

using bench::loader::ElfFile;
using bench::loader::inspect_elf;
using bench::test::animal;
using bench::test::TempDir;

namespace {

std::string bytes_of(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The fault's words; both parts must be there.
std::string fault(const std::filesystem::path &path) {
  const ElfFile file = inspect_elf(path.string());
  REQUIRE(file.fault);
  CHECK_FALSE(file.fault->what.empty());
  CHECK_FALSE(file.fault->hint.empty());
  return file.fault->what;
}

}  // namespace

TEST_CASE("a good plugin is judged good, and read without being run") {
  const ElfFile file = inspect_elf(
      (std::filesystem::path(BENCH_TEST_BINARY_DIR) / "lib/bench/plugins-1/libbench_cpu.so")
          .string());
  CHECK_FALSE(file.fault);
  CHECK(file.note.find("org.bench.cpu") != std::string::npos);
  CHECK_FALSE(file.needed.empty());
}

TEST_CASE("what is no plugin for this machine is named for what it is") {
  TempDir folder;
  const std::string good = bytes_of(animal("good"));
  CHECK(fault(folder.path()).find("directory") != std::string::npos);
  CHECK(fault(folder.write("empty", "")).find("empty") != std::string::npos);
  CHECK(fault(folder.write("text", "#!/bin/sh\nexit 1\n")).find("no shared library") !=
        std::string::npos);
  CHECK(fault(folder.path() / "absent").find("cannot be opened") != std::string::npos);
  std::string edited = good;
  edited[EI_CLASS] = ELFCLASS32;
  CHECK(fault(folder.write("narrow", edited)).find("32-bit") != std::string::npos);
  edited = good;
  edited[EI_DATA] = ELFDATA2MSB;
  CHECK(fault(folder.write("big", edited)).find("big-endian") != std::string::npos);
  edited = good;
  const std::uint16_t other = EM_S390;
  std::memcpy(&edited[offsetof(Elf64_Ehdr, e_machine)], &other, sizeof other);
  CHECK(fault(folder.write("other", edited)).find("s390x") != std::string::npos);
  edited = good;
  const std::uint16_t program = ET_REL;
  std::memcpy(&edited[offsetof(Elf64_Ehdr, e_type)], &program, sizeof program);
  CHECK(fault(folder.write("object", edited)).find("no shared library") != std::string::npos);
}

TEST_CASE("cut anywhere within what is loaded, it is truncated") {
  TempDir folder;
  const std::string good = bytes_of(animal("good"));
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  std::size_t loaded = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment,
                good.data() + header.e_phoff + static_cast<std::size_t>(i) * sizeof segment,
                sizeof segment);
    if (segment.p_type == PT_LOAD)
      loaded = std::max<std::size_t>(loaded, segment.p_offset + segment.p_filesz);
  }
  for (std::size_t size = 5; size < loaded; size += 97) {
    const ElfFile file = inspect_elf(folder.write("cut", good.substr(0, size)).string());
    REQUIRE_MESSAGE(file.fault, size);
  }
}

TEST_CASE("no damage to a file's bytes harms the judge") {
  TempDir folder;
  const std::string good = bytes_of(animal("good"));
  std::mt19937 random(1);
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = good;
    for (int edit = 0; edit < 6; ++edit)
      damaged[random() % (edit % 2 ? 1024 : damaged.size())] = static_cast<char>(random());
    if (round % 4 == 0) damaged.resize(random() % damaged.size());
    inspect_elf(folder.write("damaged", damaged).string());  // ends; the sanitizers watch how
  }
  CHECK_FALSE(inspect_elf(animal("good").string()).fault);
}
