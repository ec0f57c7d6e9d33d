// SPDX-License-Identifier: Apache-2.0
#include "tune/device_lock.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temp_dir.hpp"

using namespace bench;
using tune::DeviceLock;

namespace {

/// Tries from a file description of its own, as another process would.
bool free_for_others(const std::filesystem::path &folder) {
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    const int descriptor = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
    const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    ::close(descriptor);
    if (!locked) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the lock is held in its scope only, and names the device in a safe way") {
  const test::TempDir temp;
  const auto folder = temp.path() / "locks";
  {
    const DeviceLock lock(folder, "GPU-12/../34", 0);
    CHECK(lock.held());
    CHECK(lock.reason().empty());
    CHECK_FALSE(free_for_others(folder));
    CHECK(std::filesystem::exists(folder / "device-GPU-12____34.lock"));
  }
  CHECK(free_for_others(folder));
}

TEST_CASE("a device that another holds is not waited for beyond the patience") {
  const test::TempDir temp;
  const DeviceLock first(temp.path(), "a", 0);
  const DeviceLock second(temp.path(), "a", 5'000'000);
  CHECK_FALSE(second.held());
  CHECK(second.reason().find("another process") != std::string::npos);
  const DeviceLock other_device(temp.path(), "b", 0);
  CHECK(other_device.held());
}

TEST_CASE("a folder that cannot be used is a reason, not a failure") {
  const test::TempDir temp;
  const auto file = temp.write("plain", "");
  const DeviceLock under_a_file(file / "locks", "a", 0);
  CHECK_FALSE(under_a_file.held());
  CHECK_FALSE(under_a_file.reason().empty());
  const auto link = temp.path() / "link";
  std::filesystem::create_directory_symlink("/tmp", link);
  const DeviceLock through_a_link(link, "a", 0);
  CHECK_FALSE(through_a_link.held());
}

TEST_CASE("a forked child does not keep the device locked") {
  const test::TempDir temp;
  int ready[2], done[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(done) == 0);
  pid_t child = 0;
  {
    const DeviceLock lock(temp.path(), "a", 0);
    REQUIRE(lock.held());
    child = ::fork();
    if (child == 0) {
      char byte = 0;
      ::close(done[1]);
      (void)!::write(ready[1], "r", 1);
      (void)!::read(done[0], &byte, 1);  // until the parent has checked
      ::_exit(0);
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    CHECK_FALSE(free_for_others(temp.path()));
  }
  CHECK(free_for_others(temp.path()));  // the child still lives
  ::close(done[1]);
  ::waitpid(child, nullptr, 0);
  for (const int each : {ready[0], ready[1], done[0]}) ::close(each);
}
