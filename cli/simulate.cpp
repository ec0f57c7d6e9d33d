// SPDX-License-Identifier: Apache-2.0
// `bench simulate`: how good search strategies are on a space that somebody
// recorded, or that a sim program describes. No device.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "curve_plot.hpp"
#include "search/recorded_landscape.hpp"
#include "search/score.hpp"
#include "search/search.hpp"
#include "simulated_problem.hpp"
#include "table.hpp"

namespace cli {
namespace {

using namespace bench;

struct Arguments {
  std::string recording, times, plot;
  std::vector<std::string> strategies;
  unsigned repeats = 20;
  std::size_t evaluations = 400;
  std::uint64_t seed = 1;
};

struct Result {
  std::string strategy;
  double score = 0.0, standard_error = 0.0;
  std::size_t to_5_percent = 0;  // median evaluations; 0: not within the budget
  std::vector<double> curve;     // mean best so far over the optimum
};

std::vector<search::Evaluation> look_up(const recording::Recording &recording,
                                        const std::vector<std::uint64_t> &indices) {
  std::vector<search::Evaluation> results;
  for (const std::uint64_t index : indices) {
    const recording::Row &row = recording.rows[index];
    std::optional<double> time;
    if (row.end == recording::End::measured) time = row.median_ns();
    // As a tuner would spend it: the compilation, and three runs.
    results.push_back({time, row.compile_ns + 3.0 * time.value_or(0.0) + 1.0});
  }
  return results;
}

Result simulate(const recording::Recording &recording, const search::Baseline &baseline,
                const std::string &strategy, const Arguments &arguments) {
  const search::RecordedLandscape landscape(recording);
  Result result;
  result.strategy = strategy;
  result.curve.assign(arguments.evaluations, 0.0);
  double sum = 0.0, squares = 0.0;
  std::vector<std::size_t> near;
  for (unsigned repeat = 0; repeat < arguments.repeats; ++repeat) {
    const auto made = search::make_strategy(strategy, arguments.seed + 1000 * repeat);
    search::SearchOptions options;
    options.budget.evaluations = arguments.evaluations;
    const search::History history = search::search(
        landscape, *made, options, [&](const auto &list) { return look_up(recording, list); });
    std::vector<double> best;
    for (const search::Trial &trial : history.trials()) {
      const double before = best.empty() ? 0.0 : best.back();
      const double here = trial.time_ns.value_or(before);
      best.push_back(before > 0.0 ? std::min(before, here) : here);
    }
    const double score = baseline.score(best);
    sum += score;
    squares += score * score;
    std::size_t reached = arguments.evaluations + 1;
    for (std::size_t k = 0; k < arguments.evaluations; ++k) {
      double now = best[std::min(k, best.size() - 1)];
      // Nothing has run yet: the median stands for it, in the picture alone.
      if (now <= 0.0) now = baseline.median();
      result.curve[k] += now / baseline.optimum() / arguments.repeats;
      if (now <= 1.05 * baseline.optimum()) reached = std::min(reached, k + 1);
    }
    near.push_back(reached);
  }
  const double n = arguments.repeats;
  result.score = sum / n;
  if (n > 1)
    result.standard_error =
        std::sqrt(std::max(0.0, squares - n * result.score * result.score) / (n - 1) / n);
  std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2),
                   near.end());
  const std::size_t middle = near[near.size() / 2];
  result.to_5_percent = middle > arguments.evaluations ? 0 : middle;
  return result;
}

recording::Recording read(const Arguments &arguments) {
  if (is_problem(arguments.recording))
    return recording_of_problem(arguments.recording, arguments.times);
  if (!arguments.times.empty())
    throw Failed(exit_usage, "bench: --times needs a problem file, and " + arguments.recording +
                                 " is a recording\n  do: leave --times out");
  try {
    return recording::read_recording(arguments.recording);
  } catch (const recording::Unreadable &cause) {
    throw Failed(exit_usage,
                 std::string("bench: ") + cause.what() +
                     "\n  do: name a problem file, a Kernel Tuner cache, T4 results or KTT "
                     "output");
  }
}

void write_plot(const Arguments &arguments, const recording::Recording &recording,
                const search::Baseline &baseline, const std::vector<Result> &results) {
  std::vector<Curve> curves{{"random (expected)", {}}};
  for (const double value : baseline.curve())
    curves[0].values.push_back(value / baseline.optimum());
  for (const Result &result : results) curves.push_back({result.strategy, result.curve});
  std::string title = recording.kernel;
  if (!recording.device.empty()) title += (title.empty() ? "" : ", ") + recording.device;
  std::ofstream out(arguments.plot);
  out << curve_plot(title, curves);
  out.close();
  if (!out)
    throw Failed(exit_measurement, "bench: the plot could not be written to " + arguments.plot +
                                       "\n  do: name a file in a folder that can be written");
}

int run_simulation(const Common &common, const Arguments &arguments) {
  const recording::Recording recording = read(arguments);
  std::vector<double> times;
  for (const auto &row : recording.rows) {
    if (row.end == recording::End::measured) times.push_back(row.median_ns());
  }
  if (times.empty())
    throw Failed(exit_measurement,
                 "bench: no configuration of the recording ran\n  do: use another");
  const std::uint64_t failures = recording.rows.size() - times.size();
  const search::Baseline baseline(std::move(times), failures, arguments.evaluations);
  std::vector<std::string> strategies = arguments.strategies;
  if (strategies.empty()) strategies = {search::strategy_names().front()};
  std::vector<Result> results;
  for (const std::string &strategy : strategies)
    results.push_back(simulate(recording, baseline, strategy, arguments));
  if (!arguments.plot.empty()) write_plot(arguments, recording, baseline, results);
  if (common.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Result &r : results) {
      nlohmann::json entry{{"strategy", r.strategy},
                           {"score", r.score},
                           {"standard_error", r.standard_error},
                           {"median_evaluations_to_5_percent", nullptr}};
      if (r.to_5_percent) entry["median_evaluations_to_5_percent"] = r.to_5_percent;
      list.push_back(entry);
    }
    std::cout << nlohmann::json{{"recording", arguments.recording},
                                {"configurations", recording.rows.size()},
                                {"failed", failures},
                                {"truncated", recording.truncated},
                                {"optimum_ns", baseline.optimum()},
                                {"evaluations", arguments.evaluations},
                                {"evaluations_scored", baseline.cutoff()},
                                {"repeats", arguments.repeats},
                                {"strategies", list}}
                     .dump(2)
              << "\n";
    return exit_fine;
  }
  std::cout << "recording: " << count_text(recording.rows.size()) << " configurations, "
            << count_text(failures) << " failed; the fastest takes "
            << time_text(baseline.optimum()) << "\n";
  for (const std::string &note : recording.notes) std::cout << "note: " << note << "\n";
  Table table;
  table.column("strategy");
  table.column("score", Align::right);
  table.column("+-", Align::right);
  table.column("to 5 %", Align::right);
  for (const Result &r : results) {
    char score[32], error[32];
    std::snprintf(score, sizeof score, "%.3f", r.score);
    std::snprintf(error, sizeof error, "%.3f", r.standard_error);
    table.row({r.strategy, score, error,
               r.to_5_percent ? count_text(r.to_5_percent) : std::string("never")});
  }
  std::cout << table.text() << "scored over the first " << baseline.cutoff()
            << " evaluations: 0 is random search, 1 the optimum at once\n";
  return exit_fine;
}

}  // namespace

void add_simulate(CLI::App &app, Common &common, Run &run) {
  static Arguments arguments;
  CLI::App *command = app.add_subcommand(
      "simulate", "score search strategies on a recorded space, without a device");
  command->add_flag("--json", common.json, "print JSON on stdout");
  command
      ->add_option(
          "space", arguments.recording,
          "Kernel Tuner cache, T4 results or KTT output, gzipped or not; or a problem file")
      ->required();
  command->add_option("--times", arguments.times,
                      "recording that a problem file's configurations take their times from "
                      "(none: Language is sim, and its program tells)");
  command->add_option("--strategy", arguments.strategies, "to score; may be repeated (portfolio)")
      ->check(CLI::IsMember(search::strategy_names()));
  command->add_option("--repeats", arguments.repeats, "searches a strategy, each with its own seed")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--evaluations", arguments.evaluations, "of each search")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", arguments.seed, "of the first search")->capture_default_str();
  command->add_option("--plot", arguments.plot, "SVG file of best-so-far against evaluations");
  command->callback([&] { run = [&] { return run_simulation(common, arguments); }; });
}

}  // namespace cli
