// SPDX-License-Identifier: Apache-2.0
// One line on stderr that shows what is done and how long the rest takes; nothing in a pipe.
#pragma once
#include <bench/bench.h>

#include <cstdint>
#include <string>

namespace cli {

class Progress {
 public:
  /// Silent if `quiet` or if stderr is no terminal.
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress &) = delete;  // the line is cleared once
  Progress &operator=(const Progress &) = delete;

  void show(const bench_problem_progress_v1 &progress);
  void clear();

 private:
  bool active_;
  bool shown_ = false;
  std::int64_t last_ns_ = 0;
  std::string last_phase_;
};

}  // namespace cli
