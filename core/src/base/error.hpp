// SPDX-License-Identifier: Apache-2.0
// How the core reports failures: one exception type inside, bench_error_v1 at every C boundary.
#pragma once
#include <exception>
#include <string>

#include "bench/plugin_v1.h"

namespace bench {

/// What happened, where, and what to do about it.
struct ErrorText {
  bench_status status = BENCH_ERROR_INTERNAL;
  std::string what;
  std::string where;
  std::string hint;
  std::int64_t vendor_code = 0;
  std::string vendor_name;
};

/// Thrown inside the core, never across a C boundary. `text()` holds the three parts.
class Failure : public std::exception {
 public:
  Failure(bench_status status, std::string what, std::string where, std::string hint);
  explicit Failure(ErrorText text);
  /// From the error that a plugin or callback filled; `status` wins over the struct's own.
  Failure(bench_status status, const bench_error_v1 &error, std::string where_if_empty);

  const ErrorText &text() const { return text_; }
  bench_status status() const { return text_.status; }
  /// "where: what (hint)", one line.
  const char *what() const noexcept override { return line_.c_str(); }

 private:
  ErrorText text_;
  std::string line_;
};

/// A zeroed error struct, ready to be handed to a callee.
bench_error_v1 error_struct();

/// Copies `text` into a caller's struct (which may be NULL or smaller than ours); returns the
/// status.
bench_status error_fill(bench_error_v1 *error, const ErrorText &text);

/// Reads a struct that a callee filled.
ErrorText error_text(bench_status status, const bench_error_v1 &error);

/// "where: what (hint)" as one line for people.
std::string error_line(const ErrorText &text);

/// Short constant name, "out-of-resources"; unknown values are "internal".
const char *status_name(bench_status status);

/// Runs `body` (which returns a status or nothing) and turns every exception into `error`.
template <typename Body>
bench_status guarded(bench_error_v1 *error, const char *where, Body &&body) noexcept {
  try {
    if constexpr (requires { bench_status{body()}; }) {
      return body();
    } else {
      body();
      return BENCH_OK;
    }
  } catch (const Failure &failure) {
    return error_fill(error, failure.text());
  } catch (const std::bad_alloc &) {
    return error_fill(error, {BENCH_ERROR_OUT_OF_RESOURCES, "host memory is exhausted", where,
                              "free memory or ask for less", 0, ""});
  } catch (const std::exception &exception) {
    return error_fill(error, {BENCH_ERROR_INTERNAL, exception.what(), where,
                              "this is a defect of the library: please report it", 0, ""});
  } catch (...) {
    return error_fill(error, {BENCH_ERROR_INTERNAL, "unknown exception", where,
                              "this is a defect of the library: please report it", 0, ""});
  }
}

}  // namespace bench
