// SPDX-License-Identifier: Apache-2.0
#include "dispatch/describe.hpp"

#include <charconv>

namespace bench::dispatch {

namespace {

/// Shortest text that reads back as the same number, whatever the locale; never that of an integer.
std::string real_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

/// Escaped, so that no text can look like the end of its argument and the start of the next.
std::string quoted(const char *text) {
  std::string result = "\"";
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') result += '\\';
    result += *text;
  }
  return result + "\"";
}

}  // namespace

std::string dtype_text(const bench_argument_v1 &argument) {
  // DLPack's DLDataTypeCode.
  const char *name = nullptr;
  switch (argument.dtype_code) {
    case 0:
      name = "int";
      break;
    case 1:
      name = "uint";
      break;
    case 2:
      name = "float";
      break;
    case 3:
      name = "handle";
      break;
    case 4:
      name = "bfloat";
      break;
    case 5:
      name = "complex";
      break;
    case 6:
      name = "bool";
      break;
    default:
      break;
  }
  std::string text =
      name ? std::string(name) : "dtype" + std::to_string(unsigned(argument.dtype_code)) + ":";
  text += std::to_string(unsigned(argument.dtype_bits));
  if (argument.dtype_lanes > 1) text += "x" + std::to_string(unsigned(argument.dtype_lanes));
  return text;
}

std::string shape_text(const bench_argument_v1 &argument) {
  std::string text = "[";
  for (std::uint32_t axis = 0; axis < argument.rank && argument.shape; ++axis) {
    if (axis) text += ", ";
    text += std::to_string(argument.shape[axis]);
  }
  return text + "]";
}

std::string value_text(const bench_argument_v1 &argument) {
  switch (argument.kind) {
    case BENCH_ARGUMENT_NONE:
      return "none";
    case BENCH_ARGUMENT_INTEGER:
      return std::to_string(argument.integer);
    case BENCH_ARGUMENT_REAL:
      return real_text(argument.real);
    case BENCH_ARGUMENT_BOOLEAN:
      return argument.integer ? "true" : "false";
    case BENCH_ARGUMENT_TEXT:
      return argument.text ? quoted(argument.text) : "null text";
    case BENCH_ARGUMENT_TENSOR:
      return dtype_text(argument) + shape_text(argument);
    default:
      return "kind " + std::to_string(argument.kind);
  }
}

std::string argument_line(const ClassTable &classes, std::uint32_t index, const char *name,
                          const bench_argument_v1 *argument) {
  std::string line = "argument " + std::to_string(index);
  if (name) line += " '" + std::string(name) + "'";
  line += ": ";
  if (!argument) return line + "null pointer";
  if (argument->kind != BENCH_ARGUMENT_TENSOR) return line + value_text(*argument);
  if (argument->device_class) {
    line += std::string(argument->device_class) + ":" + std::to_string(argument->device.id);
  } else if (const DeviceClass *owner = classes.find_memory(argument->device.type)) {
    const bool managed = argument->device.type == BENCH_DEVICE_CUDA_MANAGED;
    line += owner->name + (managed ? " managed" : " pinned") + " memory";
  } else if (argument->device.type == BENCH_DEVICE_EXT) {
    line += "ext:" + std::to_string(argument->device.id);
  } else {
    line += classes.tag(argument->device);
  }
  return line + " " + value_text(*argument);
}

}  // namespace bench::dispatch
