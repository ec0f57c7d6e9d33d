// SPDX-License-Identifier: Apache-2.0
// Recorded spaces as a bench for the race: contiguous runs of the recorded samples, each visit with
// a factor of its own.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <random>
#include <vector>

#include "measure/engine.hpp"
#include "recording.hpp"
#include "tune/race.hpp"

namespace bench::simulated {

/// The same numbers with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  std::uint64_t below(std::uint64_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// What flushing a cache costs a run, for every method alike.
constexpr double flush_ns = 1e5;

/// One run of a configuration's samples, from anywhere.
class Visitor {
 public:
  Visitor(const recording::Row &row, double visit_sd, Random &random)
      : row_(row),
        at_(random.below(row.samples_ns.size())),
        factor_(visit_sd > 0.0 ? std::exp(visit_sd * random.normal()) : 1.0) {}
  double next() { return row_.samples_ns[at_++ % row_.samples_ns.size()] * factor_; }

 private:
  const recording::Row &row_;
  std::size_t at_;
  const double factor_;
};

class ReplayBench final : public tune::Bench {
 public:
  ReplayBench(std::vector<const recording::Row *> rows, double visit_sd, std::uint64_t seed)
      : rows_(std::move(rows)), visit_sd_(visit_sd), random_(seed) {}

  tune::Visit visit(std::size_t candidate, unsigned samples) override {
    Visitor run(*rows_[candidate], visit_sd_, random_);
    tune::Visit visit;
    const double first = run.next();
    time_ns_ += first + flush_ns;
    // As Session::visit does: a long first window is a sample, a short one is discarded.
    if (measure::is_long(std::llround(first)) && samples > 0) visit.samples_ns.push_back(first);
    while (visit.samples_ns.size() < samples) {
      visit.samples_ns.push_back(run.next());
      time_ns_ += visit.samples_ns.back() + flush_ns;
    }
    return visit;
  }
  std::int64_t now_ns() override { return static_cast<std::int64_t>(time_ns_); }
  bool should_stop() override { return false; }
  double time_ns() const { return time_ns_; }

 private:
  const std::vector<const recording::Row *> rows_;
  const double visit_sd_;
  Random random_;
  double time_ns_ = 0.0;
};

/// The five handed spaces, or whatever lies in the folder.
inline std::vector<std::filesystem::path> recordings_in(const std::filesystem::path &folder) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace bench::simulated
