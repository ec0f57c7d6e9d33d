// SPDX-License-Identifier: Apache-2.0
// A space too large to try out: a strategy proposes batches, each is compiled, verified and timed
// briefly; the best few and the default go on to the race.
#include <algorithm>
#include <set>

#include "search/search.hpp"
#include "worker/problem_landscape.hpp"
#include "worker/tune_session.hpp"

namespace bench::worker {
namespace {

using tune::EndState;

constexpr std::uint64_t default_evaluations = 512;
// What the race, which proves the winner, keeps of the time.
constexpr double search_part = 0.8;
constexpr std::size_t finalists = 12;
constexpr unsigned samples_each = 2;  // after one that is discarded
constexpr std::size_t batch = 8;      // enough to keep the compilers busy

/// As the run before has left it; its times guide a search, and are never compared in a race.
void take_over(const store::Entry &entry, Attempt &attempt) {
  attempt.state = *tune::end_state_of(entry.state);
  attempt.error.what = entry.error;
  attempt.samples = entry.samples;
  attempt.summary.interval_reason = "timed briefly by a search";
  if (entry.median_ns) attempt.summary.median_ns = *entry.median_ns;
}

}  // namespace

std::uint64_t TuneSession::search_evaluations() const {
  if (options_.max_evaluations) return options_.max_evaluations;
  const double size = static_cast<double>(problem_.space.size());
  for (const problem::Budget &budget : problem_.budgets) {
    if (budget.kind == problem::BudgetKind::configurations)
      return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(budget.value));
    if (budget.kind == problem::BudgetKind::fraction)
      return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(budget.value * size));
  }
  return default_evaluations;
}

std::optional<double> TuneSession::time_briefly(Attempt &attempt, TimingWorker &worker,
                                                std::uint32_t &launches) {
  if (!verify_one(attempt, worker)) {
    journal(attempt);
    return std::nullopt;
  }
  constexpr int trials = 3;  // a step down, and a timer that read nothing
  for (int trial = 1;; ++trial) {
    try {
      attempt.samples_ns = worker.with_second_chance([&] {
        if (launches == 0) launches = worker.calibrate(attempt.index);
        return worker.visit(attempt.index, samples_each, launches);
      });
      if (!attempt.samples_ns.empty()) break;
    } catch (const measure::SteppedDown &) {
      launches = 0;
    } catch (const tune::VisitFailed &failed) {
      if (failed.error().status != BENCH_ERROR_INTERNAL || trial == trials) {
        attempt.state = failed.state();
        attempt.error = failed.error();
        journal(attempt);
        return std::nullopt;
      }
    }
    if (trial == trials) {
      attempt.state = EndState::non_finite;
      return std::nullopt;
    }
  }
  attempt.summary = measure::summarize(attempt.samples_ns);
  attempt.samples = attempt.samples_ns.size();
  attempt.state = EndState::measured;
  journal(attempt);
  return attempt.summary.median_ns;
}

std::map<std::uint64_t, store::Entry> TuneSession::unfinished_search() {
  std::map<std::uint64_t, store::Entry> known;
  if (!store_ || (options_.flags & BENCH_PROBLEM_FRESH)) return known;
  for (store::Entry &entry : store_->entries(identity_, environment_, "")) {
    const auto state = tune::end_state_of(entry.state);
    if (!state || *state == EndState::not_tested || *state == EndState::cancelled) continue;
    if (*state == EndState::measured && !entry.median_ns) continue;
    // By its text: another build may have numbered the space differently.
    if (entry.index < problem_.space.size() &&
        configuration_json(problem_.space.at(entry.index)) == entry.configuration)
      known.emplace(entry.index, std::move(entry));
  }
  if (!known.empty()) {
    notes_.push_back(std::to_string(known.size()) +
                     " configurations were tried in an unfinished run before this one and are not "
                     "tried again (--fresh tries them); the best of them race again");
  }
  return known;
}

void TuneSession::reopen(TuneOutcome &outcome, TimingWorker &worker, bool &has_reference) {
  compile(outcome);
  if (!has_reference && !binaries_.empty()) make_reference(outcome, worker);
  has_reference = true;
  for (Attempt &attempt : outcome.attempts) {
    if (attempt.state != EndState::not_tested || attempt.verified || stopped()) continue;
    if (binaries_.count(attempt.index) && !verify_one(attempt, worker)) journal(attempt);
  }
}

void TuneSession::search(TuneOutcome &outcome, TimingWorker &worker) {
  const ProblemLandscape landscape(problem_.space);
  const std::string name = options_.strategy ? options_.strategy : search::strategy_names().front();
  const auto strategy = search::make_strategy(name, race_options_.seed);
  search::SearchOptions options;
  options.budget.evaluations = std::min(search_evaluations(), landscape.size());
  options.batch = batch;
  options.first = {problem_.default_configuration.index};
  std::map<std::uint64_t, store::Entry> known = unfinished_search();
  for (const auto &[index, entry] : known) options.first.push_back(index);
  options.now_ns = [this] { return now_ns(); };
  options.should_stop = [this] { return stopped(); };
  if (deadline_ns_ != 0)
    options.budget.time_ns = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(search_part * static_cast<double>(deadline_ns_ - now_ns())));
  outcome.attempts.clear();
  std::uint32_t launches = 0;
  bool has_reference = false;
  const search::History history =
      search::search(landscape, *strategy, options, [&](const std::vector<std::uint64_t> &indices) {
        const std::int64_t begun = now_ns();
        const std::size_t from = outcome.attempts.size();
        for (const std::uint64_t index : indices) {
          Attempt attempt;
          attempt.index = index;
          attempt.configuration = problem_.space.at(index);
          if (const auto found = known.find(index); found != known.end())
            take_over(found->second, attempt);
          outcome.attempts.push_back(std::move(attempt));
        }
        compile(outcome);
        if (!has_reference && !binaries_.empty()) {
          make_reference(outcome, worker);
          has_reference = true;
        }
        std::vector<search::Evaluation> results;
        for (std::size_t i = from; i < outcome.attempts.size(); ++i) {
          Attempt &attempt = outcome.attempts[i];
          std::optional<double> time;
          if (attempt.state == EndState::measured)
            time = attempt.summary.median_ns;  // by the run before
          else if (attempt.state == EndState::not_tested && binaries_.count(attempt.index))
            time = time_briefly(attempt, worker, launches);
          results.push_back({time, 0.0});
        }
        const double each = static_cast<double>(now_ns() - begun) / double(indices.size());
        for (search::Evaluation &result : results) result.cost_ns = std::max(each, 1.0);
        report("search", outcome.attempts.size(), options.budget.evaluations, -1.0);
        return results;
      });
  // The race is open to the best of the search, and to the default.
  std::set<std::uint64_t> open{problem_.default_configuration.index};
  for (std::size_t i = 0; i < std::min(finalists, history.ranking().size()); ++i)
    open.insert(history.trials()[history.ranking()[i]].index);
  for (Attempt &attempt : outcome.attempts) {
    if (attempt.state != EndState::measured) continue;
    if (open.count(attempt.index) && !stopped())
      attempt.state = EndState::not_tested;
    else
      binaries_.erase(attempt.index);
  }
  write_journal();
  if (!stopped()) reopen(outcome, worker, has_reference);
  notes_.push_back(std::to_string(history.trials().size()) + " of " +
                   std::to_string(landscape.size()) +
                   " configurations were tried by the strategy " + name + "; the best " +
                   std::to_string(open.size()) + " raced");
}

}  // namespace bench::worker
