// SPDX-License-Identifier: Apache-2.0
// The race on recorded spaces against seven fixed runs and a 25/100 ms do_bench: device time, how
// often the winner is off, and whether the best stays in the tie set.
#include <boost/math/distributions/beta.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "replay.hpp"

namespace {

using namespace bench;
using simulated::Random;
using simulated::ReplayBench;
using simulated::Visitor;

constexpr std::size_t list_size = 32;
constexpr double best_part = 0.3;
constexpr int fixed_runs = 7;
constexpr double warm_ns = 25e6, timed_ns = 100e6;

struct Score {
  std::vector<double> regrets, ratios;
  double time_ns = 0.0, fixed_ns = 0.0;
  int eliminated = 0, in_ties = 0;
  double tie_size = 0.0;

  void add(double regret, double spent_ns, double fixed) {
    regrets.push_back(regret);
    ratios.push_back(spent_ns / fixed);
    time_ns += spent_ns;
    fixed_ns += fixed;
  }
  void append(const Score &other) {
    regrets.insert(regrets.end(), other.regrets.begin(), other.regrets.end());
    ratios.insert(ratios.end(), other.ratios.begin(), other.ratios.end());
    time_ns += other.time_ns;
    fixed_ns += other.fixed_ns;
    eliminated += other.eliminated;
    in_ties += other.in_ties;
    tie_size += other.tie_size;
  }
  double off(double bar) const {
    return static_cast<double>(
               std::count_if(regrets.begin(), regrets.end(), [&](double r) { return r > bar; })) /
           static_cast<double>(regrets.size());
  }
  nlohmann::json json() const {
    std::vector<double> sorted(regrets);
    std::sort(sorted.begin(), sorted.end());
    const double n = static_cast<double>(regrets.size());
    double log_sum = 0.0;
    for (const double ratio : ratios) log_sum += std::log(ratio);
    const double missed = off(0.01) * n;
    // Clopper and Pearson.
    const double upper =
        boost::math::quantile(boost::math::beta_distribution<>(missed + 1.0, n - missed), 0.95);
    return {{"lists", regrets.size()},
            {"time_geometric", std::exp(log_sum / n)},
            {"time_total", time_ns / fixed_ns},
            {"more_than_1_percent_off", off(0.01)},
            {"upper_95_bound", upper},
            {"mean_regret", std::accumulate(sorted.begin(), sorted.end(), 0.0) / n},
            {"p99_regret", sorted[static_cast<std::size_t>(0.99 * (n - 1.0))]},
            {"best_eliminated", eliminated / n},
            {"best_in_tie_set", in_ties / n},
            {"tie_set_size", tie_size / n}};
  }
};

std::size_t best_of(const std::vector<double> &values) {
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2.0;
}

struct Scores {
  Score race, with_default, fixed, do_bench;
  void append(const Scores &other) {
    race.append(other.race);
    with_default.append(other.with_default);
    fixed.append(other.fixed);
    do_bench.append(other.do_bench);
  }
};

void run_list(const std::vector<const recording::Row *> &rows, double visit_sd, std::uint64_t seed,
              Scores &scores) {
  std::vector<double> truth, fixed, timed;
  for (const auto *row : rows) truth.push_back(row->median_ns());
  const std::size_t best = best_of(truth);
  Random random(seed);
  double fixed_ns = 0.0, timed_total_ns = 0.0;
  for (const auto *row : rows) {
    Visitor run(*row, visit_sd, random);
    double sum = 0.0;
    for (int i = 0; i < fixed_runs; ++i) sum += run.next();
    fixed.push_back(sum / fixed_runs);
    fixed_ns += sum + fixed_runs * simulated::flush_ns;
    Visitor again(*row, visit_sd, random);
    const double each = row->mean_ns();
    const int warm = std::max(1, static_cast<int>(warm_ns / each));
    const int count = std::max(1, static_cast<int>(timed_ns / each));
    // Five runs to estimate the time, as it does.
    for (int i = 0; i < warm + 5; ++i) timed_total_ns += again.next() + simulated::flush_ns;
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) {
      samples.push_back(again.next());
      timed_total_ns += samples.back() + simulated::flush_ns;
    }
    timed.push_back(median(samples));
  }
  const auto regret = [&](std::size_t winner) { return truth[winner] / truth[best] - 1.0; };
  scores.fixed.add(regret(best_of(fixed)), fixed_ns, fixed_ns);
  scores.do_bench.add(regret(best_of(timed)), timed_total_ns, fixed_ns);
  for (const bool has_default : {false, true}) {
    ReplayBench bench(rows, visit_sd, seed + 1);
    tune::RaceOptions options;
    options.seed = seed;
    options.default_candidate = has_default ? 0 : rows.size();
    const std::vector<tune::EndState> start(rows.size(), tune::EndState::not_tested);
    const tune::RaceResult result = tune::race(bench, start, options);
    Score &score = has_default ? scores.with_default : scores.race;
    score.add(regret(*result.winner), bench.time_ns(), fixed_ns);
    score.eliminated += result.racers[best].eliminated;
    score.in_ties +=
        std::find(result.tie_set.begin(), result.tie_set.end(), best) != result.tie_set.end();
    score.tie_size += static_cast<double>(result.tie_set.size());
  }
}

}  // namespace

int main(int count, char **words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: benchmark_race FOLDER-OF-RECORDINGS [LISTS]\n");
    return 2;
  }
  const int lists = count > 2 ? std::atoi(words[2]) : 400;
  std::vector<recording::Recording> spaces;
  std::vector<std::string> names;
  for (const auto &file : simulated::recordings_in(words[1])) {
    spaces.push_back(recording::read_recording(file));
    names.push_back(file.filename().string());
  }
  nlohmann::json document = nlohmann::json::object();
  for (const double visit_sd : {0.0, 0.005, 0.01}) {
    Scores all;
    nlohmann::json per_space = nlohmann::json::object();
    for (std::size_t s = 0; s < spaces.size(); ++s) {
      std::vector<const recording::Row *> rows;
      for (const auto &row : spaces[s].rows) {
        if (row.end == recording::End::measured) rows.push_back(&row);
      }
      std::sort(rows.begin(), rows.end(),
                [](const auto *a, const auto *b) { return a->median_ns() < b->median_ns(); });
      rows.resize(std::max(list_size,
                           static_cast<std::size_t>(best_part * static_cast<double>(rows.size()))));
      // Other lists than those on which the parameters of the race were chosen.
      Random random(271828 + s);
      Scores here;
      for (int list = 0; list < lists; ++list) {
        std::vector<const recording::Row *> drawn(rows);
        for (std::size_t i = 0; i < list_size; ++i)
          std::swap(drawn[i], drawn[i + random.below(drawn.size() - i)]);
        drawn.resize(list_size);
        const std::uint64_t seed = 314159 + 7919 * (s * 100000 + static_cast<std::uint64_t>(list));
        run_list(drawn, visit_sd, seed, here);
      }
      all.append(here);
      per_space[names[s]] = here.race.json();
    }
    char key[32];
    std::snprintf(key, sizeof key, "visit_%.1f%%", visit_sd * 100);
    document[key] = {{"race", all.race.json()},
                     {"race_with_default", all.with_default.json()},
                     {"seven_fixed", all.fixed.json()},
                     {"do_bench_25_100", all.do_bench.json()},
                     {"race_per_space", per_space}};
  }
  if (const char *commit = std::getenv("BENCH_COMMIT")) document["commit"] = commit;
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
