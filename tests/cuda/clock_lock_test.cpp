// SPDX-License-Identifier: Apache-2.0
// A locked clock is given back, however the process that locked it ends.
#include <bench/ext/telemetry.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "loaded_plugin.hpp"
#include "temp_dir.hpp"

namespace {

struct Log {
  Log() { ::setenv("BENCH_FAKE_NVML_LOG", (folder.path() / "nvml").c_str(), 1); }
  ~Log() {
    ::unsetenv("BENCH_FAKE_NVML_LOG");
    ::unsetenv("BENCH_FAKE_NVML");
  }
  std::string text() const {
    std::ifstream file(folder.path() / "nvml");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// A keeper outlives its parent for a moment.
  bool comes_to(const std::string &expected) const {
    for (int i = 0; i < 500 && text() != expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return text() == expected;
  }
  bench::test::TempDir folder;
};

struct Locker : cuda_test::LoadedPlugin {
  const bench_ext_telemetry_v1 &table = extension<bench_ext_telemetry_v1>(BENCH_EXT_TELEMETRY_V1);
  bench_status lock(double hz) {
    clock_hz = hz;
    return table.lock_clock(instance, cuda_test::device, &clock_hz, &error);
  }
  bench_status unlock() { return table.unlock_clock(instance, cuda_test::device, &error); }
  double clock_hz = 0;
};

/// A child that locks the clock, says so, and then ends in some way.
void in_child(const Log &log, const std::function<void(Locker &)> &end, int expected_signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int number : {SIGINT, SIGTERM, SIGABRT}) ::signal(number, SIG_DFL);  // not doctest's
    Locker locker;
    if (locker.lock(1500e6) != BENCH_OK) ::_exit(9);
    end(locker);
    ::_exit(0);
  }
  if (expected_signal != 0) {
    REQUIRE(log.comes_to("lock 1500\n"));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for what `end` does
    ::kill(child, expected_signal);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (expected_signal != 0)
    CHECK(WTERMSIG(status) == expected_signal);
  else
    CHECK(status == 0);
  CHECK(log.comes_to("lock 1500\nreset\n"));
}

void wait_for_ever(Locker &) {
  for (;;) ::pause();
}

}  // namespace

// Children first: the plugin is not yet started in this process.
TEST_CASE("whoever is killed, exits or aborts gives the clock back") {
  Log log;
  SUBCASE("killed") {
    in_child(log, wait_for_ever, SIGKILL);
  }
  SUBCASE("interrupted") {
    in_child(log, wait_for_ever, SIGINT);
  }
  SUBCASE("aborted") {
    in_child(log, wait_for_ever, SIGABRT);
  }
  SUBCASE("exit without close") {
    in_child(
        log, [](Locker &) { ::_exit(0); }, 0);
  }
  SUBCASE("killed, while a process that it forked lives on") {
    const auto file = log.folder.path() / "forked";
    in_child(
        log,
        [&](Locker &locker) {
          const pid_t forked = ::fork();
          if (forked == 0) {
            for (int number : {0, 1, 2}) ::close(number);  // nobody waits for their end
            wait_for_ever(locker);
          }
          std::ofstream(file) << forked;
          wait_for_ever(locker);
        },
        SIGKILL);
    pid_t forked = 0;
    std::ifstream(file) >> forked;
    REQUIRE(forked > 0);
    CHECK(::kill(forked, SIGKILL) == 0);  // it was there until now
  }
}

TEST_CASE("the nearest clock is locked, told, and unlocked once") {
  Log log;
  Locker locker;
  REQUIRE(locker.lock(1.6e9) == BENCH_OK);
  CHECK(locker.clock_hz == 1500e6);
  REQUIRE(locker.unlock() == BENCH_OK);
  CHECK(log.text() == "lock 1500\nreset\n");
  CHECK(locker.unlock() == BENCH_OK);  // nothing to do
  CHECK(log.text() == "lock 1500\nreset\n");
}

TEST_CASE("a second lock replaces the first, and close ends it") {
  Log log;
  Locker locker;
  REQUIRE(locker.lock(1500e6) == BENCH_OK);
  REQUIRE(locker.lock(1005e6) == BENCH_OK);
  locker.close();
  CHECK(log.text() == "lock 1500\nreset\nlock 1005\nreset\n");
}

TEST_CASE("a forked child that ends leaves the clock to its parent") {
  Log log;
  Locker locker;
  REQUIRE(locker.lock(1500e6) == BENCH_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    locker.close();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  CHECK(log.text() == "lock 1500\n");
  REQUIRE(locker.unlock() == BENCH_OK);
  CHECK(log.text() == "lock 1500\nreset\n");
}

TEST_CASE("who may not lock is told so, with NVML's words, and nothing is held") {
  Log log;
  ::setenv("BENCH_FAKE_NVML", "no_permission", 1);
  Locker locker;
  CHECK(locker.lock(1500e6) == BENCH_ERROR_NO_PERMISSION);
  CHECK(std::string(locker.error.what).find("Insufficient Permissions") != std::string::npos);
  CHECK(locker.unlock() == BENCH_OK);
  CHECK(log.text().empty());
}

TEST_CASE("two processes do not lock one clock, and the second learns why") {
  Log log;
  Locker locker;
  REQUIRE(locker.lock(1500e6) == BENCH_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    // The driver is its parent's: only a new program may start it again.
    ::execl("/proc/self/exe", "clock_lock_test", "--test-case=*asked by another test*", nullptr);
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(log.text() == "lock 1500\n");
  REQUIRE(locker.unlock() == BENCH_OK);
  CHECK(log.text() == "lock 1500\nreset\n");
}

TEST_CASE("locks where another holds the clock: asked by another test") {
  if (!::getenv("BENCH_FAKE_NVML_LOG")) return;
  Locker locker;
  CHECK(locker.lock(1005e6) == BENCH_ERROR_BUSY);
  CHECK(std::string(locker.error.what).find("another process") != std::string::npos);
}

TEST_CASE("a keeper that was killed is no reason to keep the clock") {
  Log log;
  Locker locker;
  REQUIRE(locker.lock(1500e6) == BENCH_OK);
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  pid_t keeper = 0;
  REQUIRE_MESSAGE(bool(children >> keeper), "no children are told by this kernel");
  REQUIRE(::kill(keeper, SIGKILL) == 0);
  REQUIRE(locker.unlock() == BENCH_OK);
  CHECK(log.text() == "lock 1500\nreset\n");
}

TEST_CASE("no clock is refused by its number") {
  Locker locker;
  for (const double hz : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK(locker.lock(hz) == BENCH_ERROR_INVALID_ARGUMENT);
}
