// SPDX-License-Identifier: Apache-2.0
// Keeps what a vendor's library prints away from the program's data. Drivers print hints and
// warnings to stdout while they start; `bench devices --json | jq` broke on them.
#pragma once
#include <string>

namespace bench_xpu {

/// While it lives, descriptor 1 of the PROCESS is a memory file: for start-up calls only. Two of
/// them wait for each other.
class CapturedStdout {
 public:
  CapturedStdout();
  ~CapturedStdout() { end(); }
  CapturedStdout(const CapturedStdout &) = delete;  // gives the descriptor back once
  CapturedStdout &operator=(const CapturedStdout &) = delete;
  /// Gives descriptor 1 back; what was printed meanwhile.
  std::string end();

 private:
  int saved_ = -1, file_ = -1;
  bool ended_ = false;
};

}  // namespace bench_xpu
