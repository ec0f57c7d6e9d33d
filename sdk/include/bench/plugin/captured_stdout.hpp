// SPDX-License-Identifier: Apache-2.0
// Keeps what a vendor's library prints away from the program's data. Drivers print hints and
// warnings to stdout while they start; `bench devices --json | jq` broke on them. Header-only,
// C++17.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <string>

namespace bench::plugin {

/// While it lives, descriptor 1 of the PROCESS is a memory file: for start-up calls only. Two of
/// one plugin wait for each other.
class CapturedStdout {
 public:
  CapturedStdout() : lock_(mutex()) {
    // What the program has buffered so far is its own.
    std::fflush(stdout);
    saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    file_ = saved_ < 0 ? -1 : ::memfd_create("bench-stdout", MFD_CLOEXEC);
    // A closed stdout, or no descriptor left: then the text goes where it would have gone.
    if (file_ >= 0) ::dup2(file_, STDOUT_FILENO);
  }
  ~CapturedStdout() { end(); }
  CapturedStdout(const CapturedStdout &) = delete;  // gives the descriptor back once
  CapturedStdout &operator=(const CapturedStdout &) = delete;

  /// Gives descriptor 1 back; what was printed meanwhile.
  std::string end() {
    if (ended_) return "";
    ended_ = true;
    std::string text;
    std::fflush(stdout);
    if (file_ >= 0) {
      ::dup2(saved_, STDOUT_FILENO);
      constexpr std::size_t most_text = 4096;
      char buffer[most_text];
      const ssize_t size = ::pread(file_, buffer, sizeof buffer, 0);
      if (size > 0) text.assign(buffer, static_cast<std::size_t>(size));
      ::close(file_);
    }
    if (saved_ >= 0) ::close(saved_);
    lock_.unlock();
    return text;
  }

 private:
  static std::mutex &mutex() {
    static std::mutex of_descriptor_1;
    return of_descriptor_1;
  }
  std::unique_lock<std::mutex> lock_;
  int saved_ = -1, file_ = -1;
  bool ended_ = false;
};

}  // namespace bench::plugin
