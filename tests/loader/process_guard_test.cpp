// SPDX-License-Identifier: Apache-2.0
#include "loader/process_guard.hpp"

#include <doctest/doctest.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using bench::loader::ProcessGuard;

namespace {

bool names(const std::vector<std::string> &changed, const std::string &what) {
  return std::find(changed.begin(), changed.end(), what) != changed.end();
}

void ignore_signal(int) {}

}  // namespace

TEST_CASE("nothing changed, nothing told") {
  CHECK(ProcessGuard().restore().empty());
}

#if defined(__x86_64__)
TEST_CASE("flush-to-zero is put back and told; sticky exception flags are no change") {
  const unsigned before = _mm_getcsr();
  ProcessGuard guard;
  _mm_setcsr(before | 0x8040);
  CHECK(guard.restore() == std::vector<std::string>{"floating-point mode"});
  CHECK((_mm_getcsr() & 0x8040u) == (before & 0x8040u));
  ProcessGuard calm;
  ::feraiseexcept(FE_INEXACT);
  CHECK(calm.restore().empty());
  ::feclearexcept(FE_ALL_EXCEPT);
}
#endif

TEST_CASE("the rounding mode is put back and told") {
  ProcessGuard guard;
  ::fesetround(FE_UPWARD);
  CHECK(names(guard.restore(), "floating-point mode"));
  CHECK(::fegetround() == FE_TONEAREST);
}

TEST_CASE("folder, umask and locale are put back and told") {
  const auto folder = std::filesystem::current_path();
  const mode_t mask = ::umask(022);
  const std::string locale = ::setlocale(LC_ALL, nullptr);
  ProcessGuard guard;
  std::filesystem::current_path("/");
  ::umask(077);
  const bool moved = ::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
  const auto changed = guard.restore();
  CHECK(std::filesystem::current_path() == folder);
  CHECK(names(changed, "working folder"));
  CHECK(names(changed, "umask"));
  CHECK(names(changed, "locale") == moved);
  CHECK(::setlocale(LC_ALL, nullptr) == locale);
  CHECK(::umask(mask) == 022);
}

TEST_CASE("a signal handler is put back and told by its number") {
  struct sigaction before {};
  ::sigaction(SIGUSR1, nullptr, &before);
  ProcessGuard guard;
  ::signal(SIGUSR1, ignore_signal);
  CHECK(guard.restore() ==
        std::vector<std::string>{"handler of signal " + std::to_string(SIGUSR1)});
  struct sigaction now {};
  ::sigaction(SIGUSR1, nullptr, &now);
  const bool same = now.sa_handler == before.sa_handler;
  CHECK(same);
}
