// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>

#include "outcome.hpp"

namespace check {
namespace {

using Clock = std::chrono::steady_clock;

/// The child's answer: one letter of its verdict, then the text. _exit: the plugin's own exit
/// handlers are not part of the check, which has ended.
[[noreturn]] void answer(int descriptor, const Check &check, const Options &options) {
  std::string line;
  try {
    check.run(options);
    line = "p";
  } catch (const Broken &broken) {
    line = std::string("f") + broken.what();
  } catch (const NotHere &reason) {
    line = std::string("s") + reason.what();
  } catch (const Doubtful &reason) {
    line = std::string("w") + reason.what();
  } catch (const std::exception &thrown) {
    line = std::string("f") +
           "an exception crossed the boundary or the check failed: " + thrown.what();
  } catch (...) {
    line = "fan exception of an unknown type crossed the boundary";
  }
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t size = write(descriptor, line.data() + written, line.size() - written);
    if (size <= 0) break;
    written += std::size_t(size);
  }
  _exit(0);
}

/// Reads until the child closes the pipe or the limit has passed.
bool read_all(int descriptor, std::string &text, int limit_s) {
  const auto end = Clock::now() + std::chrono::seconds(limit_s);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{descriptor, POLLIN, 0};
    if (poll(&wait, 1, int(left)) <= 0) continue;
    char buffer[4096];
    const ssize_t size = read(descriptor, buffer, sizeof buffer);
    if (size <= 0) return true;
    text.append(buffer, std::size_t(size));
  }
}

}  // namespace

Outcome run_alone(const Check &check, const Options &options) {
  const auto start = Clock::now();
  int ends[2];
  Outcome outcome{check, Verdict::fail, "", 0};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    outcome.text = std::string("no pipe: ") + std::strerror(errno);
    return outcome;
  }
  const pid_t child = fork();
  if (child < 0) {
    outcome.text = std::string("no process: ") + std::strerror(errno);
    close(ends[0]);
    close(ends[1]);
    return outcome;
  }
  if (child == 0) {
    // A group of its own: what the plugin starts ends with the check.
    setpgid(0, 0);
    close(ends[0]);
    // Descriptors 0 to 2 stay what they are for the checks that look at them; output is theirs to
    // catch.
    answer(ends[1], check, options);
  }
  close(ends[1]);
  std::string text;
  const bool in_time = read_all(ends[0], text, options.time_limit_s);
  close(ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!in_time) {
    outcome.text = "did not return within " + std::to_string(options.time_limit_s) + " s";
  } else if (WIFSIGNALED(status)) {
    outcome.verdict = Verdict::crash;
    outcome.text = std::string("ended by signal ") + strsignal(WTERMSIG(status));
  } else if (text.empty()) {
    outcome.text =
        "the plugin ended the process with status " + std::to_string(WEXITSTATUS(status));
  } else {
    outcome.verdict = text[0] == 'p'   ? Verdict::pass
                      : text[0] == 's' ? Verdict::skip
                      : text[0] == 'w' ? Verdict::warn
                                       : Verdict::fail;
    outcome.text = text.substr(1);
  }
  return outcome;
}

}  // namespace check
