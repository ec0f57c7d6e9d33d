// SPDX-License-Identifier: Apache-2.0
// What the commands share: a context, and calls of the C API that throw what the library reports.
#pragma once
#include <bench/bench.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace cli {

// Exit codes of the program; documented in docs/cli.md.
constexpr int exit_fine = 0;
constexpr int exit_regression = 1;
constexpr int exit_usage = 2;
constexpr int exit_measurement = 3;

/// A failed call: three lines for people, an exit code for scripts.
class Failed : public std::runtime_error {
 public:
  Failed(int exit_code, const std::string &text)
      : std::runtime_error(text), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// Options that every command takes.
struct Common {
  bool json = false;
  bool quiet = false;
  bool allow_world_writable = false;
  bool notes_only = false;  // of `bench plugins --static`
  std::string store;
  std::vector<std::string> plugin_paths;
};

class Client {
 public:
  explicit Client(const Common &common);
  ~Client() { bench_context_destroy(context_); }
  Client(const Client &) = delete;  // owns the context
  Client &operator=(const Client &) = delete;

  bench_context *context() { return context_; }

 private:
  bench_context *context_ = nullptr;
};

/// Throws Failed unless `status` is good.
void check(bench_status status, const bench_error_v1 &error);
/// The error struct to hand to a call.
bench_error_v1 new_error();
/// Three parts, one a line: what, where, what to do.
std::string error_text(bench_status status, const bench_error_v1 &error);

/// Runs a call that writes to a bench_writer_v1 and returns the bytes.
std::string collect(const std::function<void(const bench_writer_v1 *)> &call);

/// Text that a terminal may print: control characters from foreign files are escaped.
std::string printable(const std::string &text);

}  // namespace cli
