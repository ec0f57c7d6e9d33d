// SPDX-License-Identifier: Apache-2.0
#include "spirv.hpp"

#include <cstring>
#include <map>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint64_t header_words = 5;
constexpr std::uint32_t op_name = 5, op_entry_point = 15, op_type_bool = 20, op_type_int = 21,
                        op_type_float = 22, op_spec_constant_true = 48, op_spec_constant_false = 49,
                        op_spec_constant = 50, op_decorate = 71;
constexpr std::uint32_t model_kernel = 6, decoration_spec_id = 1;
using Type = SpecializationConstant::Type;

struct Word {
  Type type;
  std::uint32_t bits;
};

/// A string literal: bytes up to a NUL, within the words of its instruction.
std::string literal(const std::vector<std::uint32_t> &words, std::size_t first, std::size_t end) {
  std::string text;
  for (std::size_t i = first; i < end; ++i) {
    char bytes[4];
    std::memcpy(bytes, &words[i], sizeof bytes);
    for (const char c : bytes) {
      if (c == '\0') return text;
      text += c;
    }
  }
  return text;
}

}  // namespace

bool looks_like_spirv(const void *bytes, std::uint64_t size) {
  std::uint32_t first = 0;
  if (size >= sizeof first) std::memcpy(&first, bytes, sizeof first);
  return first == magic;
}

SpirvModule read_spirv(const void *bytes, std::uint64_t size) {
  const auto broken = [](const std::string &what) {
    return Error(
        BENCH_ERROR_COMPILE_FAILED, "not a SPIR-V module: " + what,
        "give a binary module in the byte order of this machine (spirv-as makes one of text)");
  };
  if (!looks_like_spirv(bytes, size)) throw broken("it does not begin with 0x07230203");
  if (size % sizeof(std::uint32_t) != 0 || size < header_words * sizeof(std::uint32_t))
    throw broken(std::to_string(size) + " bytes are no whole words behind a header");
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes, size);
  SpirvModule module;
  std::map<std::uint32_t, std::string> names;
  std::map<std::uint32_t, std::uint32_t> spec_ids;
  std::map<std::uint32_t, Word> types;
  std::vector<std::pair<std::uint32_t, Word>> constants;
  for (std::size_t at = header_words; at < words.size();) {
    const std::uint32_t opcode = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      throw broken("the instruction at word " + std::to_string(at) + " has " +
                   std::to_string(length) + " words");
    const std::size_t end = at + length;
    const auto operand = [&](std::size_t i) { return at + i < end ? words[at + i] : 0; };
    if (opcode == op_entry_point && operand(1) == model_kernel)
      module.kernels.push_back(literal(words, at + 3, end));
    if (opcode == op_name) names[operand(1)] = literal(words, at + 2, end);
    if (opcode == op_decorate && operand(2) == decoration_spec_id)
      spec_ids[operand(1)] = operand(3);
    if (opcode == op_type_bool) types[operand(1)] = {Type::boolean, 8};
    if (opcode == op_type_int) types[operand(1)] = {Type::integer, operand(2)};
    if (opcode == op_type_float) types[operand(1)] = {Type::real, operand(2)};
    if (opcode == op_spec_constant_true || opcode == op_spec_constant_false)
      constants.emplace_back(operand(2), Word{Type::boolean, 8});
    if (opcode == op_spec_constant && types.count(operand(1)))
      constants.emplace_back(operand(2), types[operand(1)]);
    at = end;
  }
  for (const auto &[id, type] : constants) {
    if (spec_ids.count(id))
      module.constants.push_back({spec_ids[id], names[id], type.type, type.bits});
  }
  return module;
}

}  // namespace bench_xpu
