// SPDX-License-Identifier: Apache-2.0
#include "worker/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"

extern char **environ;

namespace bench::worker {
namespace {

// Descriptor of the channel in the worker; 0-2 are its standard streams.
constexpr int worker_descriptor = 3;
constexpr std::size_t output_tail_bytes = 400;

[[noreturn]] void fail_start(const std::string &program, int error) {
  throw Failure(
      BENCH_ERROR_INTERNAL, "cannot start the worker program " + program + ": " + ::strerror(error),
      "worker process",
      "bench-worker must lie beside libbench.so and be executable: install the package again");
}

}  // namespace

Process::Process(const std::string &program) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail_start(program, errno);
  output_ = ::memfd_create("bench-worker-output", MFD_CLOEXEC);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (output_ >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions, output_, 1);
    ::posix_spawn_file_actions_adddup2(&actions, output_, 2);
  }
  // dup2 onto itself would keep close-on-exec: hand a duplicate over where the numbers agree.
  int theirs = pair[1];
  if (theirs == worker_descriptor) theirs = ::fcntl(theirs, F_DUPFD_CLOEXEC, worker_descriptor + 1);
  ::posix_spawn_file_actions_adddup2(&actions, theirs, worker_descriptor);

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A group of its own: at the deadline its compilers die with it, and Ctrl-C reaches only the
  // tuner, which then ends its workers in order.
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);

  const std::string descriptor = std::to_string(worker_descriptor);
  const std::string parent = std::to_string(::getpid());
  char *arguments[] = {const_cast<char *>(program.c_str()), const_cast<char *>(descriptor.c_str()),
                       const_cast<char *>(parent.c_str()), nullptr};
  const int error =
      ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (theirs != pair[1]) ::close(theirs);
  ::close(pair[1]);
  channel_ = std::make_unique<Channel>(pair[0]);
  if (error != 0) {
    pid_ = -1;
    if (output_ >= 0) ::close(output_);
    fail_start(program, error);
  }
}

Process::~Process() {
  if (pid_ > 0) reap();
  if (output_ >= 0) ::close(output_);
}

std::string Process::output_tail() const {
  if (output_ < 0) return "";
  const off_t size = ::lseek(output_, 0, SEEK_END);
  if (size <= 0) return "";
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(output_tail_bytes));
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const ssize_t n = ::pread(output_, text.data(), text.size(), from);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

std::string Process::reap() {
  // A worker that already ended keeps its own exit status: the kill is then without effect.
  siginfo_t info{};
  const bool ended =
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pid_;
  ::kill(-pid_, SIGKILL);
  if (!ended) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  channel_->close();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char *name = ::sigabbrev_np(signal);
    return std::string("ended by signal ") + std::to_string(signal) +
           (name ? std::string(" (SIG") + name + ")" : "");
  }
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

nlohmann::json Process::request(const nlohmann::json &message, std::int64_t timeout_ns) {
  if (!alive()) throw WorkerDied(false, "the worker process is gone");
  nlohmann::json reply;
  const std::int64_t deadline = timeout_ns > 0 ? system_clock().now_ns() + timeout_ns : 0;
  Received state = Received::closed;
  if (channel_->send(message)) state = channel_->receive(reply, deadline);
  if (state == Received::message) return reply;
  if (state == Received::closed) {
    // The socket closes a moment before the process is reapable; killing at once would hide how it
    // ended.
    constexpr int grace_steps = 50;
    constexpr std::int64_t grace_step_ns = 2'000'000;
    for (int step = 0; step < grace_steps; ++step) {
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          info.si_pid == pid_)
        break;
      system_clock().sleep_ns(grace_step_ns);
    }
  }
  std::string how = reap();
  if (state == Received::timeout) {
    how = "did not answer within " + std::to_string(timeout_ns / 1'000'000) + " ms and was killed";
  }
  const std::string tail = output_tail();
  if (!tail.empty()) how += "; it last printed: " + tail;
  throw WorkerDied(state == Received::timeout, how);
}

}  // namespace bench::worker
