// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace cli {
namespace {

// Ten lines a second are as smooth as a person sees, and cost the measured machine nothing.
constexpr std::int64_t refresh_ns = 100'000'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Progress::Progress(bool quiet) : active_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const bench_problem_progress_v1 &progress) {
  if (!active_) return;
  const std::int64_t now = now_ns();
  const std::string phase = progress.phase ? progress.phase : "";
  if (phase == last_phase_ && now - last_ns_ < refresh_ns && progress.done < progress.total) return;
  last_ns_ = now;
  last_phase_ = phase;
  std::string line = phase + " " + std::to_string(progress.done);
  if (progress.total > 0) line += "/" + std::to_string(progress.total);
  if (progress.remaining_s >= 0)
    line += ", about " + std::to_string(static_cast<long>(progress.remaining_s + 0.5)) + " s left";
  if (progress.message) line += std::string(": ") + progress.message;
  constexpr std::size_t widest = 100;  // a wrapped line could not be cleared again
  if (line.size() > widest) line.resize(widest);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace cli
