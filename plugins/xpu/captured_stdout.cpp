// SPDX-License-Identifier: Apache-2.0
#include "captured_stdout.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

namespace bench_xpu {
namespace {

std::mutex mutex;  // of descriptor 1, among the instances of this plugin
constexpr std::size_t most_text = 4096;

}  // namespace

CapturedStdout::CapturedStdout() {
  mutex.lock();
  // What the program has buffered so far is its own.
  std::fflush(stdout);
  saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  file_ = saved_ < 0 ? -1 : ::memfd_create("bench-xpu-stdout", MFD_CLOEXEC);
  // A closed stdout, or no descriptor left: then the text goes where it would have gone.
  if (file_ >= 0) ::dup2(file_, STDOUT_FILENO);
}

std::string CapturedStdout::end() {
  if (ended_) return "";
  ended_ = true;
  std::string text;
  std::fflush(stdout);
  if (file_ >= 0) {
    ::dup2(saved_, STDOUT_FILENO);
    char buffer[most_text];
    const ssize_t size = ::pread(file_, buffer, sizeof buffer, 0);
    if (size > 0) text.assign(buffer, static_cast<std::size_t>(size));
    ::close(file_);
  }
  if (saved_ >= 0) ::close(saved_);
  mutex.unlock();
  return text;
}

}  // namespace bench_xpu
