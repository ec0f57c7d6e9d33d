// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <mutex>
#include <vector>

#include "bench/plugin_v1.h"

namespace bench {
namespace {

std::uint32_t level_number(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return BENCH_LOG_ERROR;
  if (level == spdlog::level::warn) return BENCH_LOG_WARNING;
  if (level == spdlog::level::info) return BENCH_LOG_INFO;
  return BENCH_LOG_DEBUG;
}

spdlog::level::level_enum level_of(std::uint32_t level) {
  switch (level) {
    case BENCH_LOG_ERROR:
      return spdlog::level::err;
    case BENCH_LOG_WARNING:
      return spdlog::level::warn;
    case BENCH_LOG_INFO:
      return spdlog::level::info;
    default:
      return spdlog::level::debug;
  }
}

class CallbackSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  CallbackSink(LogCallback callback, void *user) : callback_(callback), user_(user) {}

 protected:
  void sink_it_(const spdlog::details::log_msg &message) override {
    const std::string text(message.payload.data(), message.payload.size());
    callback_(user_, level_number(message.level), text.c_str());
  }
  void flush_() override {}

 private:
  LogCallback callback_;
  void *user_;
};

}  // namespace

struct Log::Implementation {
  std::unique_ptr<spdlog::logger> logger;
};

Log::Log(LogCallback callback, void *user, const std::string &environment)
    : implementation_(std::make_unique<Implementation>()) {
  std::vector<spdlog::sink_ptr> sinks;
  if (callback) {
    sinks.push_back(std::make_shared<CallbackSink>(callback, user));
    sinks.back()->set_level(spdlog::level::info);
  }
  std::string refused;
  if (!environment.empty()) {
    const auto colon = environment.find(':');
    const auto level = spdlog::level::from_str(environment.substr(0, colon));
    if (colon == std::string::npos) {
      for (auto &sink : sinks) sink->set_level(level);
    } else {
      try {
        sinks.push_back(
            std::make_shared<spdlog::sinks::basic_file_sink_mt>(environment.substr(colon + 1)));
        sinks.back()->set_level(level);
      } catch (const spdlog::spdlog_ex &exception) {
        // A log that cannot be opened must not stop the work it would have described.
        refused = exception.what();
      }
    }
  }
  implementation_->logger = std::make_unique<spdlog::logger>("bench", sinks.begin(), sinks.end());
  implementation_->logger->set_level(spdlog::level::trace);
  implementation_->logger->flush_on(spdlog::level::info);
  implementation_->logger->set_error_handler([](const std::string &) {});
  if (!refused.empty()) {
    warning("BENCH_LOG: " + refused + "; no log file is written: name a file in a writable folder");
  }
}

Log::~Log() = default;

void Log::write(std::uint32_t level, const std::string &message) {
  implementation_->logger->log(level_of(level), spdlog::string_view_t(message));
}
void Log::debug(const std::string &message) {
  write(BENCH_LOG_DEBUG, message);
}
void Log::info(const std::string &message) {
  write(BENCH_LOG_INFO, message);
}
void Log::warning(const std::string &message) {
  write(BENCH_LOG_WARNING, message);
}

}  // namespace bench
