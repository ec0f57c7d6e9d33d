// SPDX-License-Identifier: Apache-2.0
// The process before and after loading, the entry and the list of devices: it must be the same
// process.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstring>

#include "plugin.hpp"

extern char **environ;

namespace check {
namespace {

/// Loads, calls the entry, opens, lists: all that discovery does.
void discover(const Options &options) {
  const Plugin plugin(options);
  const Instance instance(plugin);
  bench_error_v1 error = new_error();
  std::uint32_t count = 0;
  plugin.api().device_list(instance.get(), nullptr, 0, &count, &error);
}

unsigned floating_point_mode() {
#if defined(__x86_64__)
  unsigned mode = 0;
  asm volatile("stmxcsr %0" : "=m"(mode));
  constexpr unsigned sticky = 0x3f;  // flags that arithmetic raises
  return mode & ~sticky;
#else
  return unsigned(std::fegetround());
#endif
}

void floating_point(const Options &options) {
  const unsigned before = floating_point_mode();
  discover(options);
  const unsigned after = floating_point_mode();
  require(before == after, "the floating-point control word was " + std::to_string(before) +
                               " and is " + std::to_string(after) +
                               "; a file of it was linked with -ffast-math");
}

void signals(const Options &options) {
  constexpr int last = 31;
  struct sigaction before[last + 1] = {};
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  for (int signal = 1; signal <= last; ++signal) sigaction(signal, nullptr, &before[signal]);
  discover(options);
  for (int signal = 1; signal <= last; ++signal) {
    struct sigaction after {};
    sigaction(signal, nullptr, &after);
    require(before[signal].sa_handler == after.sa_handler,
            std::string("the handler of ") + strsignal(signal) + " was changed");
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  for (int signal = 1; signal <= last; ++signal)
    require(sigismember(&mask_before, signal) == sigismember(&mask_after, signal),
            "the signal mask was changed");
}

void locale(const Options &options) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  discover(options);
  const std::string after = std::setlocale(LC_ALL, nullptr);
  require(before == after, "the locale was " + before + " and is " + after);
}

void directory(const Options &options) {
  char before[4096], after[4096];
  require(getcwd(before, sizeof before), "no current folder");
  const mode_t mask = umask(0);
  umask(mask);
  discover(options);
  require(getcwd(after, sizeof after) && std::strcmp(before, after) == 0,
          "the current folder was changed");
  require(umask(mask) == mask, "the umask was changed");
}

void environment(const Options &options) {
  const auto all = [] {
    std::vector<std::string> result;
    for (char **variable = environ; *variable; ++variable) result.emplace_back(*variable);
    std::sort(result.begin(), result.end());
    return result;
  };
  const auto before = all();
  discover(options);
  const auto after = all();
  for (const std::string &variable : after)
    require(std::binary_search(before.begin(), before.end(), variable),
            "the environment has now " + variable);
  require(before.size() == after.size(), "a variable of the environment was removed");
}

std::size_t entries(const char *folder) {
  std::size_t count = 0;
  DIR *open_folder = opendir(folder);
  if (!open_folder) throw NotHere(std::string(folder) + " cannot be read");
  while (readdir(open_folder)) ++count;
  closedir(open_folder);
  return count;
}

void entry_is_pure(const Options &options) {
  const std::size_t threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
  const Plugin plugin(options);
  require(entries("/proc/self/task") == threads, "loading or the entry started a thread");
  require(entries("/proc/self/fd") == files, "loading or the entry opened a file and left it open");
}

void open_is_light(const Options &options) {
  const Plugin plugin(options);
  const std::size_t threads = entries("/proc/self/task");
  const Instance instance(plugin);
  require(entries("/proc/self/task") == threads,
          "open started a thread; a driver starts in device_list at the earliest");
}

void no_output(const Options &options) {
  FILE *caught = tmpfile();
  if (!caught) throw NotHere("no temporary file");
  std::fflush(nullptr);
  dup2(fileno(caught), 1);
  dup2(fileno(caught), 2);
  discover(options);
  std::fflush(nullptr);
  struct stat status {};
  fstat(fileno(caught), &status);
  if (status.st_size == 0) return;
  char text[160] = "";
  std::rewind(caught);
  const char *line = std::fgets(text, sizeof text, caught);
  throw Broken("it wrote " + std::to_string(status.st_size) +
               " bytes to stdout or stderr: " + (line ? line : ""));
}

void descriptors_not_inherited(const Options &options) {
  const auto inherited = [] {
    int count = 0;
    constexpr int last = 1024;
    for (int descriptor = 3; descriptor < last; ++descriptor) {
      const int flags = fcntl(descriptor, F_GETFD);
      if (flags >= 0 && !(flags & FD_CLOEXEC)) ++count;
    }
    return count;
  };
  const int before = inherited();
  discover(options);
  if (inherited() > before)
    throw Doubtful("it leaves a descriptor open that every child of the process inherits");
}

}  // namespace

const std::vector<Check> &load_checks() {
  static const std::vector<Check> checks = {
      {"load.floating_point", "Loading and listing leave the floating-point mode as it was.",
       floating_point},
      {"load.signals", "Loading and listing leave handlers and the signal mask as they were.",
       signals},
      {"load.locale", "Loading and listing leave the locale as it was.", locale},
      {"load.directory", "Loading and listing leave the current folder and the umask as they were.",
       directory},
      {"load.environment", "Loading and listing leave the environment as it was.", environment},
      {"load.entry_is_pure", "Loading and the entry start no thread and leave no file open.",
       entry_is_pure},
      {"load.open_is_light", "open starts no thread: the driver is for list and device calls.",
       open_is_light},
      {"load.no_output", "Loading and listing write nothing to stdout and stderr.", no_output},
      {"load.descriptors", "No descriptor is left that children of the process inherit.",
       descriptors_not_inherited},
  };
  return checks;
}

}  // namespace check
