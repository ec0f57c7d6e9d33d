// SPDX-License-Identifier: Apache-2.0
// Several writers, killed writers, full disks: an acknowledged entry is there afterwards.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "store_support.hpp"

using namespace bench::store;
using namespace store_support;

namespace {

std::set<std::uint64_t> stored(const std::filesystem::path &file) {
  std::set<std::uint64_t> indices;
  for (const Entry &each : Store(file).entries(identity(), environment(), "k")) {
    indices.insert(each.index);
  }
  return indices;
}

void write_entry(Store &store, std::uint64_t index) {
  store.put_entry(identity(), environment(), "k", entry(index));
}

/// Runs `body` in a child, which ends without the parent's exit handlers.
template <typename Body>
pid_t in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  REQUIRE(child > 0);
  return child;
}

int exit_code(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("four processes insert 150 entries each: 600 are there") {
  Folder folder;
  std::vector<pid_t> children;
  for (std::uint64_t writer = 0; writer < 4; ++writer) {
    children.push_back(in_child([&] {
      Store store(folder.file());
      for (std::uint64_t i = 0; i < 150; ++i) write_entry(store, writer * 150 + i);
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK(stored(folder.file()).size() == 600);
}

TEST_CASE("threads share a store while the process forks writers") {
  // Without the fork handlers a child waits for ever on a mutex of SQLite that a thread held.
  Folder folder;
  Store store(folder.file());
  std::vector<std::thread> threads;
  std::vector<pid_t> children;
  const auto insert = [&](std::uint64_t writer) {
    for (std::uint64_t i = 0; i < 40; ++i) write_entry(store, writer * 40 + i);
  };
  const auto start_threads = [&] {
    for (std::uint64_t writer = 0; writer < 3; ++writer) threads.emplace_back(insert, writer);
  };
  // AddressSanitizer's allocator is itself not usable in a child that was forked beside threads.
#ifdef __SANITIZE_ADDRESS__
  constexpr bool threads_first = false;
#else
  constexpr bool threads_first = true;
#endif
  if (threads_first) start_threads();
  for (std::uint64_t writer = 3; writer < 9; ++writer) {
    children.push_back(in_child([&] {
      insert(writer);
      return 0;
    }));
  }
  if (!threads_first) start_threads();
  for (std::thread &thread : threads) thread.join();
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK(stored(folder.file()).size() == 360);
}

TEST_CASE("a writer killed at any moment loses nothing that was acknowledged") {
  Folder folder;
  std::uint64_t next = 0;
  for (int round = 0; round < 15; ++round) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = in_child([&] {
      Store store(folder.file());
      for (std::uint64_t i = next;; ++i) {
        write_entry(store, i);
        if (write(ends[1], &i, sizeof i) != sizeof i) return 1;  // acknowledged
      }
      return 0;
    });
    close(ends[1]);
    std::uint64_t acknowledged = 0;
    for (int wanted = 0; wanted <= round % 4; ++wanted) {
      REQUIRE(read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged);
    }
    usleep(static_cast<useconds_t>(round) * 300);  // another moment of the write each round
    kill(child, SIGKILL);
    CHECK(exit_code(child) == -SIGKILL);
    while (read(ends[0], &next, sizeof next) == sizeof next) acknowledged = next;
    close(ends[0]);
    const auto indices = stored(folder.file());
    for (std::uint64_t i = 0; i <= acknowledged; ++i) CHECK(indices.count(i) == 1);
    next = acknowledged + 1;
  }
}

TEST_CASE("a disk with no room is a typed failure, and what was there stays") {
  Folder folder;
  {
    Store store(folder.file());
    write_entry(store, 1);
  }
  const pid_t child = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);  // the limit then shows as EFBIG, as a full disk does as ENOSPC
    const auto size = std::filesystem::file_size(folder.file());
    const rlimit limit{size, size};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    Tuned large = tuned();
    large.raw_json.assign(1 << 20, 'x');
    try {
      Store(folder.file()).put(large);
      return 11;
    } catch (const bench::Failure &failure) {
      const bool names = failure.text().what.find("store.db") != std::string::npos;
      return names && failure.status() == BENCH_ERROR_OUT_OF_RESOURCES ? 0 : 12;
    }
  });
  CHECK(exit_code(child) == 0);
  CHECK(stored(folder.file()) == std::set<std::uint64_t>{1});
  CHECK(Store(folder.file()).list().empty());
}

TEST_CASE("a folder without the right to write: reading works, writing is a typed failure") {
  Folder folder;
  {
    Store store(folder.file());
    write_entry(store, 1);
  }
  std::filesystem::permissions(folder.file(), std::filesystem::perms(0444));
  std::filesystem::permissions(folder.file().string() + ".lock", std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const pid_t child = in_child([&] {
    // The superuser may write anywhere: as somebody else.
    if (geteuid() == 0 && setuid(65534) != 0) return 77;
    if (stored(folder.file()).size() != 1) return 10;
    try {
      Store store(folder.file());
      write_entry(store, 2);
      return 11;
    } catch (const bench::Failure &failure) {
      return failure.status() == BENCH_ERROR_NO_PERMISSION ? 0 : 12;
    }
  });
  const int code = exit_code(child);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  if (code == 77) {
    MESSAGE("skipped: the superuser cannot become another user here");
    return;
  }
  CHECK(code == 0);
}
