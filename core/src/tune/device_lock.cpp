// SPDX-License-Identifier: Apache-2.0
#include "tune/device_lock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "base/clock.hpp"

namespace bench::tune {

namespace {

constexpr std::int64_t retry_ns = 2'000'000;  // between attempts: short beside any tune

/// A flock belongs to the open file, which a forked child shares: were it not closed there, a
/// parent that died while the child lives would leave the device locked.
std::mutex &registry_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::set<int> &held_descriptors() {
  static std::set<int> descriptors;
  return descriptors;
}

void before_fork() {
  registry_mutex().lock();
}
void after_fork_parent() {
  registry_mutex().unlock();
}
void after_fork_child() {
  for (const int descriptor : held_descriptors()) ::close(descriptor);
  held_descriptors().clear();
  registry_mutex().unlock();
}

void watch_forks() {
  static const int registered = ::pthread_atfork(before_fork, after_fork_parent, after_fork_child);
  (void)registered;
}

/// Only characters that are safe in a file name.
std::string file_name(const std::string &identity) {
  std::string name = "device-";
  for (const char each : identity) {
    const bool plain = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                       (each >= '0' && each <= '9') || each == '-';
    name += plain ? each : '_';
  }
  return name + ".lock";
}

}  // namespace

DeviceLock::DeviceLock(const std::filesystem::path &folder, const std::string &device_identity,
                       std::int64_t patience_ns, const std::function<bool()> &gives_up) {
  watch_forks();
  // The folder may stand in a place that everyone writes to: it must be ours, or a link planted
  // there would make us open another's file.
  ::mkdir(folder.c_str(), 0700);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid()) {
    reason_ = folder.string() + " is no folder of this user";
    return;
  }
  const std::filesystem::path file = folder / file_name(device_identity);
  int descriptor = -1;
  {
    const std::lock_guard lock(registry_mutex());
    descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) {
      reason_ = file.string() + ": " + std::strerror(errno);
      return;
    }
    held_descriptors().insert(descriptor);
  }
  const std::int64_t deadline_ns = system_clock().now_ns() + patience_ns;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int problem = errno;  // whoever is asked below may set another
    if (problem == EWOULDBLOCK && system_clock().now_ns() < deadline_ns &&
        !(gives_up && gives_up())) {
      system_clock().sleep_ns(retry_ns);
      continue;
    }
    reason_ = problem == EWOULDBLOCK ? "another process is timing on this device"
                                     : file.string() + ": " + std::strerror(problem);
    const std::lock_guard lock(registry_mutex());
    held_descriptors().erase(descriptor);
    ::close(descriptor);
    return;
  }
  descriptor_ = descriptor;
}

DeviceLock::~DeviceLock() {
  if (descriptor_ < 0) return;
  const std::lock_guard lock(registry_mutex());
  // In a child the descriptor was closed and may be another file by now.
  if (held_descriptors().erase(descriptor_)) ::close(descriptor_);
}

std::filesystem::path device_lock_folder(bool read_environment) {
  if (read_environment) {
    const char *runtime = ::secure_getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/') return std::filesystem::path(runtime) / "bench";
  }
  return std::filesystem::path("/tmp") / ("bench-" + std::to_string(::geteuid()));
}

}  // namespace bench::tune
