// SPDX-License-Identifier: Apache-2.0
// A worker process as the tuner sees it: a request goes in, a reply comes out, or the process is
// gone and the reason is known. Whatever a kernel does to its process ends there.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "worker/channel.hpp"

namespace bench::worker {

/// The worker died, or was killed at its deadline, while it served a request.
class WorkerDied : public std::runtime_error {
 public:
  WorkerDied(bool timeout, const std::string &how) : std::runtime_error(how), timeout_(timeout) {}
  bool timeout() const { return timeout_; }

 private:
  bool timeout_;
};

class Process {
 public:
  /// Starts `program` (bench-worker). Throws Failure if it cannot be started.
  explicit Process(const std::string &program);
  /// Kills it and reaps it: no orphan, no zombie.
  ~Process();
  Process(const Process &) = delete;  // a child is reaped once
  Process &operator=(const Process &) = delete;

  /// One request, one reply. Throws WorkerDied; afterwards alive() is false. A deadline of 0 waits
  /// for ever.
  nlohmann::json request(const nlohmann::json &message, std::int64_t timeout_ns);
  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

 private:
  std::string reap();
  std::string output_tail() const;

  pid_t pid_ = -1;
  int output_ = -1;  // file with what the worker printed: a kernel's text must not reach our stdout
  std::unique_ptr<Channel> channel_;
};

}  // namespace bench::worker
