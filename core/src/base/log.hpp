// SPDX-License-Identifier: Apache-2.0
// The core's own log. It writes to no stream by itself: lines go to the embedder's callback, and to
// the file that BENCH_LOG names. Never spdlog's global registry, which belongs to the application.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace bench {

/// Levels are BENCH_LOG_* of plugin_v1.h.
using LogCallback = void (*)(void *user, std::uint32_t level, const char *message);

class Log {
 public:
  /// `callback` may be null. `environment` is BENCH_LOG's value, "level" or "level:file", may be
  /// empty.
  Log(LogCallback callback, void *user, const std::string &environment);
  ~Log();
  Log(const Log &) = delete;  // owns its sinks
  Log &operator=(const Log &) = delete;

  void write(std::uint32_t level, const std::string &message);
  void debug(const std::string &message);
  void info(const std::string &message);
  void warning(const std::string &message);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bench
