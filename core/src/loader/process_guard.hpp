// SPDX-License-Identifier: Apache-2.0
// Loading a library can change the process without a word: fast-math start files flip the
// floating-point mode, which changes numerical results. The guard sees it and puts it back.
#pragma once
#include <fenv.h>
#include <signal.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace bench::loader {

class ProcessGuard {
 public:
  ProcessGuard();
  /// Restores what changed since the constructor and names it: "floating-point mode", "locale", ...
  std::vector<std::string> restore();

 private:
  fenv_t floating_point_{};
  unsigned control_word_ = 0;
  std::string locale_;
  std::string folder_;
  mode_t umask_ = 0;
  std::vector<struct sigaction> actions_;
};

}  // namespace bench::loader
