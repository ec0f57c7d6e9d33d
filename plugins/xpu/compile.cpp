// SPDX-License-Identifier: Apache-2.0
#include "compile.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "spirv.hpp"

namespace bench_xpu {
namespace {

constexpr char container_magic[8] = {'B', 'X', 'P', 'U', 'M', 'O', 'D', '1'};

struct Header {
  char magic[8];
  std::uint32_t flag_bytes, constant_count;
  std::uint64_t spirv_bytes;
};
static_assert(sizeof(Header) == 24 && sizeof(ConstantValue) == 16, "written byte by byte");

ConstantValue value_of(const SpecializationConstant &constant, const std::string &text) {
  const auto wrong = [&](const char *expected) {
    return Error(BENCH_ERROR_CONFIG_REJECTED,
                 "constant " + constant.name + " is \"" + text + "\", not " + expected,
                 "give a value of the constant's type");
  };
  ConstantValue value{constant.spec_id, constant.bits / 8, {}};
  char *end = nullptr;
  errno = 0;
  if (constant.type == SpecializationConstant::Type::boolean) {
    const bool yes = text == "true" || text == "True" || text == "1";
    if (!yes && text != "false" && text != "False" && text != "0") throw wrong("a boolean");
    value.value[0] = yes;
  } else if (constant.type == SpecializationConstant::Type::integer) {
    const long long number = std::strtoll(text.c_str(), &end, 0);
    if (text.empty() || *end || errno != 0) throw wrong("an integer");
    std::memcpy(value.value.data(), &number, sizeof number);
  } else if (constant.bits == 32 || constant.bits == 64) {
    // Not strtod: it takes the locale's decimal comma, and a configuration never has one.
    double number = 0;
    const char *last = text.data() + text.size();
    const auto read = std::from_chars(text.data(), last, number);
    if (read.ec != std::errc() || read.ptr != last) throw wrong("a number");
    const auto single = static_cast<float>(number);
    if (constant.bits == 64) std::memcpy(value.value.data(), &number, sizeof number);
    if (constant.bits == 32) std::memcpy(value.value.data(), &single, sizeof single);
  } else {
    throw wrong("of a type that can be set (booleans, integers, 32 and 64 bit reals)");
  }
  return value;
}

}  // namespace

std::string pack(const Module &module) {
  Header header{};
  std::memcpy(header.magic, container_magic, sizeof header.magic);
  header.flag_bytes = static_cast<std::uint32_t>(module.flags.size());
  header.constant_count = static_cast<std::uint32_t>(module.constants.size());
  header.spirv_bytes = module.spirv.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes += module.flags;
  bytes.append(reinterpret_cast<const char *>(module.constants.data()),
               module.constants.size() * sizeof(ConstantValue));
  bytes.append(reinterpret_cast<const char *>(module.spirv.data()), module.spirv.size());
  return bytes;
}

Module unpack(const void *bytes, std::uint64_t size) {
  const auto *from = static_cast<const std::uint8_t *>(bytes);
  Module module;
  if (looks_like_spirv(bytes, size)) {
    module.spirv.assign(from, from + size);
    return module;
  }
  Header header{};
  if (size >= sizeof header) std::memcpy(&header, bytes, sizeof header);
  std::uint64_t left = size >= sizeof header ? size - sizeof header : 0;
  const std::uint64_t constant_bytes = header.constant_count * std::uint64_t{sizeof(ConstantValue)};
  if (std::memcmp(header.magic, container_magic, sizeof header.magic) != 0 ||
      header.flag_bytes > left || constant_bytes > left - header.flag_bytes ||
      header.spirv_bytes != left - header.flag_bytes - constant_bytes)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                std::to_string(size) + " bytes that neither are SPIR-V nor came from compile",
                "compile it with bench.kernel/1 of this plugin");
  from += sizeof header;
  module.flags.assign(reinterpret_cast<const char *>(from), header.flag_bytes);
  from += header.flag_bytes;
  module.constants.resize(header.constant_count);
  if (constant_bytes > 0) std::memcpy(module.constants.data(), from, constant_bytes);
  from += constant_bytes;
  module.spirv.assign(from, from + header.spirv_bytes);
  return module;
}

Module take_spirv(const bench_kernel_source_v1 &source, std::string &log) {
  const SpirvModule read = read_spirv(source.text, source.text_size);
  Module module;
  const auto *from = reinterpret_cast<const std::uint8_t *>(source.text);
  module.spirv.assign(from, from + source.text_size);
  for (std::uint32_t i = 0; i < source.option_count; ++i)
    module.flags += (module.flags.empty() ? "" : " ") + std::string(source.options[i]);
  for (std::uint32_t i = 0; i < source.definition_count; ++i) {
    bool used = false;
    for (const SpecializationConstant &constant : read.constants) {
      if (constant.name != source.definition_names[i]) continue;
      module.constants.push_back(value_of(constant, source.definition_values[i]));
      used = true;
    }
    if (!used)
      log += std::string(source.definition_names[i]) +
             ": the module has no specialization constant of this name; its code is the same for "
             "every value\n";
  }
  return module;
}

}  // namespace bench_xpu
