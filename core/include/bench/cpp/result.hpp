// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: errors and results.
#ifndef BENCH_CPP_RESULT_HPP
#define BENCH_CPP_RESULT_HPP

#include <bench/bench.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#if defined(__cpp_exceptions)
#include <exception>
#include <stdexcept>
#endif
// Two ways to compile these headers may meet in one program: they must not share symbols.
#if defined(__cpp_exceptions)
#define BENCH_INLINE_NAMESPACE throwing_v0
#else
#define BENCH_INLINE_NAMESPACE plain_v0
#endif

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

/// What happened, where, and what to do about it.
struct ErrorInfo {
  bench_status status = BENCH_ERROR_INTERNAL;
  std::string what, where, hint;
#if defined(__cpp_exceptions)
  std::exception_ptr cause;  ///< what a callback threw, or null
#endif
  std::string line() const {
    return (where.empty() ? what : where + ": " + what) + (hint.empty() ? "" : " (" + hint + ")");
  }
};

#if defined(__cpp_exceptions)
class Error : public std::runtime_error {
 public:
  explicit Error(ErrorInfo info) : std::runtime_error(info.line()), info_(std::move(info)) {}
  const ErrorInfo &info() const { return info_; }
  bench_status status() const { return info_.status; }

 private:
  ErrorInfo info_;
};
#endif

namespace detail {

[[noreturn]] inline void raise(const ErrorInfo &info) {
#if defined(__cpp_exceptions)
  if (info.cause) std::rethrow_exception(info.cause);
  throw Error(info);
#else
  (void)info;
  std::abort();
#endif
}

struct Nothing {};

/// The caller's error struct and what becomes of it.
struct ErrorSlot {
  bench_error_v1 raw{};
  ErrorSlot() { raw.struct_size = sizeof raw; }
  ErrorInfo info(bench_status status) const {
    ErrorInfo result;
    result.status = status;
    result.what = raw.what[0] ? raw.what : bench_status_name(status);
    result.where = raw.where;
    result.hint = raw.hint;
    return result;
  }
};

}  // namespace detail

/// A value or an error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(ErrorInfo error) : error_(new ErrorInfo(std::move(error))) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  bench_status status() const { return error_ ? error_->status : BENCH_OK; }
  /// Only where !ok().
  const ErrorInfo &error() const { return *error_; }
  T &value() & {
    if (error_) detail::raise(*error_);
    return value_;
  }
  T &&value() && {
    if (error_) detail::raise(*error_);
    return std::move(value_);
  }
  T value_or(T other) const { return error_ ? std::move(other) : value_; }

 private:
  T value_{};
  std::unique_ptr<ErrorInfo> error_;  // a pointer: a hit moves one word, not four strings
};

using Status = Result<detail::Nothing>;

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
