// SPDX-License-Identifier: Apache-2.0
// The core's context, and measuring in it.
#pragma once
#include <bench/bench.h>
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "callable.hpp"

namespace libbench {

namespace nb = nanobind;

class Context {
 public:
  Context(const std::vector<std::string> &plugin_paths, const std::string &store_path,
          std::uint32_t flags);
  ~Context();
  Context(const Context &) = delete;  // owns the handle
  bench_context *raw() const { return raw_; }

  nb::str devices_json() const;
  nb::str plugins_json(bool story) const;
  /// "cuda:0" -> (type, id).
  nb::tuple parse_device(const std::string &name) const;
  /// The device of `arguments`, by the core's rules.
  nb::tuple dispatch(nb::list arguments, const std::string &device) const;
  /// Lines of the library's log since the last call: (level, text).
  nb::list take_log();

 private:
  static void log(void *user, std::uint32_t level, const char *message);
  bench_context *raw_ = nullptr;
  void *lines_ =
      nullptr;  // std::mutex and lines; the library logs from any thread, without the GIL
};

/// (kind, class_kind, handle) or None.
bool read_stream(nb::handle given, bench_stream_v1 &stream);

bench_error_v1 empty_error();
/// Appends to a std::string.
bench_writer_v1 writer_to(std::string &text);

/// A dict of the measurement's members, times in ns, with "samples_ns" as a list.
nb::dict measure(const Context &context, nb::tuple device, nb::object stream, nb::object function,
                 nb::tuple arguments, nb::dict keywords, std::uint32_t flags, nb::dict policy,
                 nb::dict hooks);

bench_policy_v1 read_policy(nb::dict given);
Hooks read_hooks(nb::dict given);

}  // namespace libbench
