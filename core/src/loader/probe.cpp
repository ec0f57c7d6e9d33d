// SPDX-License-Identifier: Apache-2.0
#include "loader/probe.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"
#include "loader/diagnostics.hpp"

extern char **environ;

namespace bench::loader {
namespace {

constexpr int answer_descriptor = 3;
constexpr std::size_t max_report_bytes = 16u << 20;
constexpr std::size_t kept_output_bytes = 200;
// How late the end of a child is seen where the system has no process descriptors: while its pipes
// are open, their end wakes us before that; once they are closed the end is near.
constexpr int slice_ms = 20;
constexpr int end_slice_ms = 1;

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe &) = delete;  // owns descriptors
  Pipe &operator=(const Pipe &) = delete;
  void close_end(int which) {
    if (ends[which] >= 0) ::close(ends[which]);
    ends[which] = -1;
  }
};

/// Ended, but not reaped: until then nobody else gets its number, nor that of its group. Where the
/// host ignores SIGCHLD the system has reaped it, and says ECHILD.
bool has_ended(pid_t child) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return info.si_pid == child;
}

/// Readable once the process has ended: without it the end is looked for in slices, which cost a
/// millisecond a plugin.
struct ProcessDescriptor {
  explicit ProcessDescriptor(pid_t process)
      : number(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))) {}
  ~ProcessDescriptor() {
    if (number >= 0) ::close(number);
  }
  ProcessDescriptor(const ProcessDescriptor &) = delete;  // owns a descriptor
  ProcessDescriptor &operator=(const ProcessDescriptor &) = delete;
  const int number;  // -1: an older system, or a sandbox that forbids it
};

/// Reads both pipes until the child has ended; false at the deadline. The end of the pipes proves
/// nothing: a process that a plugin leaves behind keeps them open, and a plugin may close them and
/// hang.
bool read_all(pid_t child, Pipe &answer, Pipe &output, std::int64_t deadline, std::string &report,
              std::string &printed) {
  bool answer_open = true, output_open = true;
  const ProcessDescriptor process(child);
  for (;;) {
    // Before poll: whatever it wrote is in the pipes by now.
    const bool ended = has_ended(child);
    if (ended && !answer_open && !output_open) return true;
    const std::int64_t left = deadline - system_clock().now_ns();
    if (left <= 0) return false;
    const int slice = process.number >= 0          ? static_cast<int>(left / 1'000'000 + 1)
                      : answer_open || output_open ? slice_ms
                                                   : end_slice_ms;
    pollfd polls[3] = {{answer_open ? answer.ends[0] : -1, POLLIN, 0},
                       {output_open ? output.ends[0] : -1, POLLIN, 0},
                       {ended ? -1 : process.number, POLLIN, 0}};
    if (::poll(polls, 3, ended ? 0 : slice) < 0) {
      if (errno != EINTR) return false;
      continue;  // its revents say nothing
    }
    char buffer[4096];
    if (polls[0].revents) {
      const ssize_t n = ::read(answer.ends[0], buffer, sizeof buffer);
      if (n > 0 && report.size() < max_report_bytes)
        report.append(buffer, static_cast<std::size_t>(n));
      else if (n == 0 || (n < 0 && errno != EINTR))
        answer_open = false;
    }
    if (polls[1].revents) {
      const ssize_t n = ::read(output.ends[0], buffer, sizeof buffer);
      if (n > 0)
        printed.append(buffer,
                       std::min(static_cast<std::size_t>(n),
                                kept_output_bytes - std::min(kept_output_bytes, printed.size())));
      else if (n == 0 || (n < 0 && errno != EINTR))
        output_open = false;
    }
    if (ended && !polls[0].revents) return true;
  }
}

}  // namespace

ProbeResult probe_in_child(const std::string &helper, const std::string &plugin,
                           std::int64_t timeout_ns) {
  ProbeResult result;
  Pipe answer, output;
  if (answer.ends[0] < 0 || output.ends[0] < 0) {
    result.failure = std::string("no pipe: ") + ::strerror(errno);
    return result;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 2);
  // dup2 onto the same number would leave close-on-exec set.
  int theirs = answer.ends[1];
  if (theirs == answer_descriptor) theirs = ::fcntl(theirs, F_DUPFD_CLOEXEC, answer_descriptor + 1);
  ::posix_spawn_file_actions_adddup2(&actions, theirs, answer_descriptor);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  char *arguments[] = {const_cast<char *>(helper.c_str()), const_cast<char *>(plugin.c_str()),
                       nullptr};
  pid_t child = -1;
  const int error =
      ::posix_spawn(&child, helper.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (theirs != answer.ends[1]) ::close(theirs);
  answer.close_end(1);
  output.close_end(1);
  if (error != 0) {
    result.failure = "cannot start " + helper + ": " + ::strerror(error);
    return result;
  }
  result.started = true;
  const bool answered = read_all(child, answer, output, system_clock().now_ns() + timeout_ns,
                                 result.report, result.printed);
  // Also after an answer: a plugin may have started processes of its own in the group.
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answered) {
    result.failure_code = code::probe_hung;
    result.failure = "did not answer within " + std::to_string(timeout_ns / 1'000'000) +
                     " ms while it was loaded and asked for its devices";
    result.failure_hint =
        "its driver may hang; ask its vendor, or leave it out with BENCH_PLUGINS=-<class>";
  } else if (WIFSIGNALED(status)) {
    const char *name = ::sigabbrev_np(WTERMSIG(status));
    result.failure_code = code::probe_crashed;
    result.failure = "crashed while it was loaded and asked for its devices: signal " +
                     std::to_string(WTERMSIG(status)) +
                     (name ? std::string(" (SIG") + name + ")" : "");
    result.failure_hint = "report it to the plugin's vendor";
  } else if (WEXITSTATUS(status) != 0 || result.report.empty()) {
    result.failure_code = code::probe_exited;
    result.failure = "ended the process with exit status " + std::to_string(WEXITSTATUS(status)) +
                     " while it was loaded and asked for its devices";
    result.failure_hint = "a plugin must not call exit: report it to its vendor";
  }
  return result;
}

}  // namespace bench::loader
