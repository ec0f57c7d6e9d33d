// SPDX-License-Identifier: Apache-2.0
// Search strategies on recorded spaces: scores with standard errors, evaluations to within 5 % of
// the optimum, and the overhead of a strategy itself.
#include "search/search.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "replay.hpp"
#include "search/recorded_landscape.hpp"
#include "search/score.hpp"

namespace {

using namespace bench;

struct Trials {
  std::vector<double> scores, evaluations_to_5;

  nlohmann::json json() const {
    const double n = static_cast<double>(scores.size());
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
    double squares = 0.0;
    for (const double s : scores) squares += (s - mean) * (s - mean);
    std::vector<double> sorted(evaluations_to_5);
    std::sort(sorted.begin(), sorted.end());
    return {{"score", mean},
            {"standard_error", n > 1 ? std::sqrt(squares / (n - 1) / n) : 0.0},
            {"median_evaluations_to_5_percent", sorted[sorted.size() / 2]}};
  }
};

/// Best so far, after each evaluation.
std::vector<double> curve_of(const search::History &history) {
  std::vector<double> curve;
  double best = 0.0;
  for (const search::Trial &trial : history.trials()) {
    if (trial.time_ns && (best == 0.0 || *trial.time_ns < best)) best = *trial.time_ns;
    curve.push_back(best);
  }
  return curve;
}

Trials run(const recording::Recording &recording, const std::string &strategy, int repeats,
           std::size_t evaluations, const search::Baseline &baseline) {
  const search::RecordedLandscape landscape(recording);
  const auto evaluate = [&](const std::vector<std::uint64_t> &indices) {
    std::vector<search::Evaluation> results;
    for (const std::uint64_t index : indices) {
      const recording::Row &row = recording.rows[index];
      const bool ran = row.end == recording::End::measured;
      const double time = ran ? row.median_ns() : 0.0;
      results.push_back({ran ? std::optional(time) : std::nullopt, row.compile_ns + 3 * time + 1});
    }
    return results;
  };
  Trials trials;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto made = search::make_strategy(strategy, 1000 + static_cast<std::uint64_t>(repeat));
    search::SearchOptions options;
    options.budget.evaluations = evaluations;
    const auto curve = curve_of(search::search(landscape, *made, options, evaluate));
    trials.scores.push_back(baseline.score(curve));
    const auto near = std::find_if(curve.begin(), curve.end(), [&](double best) {
      return best > 0.0 && best <= 1.05 * baseline.optimum();
    });
    trials.evaluations_to_5.push_back(near == curve.end()
                                          ? static_cast<double>(2 * evaluations)
                                          : static_cast<double>(near - curve.begin() + 1));
  }
  return trials;
}

}  // namespace

int main(int count, char **words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: benchmark_search FOLDER-OF-RECORDINGS [REPEATS] [STRATEGY..]\n");
    return 2;
  }
  const int repeats = count > 2 ? std::atoi(words[2]) : 100;
  std::vector<std::string> strategies(words + std::min(count, 3), words + count);
  if (strategies.empty()) {
    for (const std::string &name : search::strategy_names()) {
      if (name != "exhaustive") strategies.push_back(name);
    }
  }
  constexpr std::size_t evaluations = 400;
  nlohmann::json document = nlohmann::json::object();
  for (const auto &file : simulated::recordings_in(words[1])) {
    const recording::Recording recording = recording::read_recording(file);
    std::vector<double> times;
    for (const auto &row : recording.rows) {
      if (row.end == recording::End::measured) times.push_back(row.median_ns());
    }
    const std::uint64_t failures = recording.rows.size() - times.size();
    const search::Baseline baseline(std::move(times), failures, evaluations);
    for (const std::string &strategy : strategies) {
      const auto begun = std::chrono::steady_clock::now();
      auto result = run(recording, strategy, repeats, evaluations, baseline).json();
      const std::chrono::duration<double, std::micro> spent =
          std::chrono::steady_clock::now() - begun;
      result["overhead_us_per_evaluation"] =
          spent.count() / repeats / static_cast<double>(evaluations);
      result["evaluations_scored"] = baseline.cutoff();
      document[strategy][file.filename().string()] = result;
    }
  }
  for (auto &[strategy, spaces] : document.items()) {
    double sum = 0.0, squares = 0.0, worst = 1.0;
    std::vector<double> to_5;
    for (const auto &[space, result] : spaces.items()) {
      sum += result["score"].get<double>();
      squares += std::pow(result["standard_error"].get<double>(), 2);
      worst = std::min(worst, result["score"].get<double>());
      to_5.push_back(result["median_evaluations_to_5_percent"]);
    }
    std::sort(to_5.begin(), to_5.end());
    const double n = static_cast<double>(spaces.size());
    spaces["all"] = {{"mean_score", sum / n},
                     {"standard_error", std::sqrt(squares) / n},
                     {"worst_space", worst},
                     {"median_evaluations_to_5_percent", to_5[to_5.size() / 2]}};
  }
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
