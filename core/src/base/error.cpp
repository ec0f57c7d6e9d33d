// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <algorithm>
#include <cstring>

#include "bench/bench.h"

namespace bench {
namespace {

/// Cuts at a whole code point: half a UTF-8 sequence breaks strict JSON writers downstream.
void copy_text(char *target, std::size_t capacity, const std::string &text) {
  std::size_t size = std::min(text.size(), capacity - 1);
  if (size < text.size()) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
  }
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

template <std::size_t N>
std::string read_text(const char (&text)[N]) {
  return std::string(text, ::strnlen(text, N));
}

}  // namespace

Failure::Failure(ErrorText text) : text_(std::move(text)), line_(error_line(text_)) {}

Failure::Failure(bench_status status, std::string what, std::string where, std::string hint)
    : Failure(ErrorText{status, std::move(what), std::move(where), std::move(hint), 0, ""}) {}

Failure::Failure(bench_status status, const bench_error_v1 &error, std::string where_if_empty)
    : Failure([&] {
        ErrorText text = error_text(status, error);
        if (text.where.empty()) text.where = std::move(where_if_empty);
        if (text.what.empty()) text.what = std::string("failed with status ") + status_name(status);
        return text;
      }()) {}

bench_error_v1 error_struct() {
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  return error;
}

bench_status error_fill(bench_error_v1 *error, const ErrorText &text) {
  // Members beyond the caller's struct_size are not ours to touch: it may be an older, smaller one.
  if (!error) return text.status;
  if (BENCH_HAS(error, status)) error->status = text.status;
  if (BENCH_HAS(error, vendor_code)) error->vendor_code = text.vendor_code;
  if (BENCH_HAS(error, vendor_name))
    copy_text(error->vendor_name, sizeof error->vendor_name, text.vendor_name);
  if (BENCH_HAS(error, where)) copy_text(error->where, sizeof error->where, text.where);
  if (BENCH_HAS(error, what)) copy_text(error->what, sizeof error->what, text.what);
  if (BENCH_HAS(error, hint)) copy_text(error->hint, sizeof error->hint, text.hint);
  return text.status;
}

ErrorText error_text(bench_status status, const bench_error_v1 &error) {
  return {status,
          read_text(error.what),
          read_text(error.where),
          read_text(error.hint),
          error.vendor_code,
          read_text(error.vendor_name)};
}

std::string error_line(const ErrorText &text) {
  std::string line = text.where.empty() ? text.what : text.where + ": " + text.what;
  if (!text.vendor_name.empty()) line += " [" + text.vendor_name + "]";
  if (!text.hint.empty()) line += " (" + text.hint + ")";
  return line;
}

const char *status_name(bench_status status) {
  switch (status) {
    case BENCH_OK:
      return "ok";
    case BENCH_ERROR_CONFIG_REJECTED:
      return "config-rejected";
    case BENCH_ERROR_OUT_OF_RESOURCES:
      return "out-of-resources";
    case BENCH_ERROR_COMPILE_FAILED:
      return "compile-failed";
    case BENCH_ERROR_CALLABLE_FAILED:
      return "callable-failed";
    case BENCH_ERROR_UNSUPPORTED:
      return "unsupported";
    case BENCH_ERROR_NO_DRIVER:
      return "no-driver";
    case BENCH_ERROR_NO_DEVICE:
      return "no-device";
    case BENCH_ERROR_NO_PERMISSION:
      return "no-permission";
    case BENCH_ERROR_BUSY:
      return "busy";
    case BENCH_ERROR_TIMEOUT:
      return "timeout";
    case BENCH_ERROR_CANCELLED:
      return "cancelled";
    case BENCH_ERROR_DEVICE_LOST:
      return "device-lost";
    case BENCH_ERROR_INVALID_ARGUMENT:
      return "invalid-argument";
    case BENCH_ERROR_INCOMPATIBLE:
      return "incompatible";
    case BENCH_ERROR_NO_VALID_CONFIG:
      return "no-valid-config";
    case BENCH_ERROR_NOT_TUNED:
      return "not-tuned";
    default:
      return "internal";
  }
}

}  // namespace bench
