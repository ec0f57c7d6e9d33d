// SPDX-License-Identifier: Apache-2.0
#include "cpu.hpp"

namespace bench_cpu {
namespace {

constexpr std::uint8_t code_int = 0, code_uint = 1, code_float = 2, code_bool = 6;

/// The C type of an element. Half precision needs a compiler that has it: _Float16.
std::string type_of(const bench_kernel_parameter_v1 &parameter, bool is_cpp) {
  const std::string bits = std::to_string(parameter.dtype_bits);
  switch (parameter.dtype_code) {
    case code_int:
      return "int" + bits + "_t";
    case code_uint:
      return "uint" + bits + "_t";
    case code_bool:
      return is_cpp ? "bool" : "_Bool";
    case code_float:
      return parameter.dtype_bits == 64   ? "double"
             : parameter.dtype_bits == 32 ? "float"
                                          : "_Float16";
    default:
      break;
  }
  throw Error(BENCH_ERROR_UNSUPPORTED,
              "parameter " + std::string(parameter.name) + " has element type code " +
                  std::to_string(parameter.dtype_code),
              "the cpu plugin knows integers, booleans and reals");
}

}  // namespace

std::string wrapper_source(const bench_kernel_source_v1 &source, bool is_cpp) {
  std::string declared, passed;
  std::uint32_t position = 0;
  for (std::uint32_t i = 0; i < source.parameter_count; ++i) {
    const bench_kernel_parameter_v1 &parameter = *source.parameters[i];
    if (parameter.kind == BENCH_PARAMETER_SYMBOL) continue;
    if (parameter.kind == BENCH_PARAMETER_LOCAL)
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  "parameter " + std::string(parameter.name) + " is local memory",
                  "a CPU has none: use an array in the kernel");
    const std::string type = type_of(parameter, is_cpp);
    const std::string slot = "bench_arguments[" + std::to_string(position++) + "]";
    const bool vector = parameter.kind == BENCH_PARAMETER_VECTOR;
    const std::string full =
        vector ? ((parameter.access & BENCH_ACCESS_WRITE) ? type + " *" : "const " + type + " *")
               : type;
    declared += (declared.empty() ? "" : ", ") + full;
    passed += (passed.empty() ? "" : ", ") + std::string("*(") + full + " const *)" + slot;
  }
  if (declared.empty()) declared = "void";
  const std::string name = source.name;
  std::string text =
      "\n\n/* Calls " + name +
      " with the arguments of the problem file; other parameter types do not compile. */\n";
  // C lets both pass with a warning: a name that is not defined, and an argument of another type,
  // which the kernel would read as a wild pointer. Here only, not in the user's own code.
  if (!is_cpp) {
    for (const char *warning : {"implicit-function-declaration", "incompatible-pointer-types",
                                "discarded-qualifiers", "int-conversion"})
      text += std::string("#pragma GCC diagnostic error \"-W") + warning + "\"\n";
  }
  text += "#include <stdint.h>\n";
  const std::string opening = is_cpp ? "extern \"C\" __attribute__((visibility(\"default\"))) "
                                     : "__attribute__((visibility(\"default\"))) ";
  text += opening + "void " + wrapper_symbol + "(const void *const *bench_arguments);\n";
  text += opening + "void " + wrapper_symbol +
          "(const void *const *bench_arguments) {\n  (void)bench_arguments;\n";
  text += "  " + name + "(" + passed + ");\n}\n";
  return text;
}

}  // namespace bench_cpu
