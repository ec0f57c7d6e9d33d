// SPDX-License-Identifier: Apache-2.0
// Optional helpers for plugins written in C++: errors filled by the rules of plugin_v1.h, and a
// guard that lets no exception cross the boundary. Header-only, C++17, nothing to link.
#pragma once
#include <bench/plugin_v1_layout.h>

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace bench::plugin {

/// Thrown inside a plugin; becomes a status and an error struct in guarded().
class Error : public std::exception {
 public:
  Error(bench_status status_, std::string text_, std::string hint_ = "",
        std::int64_t vendor_code_ = 0, std::string vendor_name_ = "")
      : status(status_),
        text(std::move(text_)),
        hint(std::move(hint_)),
        vendor_name(std::move(vendor_name_)),
        vendor_code(vendor_code_) {}
  const char *what() const noexcept override { return text.c_str(); }

  bench_status status;
  std::string text, hint, vendor_name;
  std::int64_t vendor_code;
};

/// Copies into a char array of the ABI, cut at a whole code point.
template <std::size_t N>
void copy_text(char (&target)[N], const std::string &text) {
  std::size_t size = text.size() < N ? text.size() : N - 1;
  while (size > 0 && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u)
    --size;
  std::memcpy(target, text.data(), size);
  target[size] = '\0';
}

/// Fills what the caller's struct has room for; returns the status. `error` may be NULL.
inline bench_status fill(bench_error_v1 *error, const char *where, const Error &cause) {
  if (!error) return cause.status;
  if (BENCH_HAS(error, status)) error->status = cause.status;
  if (BENCH_HAS(error, vendor_code)) error->vendor_code = cause.vendor_code;
  if (BENCH_HAS(error, vendor_name)) copy_text(error->vendor_name, cause.vendor_name);
  if (BENCH_HAS(error, where)) copy_text(error->where, where);
  if (BENCH_HAS(error, what)) copy_text(error->what, cause.text);
  if (BENCH_HAS(error, hint)) copy_text(error->hint, cause.hint);
  return cause.status;
}

/// Runs `body` and turns whatever it throws into a status. A host cannot catch for a plugin: with
/// two copies of libstdc++ in the process it would be aborted instead.
template <typename Body>
bench_status guarded(bench_error_v1 *error, const char *where, Body &&body) noexcept {
  try {
    body();
    return BENCH_OK;
  } catch (const Error &cause) {
    return fill(error, where, cause);
  } catch (const std::bad_alloc &) {
    return fill(error, where,
                Error(BENCH_ERROR_OUT_OF_RESOURCES, "host memory is exhausted",
                      "free memory or ask for less"));
  } catch (const std::exception &cause) {
    return fill(error, where,
                Error(BENCH_ERROR_INTERNAL, cause.what(), "report this to the plugin's vendor"));
  } catch (...) {
    return fill(
        error, where,
        Error(BENCH_ERROR_INTERNAL, "unknown exception", "report this to the plugin's vendor"));
  }
}

/// Copies what you filled into the caller's struct, which is of its own size; throws if that is
/// below the 1.0 size, of which no plugin knows what its caller would read.
inline void store_info(bench_device_info_v1 *target, const bench_device_info_v1 &full) {
  const std::uint32_t size = target->struct_size;
  if (size < BENCH_SIZE_1_0_DEVICE_INFO)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                "info has " + std::to_string(size) + " bytes, below its 1.0 size of " +
                    std::to_string(BENCH_SIZE_1_0_DEVICE_INFO),
                "set struct_size to sizeof(bench_device_info_v1)");
  std::memcpy(target, &full, size < sizeof full ? size : sizeof full);
  target->struct_size = size;
}

/// Gives bytes (std::string, std::vector) to the caller's writer, which may be NULL.
template <typename Bytes>
void write_all(const bench_writer_v1 *writer, const Bytes &bytes) {
  static_assert(sizeof(bytes.data()[0]) == 1, "bytes, not elements");
  if (!writer || bytes.size() == 0) return;
  const bench_status status = writer->write(writer->user, bytes.data(), bytes.size());
  if (status != BENCH_OK) throw Error(status, "the caller's writer failed", "see its own report");
}

}  // namespace bench::plugin

/// The functions of tier T1 as a bench_plugin_api_v1 lists them, from stream_create to flush, each
/// by its own name in `scope` ("Streams::", or nothing for the current one). The table has them by
/// position, where two of one type that changed places would go unseen.
#define BENCH_PLUGIN_T1(scope)                                                                   \
  scope stream_create, scope stream_destroy, scope stream_synchronize, scope device_synchronize, \
      scope event_create, scope event_destroy, scope event_record, scope event_query,            \
      scope event_synchronize, scope event_elapsed, scope memory_allocate, scope memory_free,    \
      scope memory_copy, scope memory_set, scope flush_prepare, scope flush_release, scope flush
