// SPDX-License-Identifier: Apache-2.0
// Keeps two of our tuners off one device at the same moment, across processes: an advisory flock on
// a file per device, held only while timing. Never fatal: where the file cannot be made, or another
// process keeps the lock for too long, timing goes on and the report says so.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace bench::tune {

class DeviceLock {
 public:
  /// Waits at most `patience_ns` for another process, and no longer than until `gives_up` (may be
  /// empty) says so. `device_identity` is a UUID or the like.
  DeviceLock(const std::filesystem::path &folder, const std::string &device_identity,
             std::int64_t patience_ns, const std::function<bool()> &gives_up = {});
  ~DeviceLock();
  DeviceLock(const DeviceLock &) = delete;  // owns a descriptor
  DeviceLock &operator=(const DeviceLock &) = delete;

  bool held() const { return descriptor_ >= 0; }
  /// Why it is not held; empty while it is.
  const std::string &reason() const { return reason_; }

 private:
  int descriptor_ = -1;
  std::string reason_;
};

/// $XDG_RUNTIME_DIR/bench, else bench-<uid> in the folder for temporary files. The same for all
/// processes of a user; not created here.
std::filesystem::path device_lock_folder(bool read_environment);

}  // namespace bench::tune
