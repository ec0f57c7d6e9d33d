// SPDX-License-Identifier: Apache-2.0
// Whether the order of a list decides: every rotation of it, on a device whose clock ramps by 30 %
// or falls in the middle of the run. A do_bench in list order is measured beside the race.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "replay.hpp"

namespace {

using namespace bench;
using simulated::Random;

constexpr std::size_t list_size = 24;
constexpr double best_ns = 2e6;
constexpr double step = 0.012;  // from each to the next: more than eps, so that one is right
constexpr double noise = 0.004;
constexpr double warm_ns = 25e6, timed_ns = 100e6;
// What all of do_bench takes for this list: changes of clock are placed within it.
constexpr double whole_ns = list_size * (warm_ns + timed_ns);
constexpr double clock_change = 0.3;

using ClockCurve = std::function<double(double)>;  // from time since the start to a factor on times

/// Candidate i of the rotated list takes best_ns * (1 + step * ((i + rotation) mod list_size)).
class ClockedBench final : public tune::Bench {
 public:
  ClockedBench(std::size_t rotation, ClockCurve clock, std::uint64_t seed)
      : rotation_(rotation), clock_(std::move(clock)), random_(seed) {}
  double truth(std::size_t i) const {
    return best_ns * (1.0 + step * static_cast<double>((i + rotation_) % list_size));
  }
  double launch(std::size_t i) {
    const double time = truth(i) * clock_(now_) * std::exp(noise * random_.normal());
    now_ += time + simulated::flush_ns;
    return time;
  }
  tune::Visit visit(std::size_t candidate, unsigned samples) override {
    launch(candidate);  // discarded
    tune::Visit visit;
    for (unsigned i = 0; i < samples; ++i) visit.samples_ns.push_back(launch(candidate));
    return visit;
  }
  std::int64_t now_ns() override { return static_cast<std::int64_t>(now_); }
  bool should_stop() override { return false; }

 private:
  const std::size_t rotation_;
  const ClockCurve clock_;
  Random random_;
  double now_ = 0.0;
};

/// In list order, a fixed budget for each.
std::size_t do_bench_winner(ClockedBench &bench) {
  std::size_t winner = 0;
  double best = 0.0;
  for (std::size_t i = 0; i < list_size; ++i) {
    const double each = bench.launch(i);
    for (int n = static_cast<int>(warm_ns / each); n > 0; --n) bench.launch(i);
    std::vector<double> samples;
    for (int n = static_cast<int>(timed_ns / each); n > 0; --n) samples.push_back(bench.launch(i));
    std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2),
                     samples.end());
    const double median = samples[samples.size() / 2];
    if (i == 0 || median < best) best = median, winner = i;
  }
  return winner;
}

}  // namespace

int main(int count, char **words) {
  const int repeats = count > 1 ? std::atoi(words[1]) : 40;
  // Placed both by do_bench's length and by the race's, which is a fraction of it.
  const auto ramp = [](double length) {
    return [length](double at) { return 1.0 - clock_change * std::min(1.0, at / length); };
  };
  const auto throttle = [](double length) {
    return [length](double at) { return at < length / 2 ? 1.0 : 1.0 + clock_change; };
  };
  const std::vector<std::pair<std::string, ClockCurve>> clocks = {
      {"steady", [](double) { return 1.0; }},
      {"ramp over a do_bench of all", ramp(whole_ns)},
      {"ramp over a tenth of it", ramp(whole_ns / 10)},
      {"throttling in the middle of a do_bench of all", throttle(whole_ns)},
      {"throttling at a twentieth of it", throttle(whole_ns / 10)},
  };
  nlohmann::json document = nlohmann::json::object();
  for (const auto &[name, clock] : clocks) {
    int runs = 0, right = 0, tied = 0, do_bench_right = 0;
    double race_ns = 0.0, do_bench_ns = 0.0;
    for (std::size_t rotation = 0; rotation < list_size; ++rotation) {
      const std::size_t best = (list_size - rotation) % list_size;
      for (int repeat = 0; repeat < repeats; ++repeat, ++runs) {
        const std::uint64_t seed = 1 + rotation * 1000 + static_cast<std::uint64_t>(repeat);
        ClockedBench bench(rotation, clock, seed);
        tune::RaceOptions options;
        options.seed = seed;
        options.default_candidate = list_size;
        const tune::RaceResult result = tune::race(
            bench, std::vector<tune::EndState>(list_size, tune::EndState::not_tested), options);
        right += result.winner == best;
        tied +=
            std::find(result.tie_set.begin(), result.tie_set.end(), best) != result.tie_set.end();
        race_ns += static_cast<double>(bench.now_ns());
        ClockedBench other(rotation, clock, seed);
        do_bench_right += do_bench_winner(other) == best;
        do_bench_ns += static_cast<double>(other.now_ns());
      }
    }
    document[name] = {{"runs", runs},
                      {"right_winner", static_cast<double>(right) / runs},
                      {"right_in_tie_set", static_cast<double>(tied) / runs},
                      {"do_bench_right", static_cast<double>(do_bench_right) / runs},
                      {"time_of_do_bench", race_ns / do_bench_ns}};
  }
  if (const char *commit = std::getenv("BENCH_COMMIT")) document["commit"] = commit;
  std::printf("%s\n", document.dump(1).c_str());
  return 0;
}
