// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <cstdio>

namespace cli {
namespace {

void log_line(void *, std::uint32_t level, const char *message) {
  // Data goes to stdout, all else to stderr; below a warning nobody asked for it.
  if (level >= BENCH_LOG_WARNING) std::fprintf(stderr, "bench: %s\n", message);
}

int exit_code_of(bench_status status) {
  switch (status) {
    case BENCH_ERROR_INVALID_ARGUMENT:
      return exit_usage;
    default:
      return exit_measurement;
  }
}

}  // namespace

Client::Client(const Common &common) {
  bench_context_options_v1 options{};
  options.struct_size = sizeof options;
  if (common.allow_world_writable) options.flags |= BENCH_CONTEXT_ALLOW_WORLD_WRITABLE;
  if (common.notes_only) options.flags |= BENCH_CONTEXT_NOTES_ONLY;
  std::vector<const char *> paths;
  for (const auto &path : common.plugin_paths) paths.push_back(path.c_str());
  options.plugin_paths = paths.data();
  options.plugin_path_count = static_cast<std::uint32_t>(paths.size());
  options.store_path = common.store.empty() ? nullptr : common.store.c_str();
  options.log = log_line;
  bench_error_v1 error = new_error();
  check(bench_context_create(&options, &context_, &error), error);
}

bench_error_v1 new_error() {
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  return error;
}

std::string error_text(bench_status status, const bench_error_v1 &error) {
  std::string text = std::string("bench: ") + bench_status_name(status) + ": " + error.what;
  if (error.vendor_name[0]) text += std::string(" [") + error.vendor_name + "]";
  if (error.where[0]) text += std::string("\n  where: ") + error.where;
  if (error.hint[0]) text += std::string("\n  do: ") + error.hint;
  return text;
}

void check(bench_status status, const bench_error_v1 &error) {
  if (status != BENCH_OK) throw Failed(exit_code_of(status), error_text(status, error));
}

std::string collect(const std::function<void(const bench_writer_v1 *)> &call) {
  std::string bytes;
  bench_writer_v1 writer{};
  writer.struct_size = sizeof writer;
  writer.user = &bytes;
  writer.write = [](void *user, const void *data, std::uint64_t size) -> bench_status {
    static_cast<std::string *>(user)->append(static_cast<const char *>(data), size);
    return BENCH_OK;
  };
  call(&writer);
  return bytes;
}

std::string printable(const std::string &text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", byte);
      safe += escape;
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace cli
