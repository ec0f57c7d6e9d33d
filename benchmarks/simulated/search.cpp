// SPDX-License-Identifier: Apache-2.0
// Search strategies on recorded spaces: scores with standard errors over evaluations and over the
// recorded wall time, evaluations to within 5 % of the optimum, the portfolio against the best
// single strategy trial by trial, and what settings chosen on other kernels are worth on one. The
// same numbers on every machine.
#include "search/search.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "replay.hpp"
#include "search/recorded_landscape.hpp"
#include "search/score.hpp"

namespace {

using namespace bench;
using nlohmann::json;
using Make = std::function<std::unique_ptr<search::Strategy>(std::uint64_t)>;

constexpr std::size_t evaluations = 400;
constexpr double near_optimum = 1.05;

struct SpaceUnderTest {
  explicit SpaceUnderTest(const std::filesystem::path &file)
      : name(file.filename().string()),
        recording(recording::read_recording(file)),
        landscape(recording),
        // File names are kernel_device: what is left out together is of one kernel.
        kernel(name.substr(0, name.find('_'))) {
    std::vector<double> times;
    for (const auto &row : recording.rows) {
      const bool ran = row.end == recording::End::measured;
      median_ns.push_back(ran ? row.median_ns() : 0.0);
      if (ran) times.push_back(median_ns.back());
      mean_cost_ns += cost_ns(median_ns.size() - 1) / static_cast<double>(recording.rows.size());
    }
    const std::uint64_t failures = recording.rows.size() - times.size();
    baseline = std::make_unique<search::Baseline>(std::move(times), failures, evaluations);
  }
  SpaceUnderTest(const SpaceUnderTest &) = delete;  // the landscape refers to the recording

  /// As a tuner would spend it: the compilation, and three runs.
  double cost_ns(std::size_t row) const {
    return recording.rows[row].compile_ns + 3 * median_ns[row] + 1;
  }

  const std::string name;
  const recording::Recording recording;
  const search::RecordedLandscape landscape;
  const std::string kernel;
  std::vector<double> median_ns;
  double mean_cost_ns = 0.0;
  std::unique_ptr<search::Baseline> baseline;
};

struct Moments {
  double mean = 0.0, standard_error = 0.0;
};

Moments moments_of(const std::vector<double> &values) {
  const double n = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  if (n > 1) moments.standard_error = std::sqrt(squares / (n - 1) / n);
  return moments;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One strategy on one space: a number a trial; trial i has the same seed for all.
struct Trials {
  std::vector<double> scores, scores_in_time, to_5_percent;
};

Trials run(const SpaceUnderTest &space, const Make &make, int repeats) {
  const auto evaluate = [&](const std::vector<std::uint64_t> &indices) {
    std::vector<search::Evaluation> results;
    for (const std::uint64_t index : indices) {
      const double time = space.median_ns[index];
      results.push_back({time > 0.0 ? std::optional(time) : std::nullopt, space.cost_ns(index)});
    }
    return results;
  };
  Trials trials;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto made = make(1000 + static_cast<std::uint64_t>(repeat));
    search::SearchOptions options;
    options.budget.evaluations = evaluations;
    const search::History history = search::search(space.landscape, *made, options, evaluate);
    std::vector<double> best, ended;
    double reached = 2.0 * evaluations;  // not within the budget
    for (const search::Trial &trial : history.trials()) {
      const double before = best.empty() ? 0.0 : best.back();
      const double here = trial.time_ns.value_or(before);
      best.push_back(before > 0.0 ? std::min(before, here) : here);
      ended.push_back((ended.empty() ? 0.0 : ended.back()) + trial.cost_ns);
      if (best.back() > 0.0 && best.back() <= near_optimum * space.baseline->optimum())
        reached = std::min(reached, static_cast<double>(best.size()));
    }
    trials.scores.push_back(space.baseline->score(best));
    trials.scores_in_time.push_back(space.baseline->score_in_time(best, ended, space.mean_cost_ns));
    trials.to_5_percent.push_back(reached);
  }
  return trials;
}

/// By space, in the order of the spaces.
using Table = std::map<std::string, std::vector<Trials>>;

/// Mean over the spaces, trial by trial.
std::vector<double> means_by_trial(const std::vector<Trials> &spaces,
                                   std::vector<double> Trials::*member) {
  std::vector<double> means((spaces.front().*member).size(), 0.0);
  for (const Trials &trials : spaces) {
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += (trials.*member)[i] / static_cast<double>(spaces.size());
  }
  return means;
}

json summary(const std::vector<std::unique_ptr<SpaceUnderTest>> &spaces,
             const std::vector<Trials> &trials, std::vector<double> Trials::*member) {
  json rows = json::object();
  double worst = 1.0;
  std::vector<double> to_5;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const Moments score = moments_of(trials[i].*member);
    worst = std::min(worst, score.mean);
    to_5.push_back(median_of(trials[i].to_5_percent));
    rows[spaces[i]->name] = {{"score", score.mean},
                             {"standard_error", score.standard_error},
                             {"evaluations_scored", spaces[i]->baseline->cutoff()},
                             {"median_evaluations_to_5_percent", to_5.back()}};
  }
  const Moments all = moments_of(means_by_trial(trials, member));
  rows["all"] = {{"mean_score", all.mean},
                 {"standard_error", all.standard_error},
                 {"worst_space", worst},
                 {"median_evaluations_to_5_percent", median_of(to_5)}};
  return rows;
}

/// The portfolio less the single strategy that is best in this run.
json against_best_single(const Table &table, std::vector<double> Trials::*member) {
  std::string best;
  double most = -1e9;
  for (const auto &[name, trials] : table) {
    const double mean = moments_of(means_by_trial(trials, member)).mean;
    if (name != "portfolio" && mean > most) most = mean, best = name;
  }
  std::vector<double> differences = means_by_trial(table.at("portfolio"), member);
  const std::vector<double> other = means_by_trial(table.at(best), member);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= other[i];
  const Moments moments = moments_of(differences);
  constexpr double one_sided_95 = 1.645;
  return {{"best_single", best},
          {"its_mean_score", most},
          {"mean_difference", moments.mean},
          {"standard_error", moments.standard_error},
          {"lower_95_bound", moments.mean - one_sided_95 * moments.standard_error}};
}

/// For each kernel: of `table`'s entries the one that is best on all other kernels' spaces, and
/// what it scores on this one's.
json leave_one_kernel_out(const std::vector<std::unique_ptr<SpaceUnderTest>> &spaces,
                          const Table &table) {
  json kernels = json::object();
  std::vector<double> held_out;
  for (const auto &left_out : spaces) {
    if (kernels.contains(left_out->kernel)) continue;
    std::string chosen;
    double most = -1e9;
    for (const auto &[name, trials] : table) {
      double sum = 0.0;
      for (std::size_t i = 0; i < spaces.size(); ++i) {
        if (spaces[i]->kernel != left_out->kernel) sum += moments_of(trials[i].scores).mean;
      }
      if (sum > most) most = sum, chosen = name;
    }
    json &kernel = kernels[left_out->kernel] = {{"chosen", chosen}};
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      if (spaces[i]->kernel != left_out->kernel) continue;
      const Moments score = moments_of(table.at(chosen)[i].scores);
      kernel[spaces[i]->name] = {{"score", score.mean}, {"standard_error", score.standard_error}};
      held_out.push_back(score.mean);
    }
  }
  return {{"kernels", kernels},
          {"mean_score", moments_of(held_out).mean},
          {"worst_space", *std::min_element(held_out.begin(), held_out.end())}};
}

/// Settings around those that ship, these among them.
std::map<std::string, Make> portfolio_variants() {
  std::map<std::string, Make> variants;
  for (const double surrogate : {0.3, 0.6, 0.85}) {
    for (const double polish_from : {0.8, 0.9}) {
      search::PortfolioSettings settings;
      const double rest = (1.0 - surrogate) / (1.0 - settings.shares[0]);
      settings.shares[0] = surrogate;
      settings.shares[1] *= rest;
      settings.shares[2] *= rest;
      settings.polish_from = polish_from;
      char name[64];
      std::snprintf(name, sizeof name, "surrogate %.2f, polish from %.1f", surrogate, polish_from);
      variants[name] = [settings](std::uint64_t seed) {
        return search::make_portfolio(seed, settings);
      };
    }
  }
  return variants;
}

}  // namespace

int main(int count, char **words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: benchmark_search FOLDER-OF-RECORDINGS [REPEATS]\n");
    return 2;
  }
  const int repeats = count > 2 ? std::max(1, std::atoi(words[2])) : 200;
  std::vector<std::unique_ptr<SpaceUnderTest>> spaces;
  for (const auto &file : simulated::recordings_in(words[1]))
    spaces.push_back(std::make_unique<SpaceUnderTest>(file));
  if (spaces.empty()) {
    std::fprintf(stderr, "benchmark_search: no recording lies in %s\n", words[1]);
    return 2;
  }
  const auto run_all = [&](const Make &make) {
    std::vector<Trials> trials;
    for (const auto &space : spaces) trials.push_back(run(*space, make, repeats));
    return trials;
  };
  Table strategies, variants;
  for (const std::string &name : search::strategy_names()) {
    if (name != "exhaustive")
      strategies[name] =
          run_all([&](std::uint64_t seed) { return search::make_strategy(name, seed); });
  }
  for (const auto &[name, make] : portfolio_variants()) variants[name] = run_all(make);

  json document{{"evaluations", evaluations}, {"trials", repeats}};
  for (const auto &[name, trials] : strategies) {
    document["by_evaluations"][name] = summary(spaces, trials, &Trials::scores);
    document["by_wall_time"][name] = summary(spaces, trials, &Trials::scores_in_time);
  }
  document["portfolio_against_best_single"] = {
      {"by_evaluations", against_best_single(strategies, &Trials::scores)},
      {"by_wall_time", against_best_single(strategies, &Trials::scores_in_time)}};
  document["leave_one_kernel_out"] = {
      {"portfolio_settings", leave_one_kernel_out(spaces, variants)},
      {"strategy", leave_one_kernel_out(spaces, strategies)}};
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
