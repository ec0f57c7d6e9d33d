// SPDX-License-Identifier: Apache-2.0
#include "dtypes.hpp"

#include <cstdlib>
#include <string>
#include <unordered_map>

namespace libbench {

namespace {

/// Guarded by the GIL. Dtypes are kept alive: an address must not be used twice.
std::unordered_map<PyObject *, dlpack::DataType> &dtypes() {
  static auto &map = *new std::unordered_map<PyObject *, dlpack::DataType>;
  return map;
}

constexpr std::uint8_t opaque = 3;  // DLPack's handle

/// "float32" or "torch.float32"; what nobody knows keeps its width only, as an opaque type.
dlpack::DataType parse_dtype(const std::string &text) {
  const std::string name =
      text.substr(text.rfind('.') == std::string::npos ? 0 : text.rfind('.') + 1);
  if (name == "bool") return {6, 8, 1};
  const std::size_t digits = name.find_first_of("0123456789");
  const int bits = digits == std::string::npos ? 0 : std::atoi(name.c_str() + digits);
  const std::string kind = name.substr(0, digits);
  static const std::unordered_map<std::string, std::uint8_t> codes = {
      {"int", 0}, {"uint", 1}, {"float", 2}, {"bfloat", 4}, {"complex", 5}};
  static const std::unordered_map<std::string, std::uint8_t> small_floats = {
      {"float8_e3m4", 7},      {"float8_e4m3", 8},      {"float8_e4m3b11fnuz", 9},
      {"float8_e4m3fn", 10},   {"float8_e4m3fnuz", 11}, {"float8_e5m2", 12},
      {"float8_e5m2fnuz", 13}, {"float8_e8m0fnu", 14}};
  if (const auto small = small_floats.find(name); small != small_floats.end())
    return {small->second, 8, 1};
  const auto code = codes.find(kind);
  if (code == codes.end() || bits <= 0 || bits > 128) return {opaque, std::uint8_t(bits), 1};
  return {code->second, std::uint8_t(bits), 1};
}

/// Whole elements of a type that DLPack has no code for: nobody computes with them, but they can be
/// copied.
void size_opaque(PyObject *dtype, dlpack::DataType &type) {
  if (type.code != opaque) return;
  PyObject *size = PyObject_GetAttrString(dtype, "itemsize");
  const long bytes = size ? PyLong_AsLong(size) : 0;
  Py_XDECREF(size);
  PyErr_Clear();
  if (bytes > 0 && bytes <= 0xffff) type = {opaque, 8, std::uint16_t(bytes)};
}

}  // namespace

bool dtype_of(PyObject *dtype, dlpack::DataType &result) {
  const auto known = dtypes().find(dtype);
  if (known != dtypes().end()) {
    result = known->second;
    return true;
  }
  PyObject *text = PyObject_Str(dtype);
  const char *bytes = text ? PyUnicode_AsUTF8(text) : nullptr;
  if (!bytes) {
    Py_XDECREF(text);
    return false;
  }
  result = parse_dtype(bytes);
  Py_DECREF(text);
  size_opaque(dtype, result);
  Py_INCREF(dtype);
  dtypes().emplace(dtype, result);
  return true;
}

}  // namespace libbench
