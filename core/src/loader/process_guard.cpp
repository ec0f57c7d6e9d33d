// SPDX-License-Identifier: Apache-2.0
#include "loader/process_guard.hpp"

#include <limits.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace bench::loader {
namespace {

constexpr int last_signal = 31;  // real-time signals belong to whoever asks for one

unsigned control_word() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fu;  // without the sticky exception flags
#else
  return 0;
#endif
}

std::string folder() {
  char buffer[PATH_MAX];
  return ::getcwd(buffer, sizeof buffer) ? buffer : "";
}

/// Without changing it: umask() sets what it reads, and another thread may create a file meanwhile.
mode_t current_umask() {
  unsigned value = 0;
  if (std::FILE *status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, status)) {
      if (std::sscanf(line, "Umask: %o", &value) == 1) break;
    }
    std::fclose(status);
  }
  return static_cast<mode_t>(value);
}

std::string current_locale() {
  const char *name = ::setlocale(LC_ALL, nullptr);
  return name ? name : "";
}

}  // namespace

ProcessGuard::ProcessGuard()
    : control_word_(control_word()),
      locale_(current_locale()),
      folder_(folder()),
      umask_(current_umask()),
      actions_(last_signal + 1) {
  ::fegetenv(&floating_point_);
  for (int number = 1; number <= last_signal; ++number)
    ::sigaction(number, nullptr, &actions_[static_cast<std::size_t>(number)]);
}

std::vector<std::string> ProcessGuard::restore() {
  std::vector<std::string> changed;
  if (control_word() != control_word_) {
    ::fesetenv(&floating_point_);
    changed.push_back("floating-point mode");
  }
  if (current_locale() != locale_) {
    ::setlocale(LC_ALL, locale_.c_str());
    changed.push_back("locale");
  }
  if (folder() != folder_ && ::chdir(folder_.c_str()) == 0) changed.push_back("working folder");
  if (current_umask() != umask_) {
    ::umask(umask_);
    changed.push_back("umask");
  }
  for (int number = 1; number <= last_signal; ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0) continue;
    struct sigaction &before = actions_[static_cast<std::size_t>(number)];
    if (now.sa_handler == before.sa_handler && now.sa_flags == before.sa_flags) continue;
    ::sigaction(number, &before, nullptr);
    changed.push_back("handler of signal " + std::to_string(number));
  }
  return changed;
}

}  // namespace bench::loader
