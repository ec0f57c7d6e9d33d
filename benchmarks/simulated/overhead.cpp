// SPDX-License-Identifier: Apache-2.0
// What a search strategy itself takes for each evaluation, on a constrained space of 10^5 valid
// configurations that is indexed as tunes index it. Time of a processor, so it belongs to the
// machine.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "../support.hpp"
#include "search/search.hpp"
#include "worker/problem_landscape.hpp"

namespace {

using namespace bench;

problem::Space make_space() {
  std::vector<problem::Parameter> parameters;
  const auto add = [&](const char *name, std::vector<std::int64_t> values) {
    problem::Parameter parameter{name, "int", {}};
    for (const std::int64_t value : values) parameter.values.emplace_back(value);
    parameters.push_back(std::move(parameter));
  };
  add("block_x", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  add("block_y", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  add("tile_x", {1, 2, 3, 4, 5, 6, 7, 8});
  add("tile_y", {1, 2, 3, 4, 5, 6, 7, 8});
  add("unroll", {1, 2, 4, 8, 16});
  add("vector", {1, 2, 4, 8});
  add("stages", {1, 2, 3, 4});
  add("padding", {0, 1});
  add("read_only", {0, 1});
  return problem::Space::build(
      std::move(parameters),
      {"block_x * block_y >= 32", "block_x * block_y <= 1024", "tile_x % vector == 0",
       "tile_x * tile_y % unroll == 0", "block_x * tile_x * tile_y * stages <= 2048"});
}

/// A rugged bowl, a few percent of which fails.
std::optional<double> time_of(const search::Point &point) {
  double time = 1000.0;
  std::uint64_t hash = 1469598103934665603ull;
  for (std::size_t i = 0; i < point.size(); ++i) {
    time += 40.0 * std::pow(double(point[i]) - 2.0 - double(i % 3), 2);
    hash = (hash ^ point[i]) * 1099511628211ull;
  }
  if (hash >> 59 == 0) return std::nullopt;
  return time * (1.0 + 0.1 * static_cast<double>(hash >> 40 & 1023) / 1024.0);
}

/// Of this thread: what others make of a shared machine does not count.
double cpu_us() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double us_per_evaluation(const search::Landscape &landscape, const std::string &name,
                         std::size_t evaluations, std::size_t batch) {
  constexpr int repeats = 5;
  double least = 1e9;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto strategy = search::make_strategy(name, 1 + static_cast<std::uint64_t>(repeat));
    search::SearchOptions options;
    options.budget.evaluations = evaluations;
    options.batch = batch;
    const double begun = cpu_us();
    search::search(landscape, *strategy, options, [&](const std::vector<std::uint64_t> &indices) {
      std::vector<search::Evaluation> results;
      for (const std::uint64_t index : indices)
        results.push_back({time_of(landscape.point_at(index)), 1000.0});
      return results;
    });
    const double spent = cpu_us() - begun;
    least = std::min(least, spent / static_cast<double>(evaluations));
  }
  return least;
}

}  // namespace

int main() {
  const problem::Space space = make_space();
  const worker::ProblemLandscape landscape(space);
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string &name : search::strategy_names()) {
    for (const std::size_t batch : {4, 8}) {  // the benchmark's, and that of a tune
      for (const std::size_t evaluations : {400, 2000}) {
        rows.push_back(
            {{"strategy", name},
             {"batch", batch},
             {"evaluations", evaluations},
             {"us_per_evaluation", us_per_evaluation(landscape, name, evaluations, batch)}});
      }
    }
  }
  const nlohmann::json document{{"machine", benchmarks::machine()},
                                {"commit", benchmarks::commit()},
                                {"valid_configurations", space.size()},
                                {"raw_configurations", space.raw_text()},
                                {"rows", rows}};
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
