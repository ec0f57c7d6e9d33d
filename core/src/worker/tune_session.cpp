// SPDX-License-Identifier: Apache-2.0
#include "worker/tune_session.hpp"

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/utc.hpp"
#include "loader/discovery.hpp"
#include "report/json_text.hpp"
#include "tune/tuner_device.hpp"
#include "worker/candidate.hpp"
#include "worker/compile_pool.hpp"
#include "worker/protocol.hpp"

namespace bench::worker {
namespace {

using nlohmann::json;
using tune::EndState;

constexpr std::int64_t default_timeout_ns = 10'000'000'000;
constexpr double ns_per_s = 1e9;
// More than this many compilations are a search, not a list: a seeded sample stands for the space.
constexpr std::uint64_t max_exhaustive = 4096;
// Work that a killed tune may lose, beside the candidate that was running: a write that is safe on
// a disk takes 10 ms, and a quick candidate less.
constexpr std::int64_t journal_period_ns = 100'000'000;
// How many of a stored result's best are worth a new race when driver or compiler changed.
constexpr std::size_t revalidated = 8;

std::string read_text(const std::filesystem::path &file) {
  auto text = read_file(file);
  if (text) return std::move(*text);
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "cannot read the problem file", file.string(),
                "name a readable T1 file (JSON)");
}

json value_json(const problem::Value &value) {
  if (value.is_boolean()) return value.boolean();
  if (value.is_integer()) return value.integer();
  if (value.is_real()) return value.real();
  return value.to_text();
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

TuneSession::TuneSession(loader::Registry &registry, store::Store *store, Log &log,
                         const std::filesystem::path &file, const bench_problem_options_v1 &options)
    : registry_(registry),
      store_((options.flags & BENCH_PROBLEM_NO_STORE) ? nullptr : store),
      log_(log),
      options_(options),
      text_(read_text(file)),
      problem_(problem::parse_problem(text_, file)),
      policy_(measure::policy_of(options.policy)),
      notes_(problem_.notes) {
  if (options.eps > 0) race_options_.eps = options.eps;
  if (options.delta > 0) race_options_.delta = options.delta;
  if (options.switch_margin > 0) race_options_.switch_margin = options.switch_margin;
  if (options.seed) race_options_.seed = options.seed;
  if (problem_.space.size() == 0) {
    throw Failure(
        BENCH_ERROR_INVALID_ARGUMENT, "the space is empty: " + problem_.space.explain_empty(),
        file.string() + ", ConfigurationSpace", "change that condition, or the values it looks at");
  }
  device_ = choose_device(registry, problem_, options.device_name, device_reason_);
  if (device_) {
    const bench_device_v1 native = device_->plugin->native(device_->device.device);
    info_.struct_size = sizeof info_;
    bench_error_v1 error = error_struct();
    const bench_status status =
        device_->plugin->api->device_info(device_->plugin->instance, native, &info_, &error);
    if (status != BENCH_OK) throw Failure(status, error, "device_info");
    own_clock_ = device_->plugin->has_own_clock();
  }
  if (options.max_time_ns > 0) deadline_ns_ = now_ns() + options.max_time_ns;
  for (const problem::Budget &budget : problem_.budgets) {
    if (budget.kind == problem::BudgetKind::duration_s && deadline_ns_ == 0)
      deadline_ns_ = now_ns() + static_cast<std::int64_t>(budget.value * ns_per_s);
  }
}

std::int64_t TuneSession::now_ns() const {
  if (!own_clock_) return system_clock().now_ns();
  return 1 + compiled_own_ns_ + (worker_ ? worker_->own_ns() : 0);
}

void TuneSession::require_device() {
  if (!device_)
    throw Failure(
        BENCH_ERROR_UNSUPPORTED, device_reason_, problem_.origin.string() + ", Language",
        "bring a plugin for the kernel's language; `bench plugins --why` tells what was looked at");
  environment_.compiler = compiler_identity(*device_, problem_.kernel.language);
  environment_.driver = info_.driver_version;
  environment_.toolkit = std::string(info_.runtime_version) + "|plugin " + device_->plugin->version;
  std::string uuid;
  for (const std::uint8_t byte : info_.uuid) uuid += hex(byte).substr(14);
  environment_.host = uuid;
  // Under another clock the same configurations may rank otherwise.
  if (options_.lock_clock_hz > 0)
    environment_.driver += "|clock " + std::to_string(std::llround(options_.lock_clock_hz / 1e6));
  identity_.problem = problem_.name + "|" + problem::identity_hash(problem_);
  if (problem_.reference_kernel)
    identity_.problem +=
        "|" +
        hex(problem::hash_text(read_reference_source(problem_) + problem_.reference_kernel->name));
  identity_.space = hex(
      problem::hash_text(problem_.space.raw_text() + "|" + std::to_string(problem_.space.size())));
  for (const problem::Argument &argument : problem_.arguments)
    identity_.dtypes += (identity_.dtypes.empty() ? "" : ",") + argument.type.name;
  identity_.device = tune::silicon_text(info_);
  identity_.plugin =
      device_->plugin->id + "|abi " + std::to_string(BENCH_ABI_MAJOR) + "|" + BENCH_EXT_KERNEL_V1;
  identity_.policy = policy_.text() + (for_energy() ? "|energy" : "");
}

void TuneSession::prepare_worker() {
  setup_.program = loader::find_helper("", "bench-worker");
  if (setup_.program.empty()) {
    throw Failure(BENCH_ERROR_UNSUPPORTED, "bench-worker is not beside libbench.so",
                  "worker process", "install it there: candidates run in processes of their own");
  }
  setup_.timeout_ns =
      options_.candidate_timeout_ns > 0 ? options_.candidate_timeout_ns : default_timeout_ns;
  setup_.init = {
      {"op", "init"},
      {"plugin", device_->plugin->path},
      {"problem", text_},
      {"origin", problem_.origin.string()},
      {"device", device_->device.tag()},
      // The tuner's own loader has let the file pass, with the user's switch where it took one.
      {"world_writable", true},
      {"pin_core", options_.pin_core},
      {"lock_clock_hz", options_.lock_clock_hz},
      {"policy", policy_json(policy_)}};
}

bool TuneSession::stopped() const {
  if (options_.should_stop && options_.should_stop(options_.user) != 0) return true;
  return deadline_ns_ != 0 && now_ns() >= deadline_ns_;
}

void TuneSession::report(const char *phase, std::uint64_t done, std::uint64_t total,
                         double remaining_s, const std::string &message) {
  if (!options_.progress) return;
  bench_problem_progress_v1 progress{};
  progress.struct_size = sizeof progress;
  progress.phase = phase;
  progress.done = done;
  progress.total = total;
  progress.remaining_s = remaining_s;
  progress.message = message.empty() ? nullptr : message.c_str();
  options_.progress(options_.user, &progress);
}

std::string TuneSession::configuration_json(const problem::Configuration &configuration) const {
  json object = json::object();
  for (std::size_t i = 0; i < configuration.values.size(); ++i)
    object[problem_.space.parameters()[i].name] = value_json(configuration.values[i]);
  return bench::report::json_text(object);
}

store::Entry TuneSession::entry_of(const Attempt &attempt) const {
  store::Entry entry;
  entry.index = attempt.index;
  entry.configuration = configuration_json(attempt.configuration);
  entry.state = tune::end_state_name(attempt.state);
  if (attempt.state == EndState::measured) {
    entry.median_ns = attempt.summary.median_ns;
    if (attempt.summary.interval)
      entry.interval_ns =
          store::Interval{attempt.summary.interval->lo, attempt.summary.interval->hi};
  }
  entry.samples = attempt.samples;
  if (!attempt.error.what.empty()) entry.error = error_line(attempt.error);
  entry.verified = attempt.verified;
  return entry;
}

std::vector<std::uint64_t> TuneSession::select(const store::Found &found) {
  const std::uint64_t size = problem_.space.size();
  const std::uint64_t standard = problem_.default_configuration.index;
  std::vector<std::uint64_t> chosen{standard};
  if (found.match == store::Match::stale && found.tuned) {
    // Winner, ties and the fastest, by their texts: another build may have numbered them
    // differently.
    std::set<std::string> wanted(found.tuned->tie_set.begin(), found.tuned->tie_set.end());
    wanted.insert(found.tuned->winner);
    std::vector<store::Entry> entries = found.tuned->entries;
    std::stable_sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
      return a.median_ns.value_or(1e300) < b.median_ns.value_or(1e300);
    });
    for (std::size_t i = 0; i < entries.size() && i < revalidated && entries[i].median_ns; ++i)
      wanted.insert(entries[i].configuration);
    for (std::uint64_t index = 0; index < size && wanted.size() + 1 > chosen.size(); ++index) {
      if (index != standard && wanted.count(configuration_json(problem_.space.at(index))))
        chosen.push_back(index);
    }
    return chosen;
  }
  std::uint64_t limit = max_exhaustive;
  for (const problem::Budget &budget : problem_.budgets) {
    if (budget.kind == problem::BudgetKind::configurations)
      limit = static_cast<std::uint64_t>(budget.value);
    if (budget.kind == problem::BudgetKind::fraction)
      limit = static_cast<std::uint64_t>(budget.value * static_cast<double>(size));
  }
  limit = std::max<std::uint64_t>(limit, 1);
  if (options_.max_evaluations) limit = std::min(limit, options_.max_evaluations);
  // Named on purpose, a strategy is used for small spaces too.
  if (size <= limit && !options_.strategy) {
    for (std::uint64_t index = 0; index < size; ++index) {
      if (index != standard) chosen.push_back(index);
    }
    return chosen;
  }
  searches_ = true;
  return chosen;
}

void TuneSession::recall(TuneOutcome &outcome) {
  if (!store_ || (options_.flags & BENCH_PROBLEM_FRESH)) return;
  found_ = store_->find(identity_, environment_, "");
  if (found_.match == store::Match::fresh) {
    outcome.from_store = true;
    outcome.stored = found_.tuned;
    outcome.stored_at = found_.tuned->created_utc;
    outcome.stop_reason = found_.tuned->stop_reason;
  } else if (found_.match == store::Match::stale) {
    std::string differences;
    for (const std::string &difference : found_.differences)
      differences += (differences.empty() ? "" : "; ") + difference;
    notes_.push_back("the stored result is of another environment (" + differences +
                     "): its best are raced again");
  }
}

void TuneSession::skip_known_failures(TuneOutcome &outcome) {
  if (!store_ || (options_.flags & BENCH_PROBLEM_FRESH)) return;
  std::map<std::string, store::Entry> known;
  for (store::Entry &entry : store_->entries(identity_, environment_, ""))
    known[entry.configuration] = entry;
  if (known.empty()) return;
  std::size_t skipped = 0;
  for (Attempt &attempt : outcome.attempts) {
    const auto found = known.find(configuration_json(attempt.configuration));
    if (found == known.end()) continue;
    const auto state = tune::end_state_of(found->second.state);
    if (!state || *state == EndState::measured || *state == EndState::not_tested ||
        *state == EndState::cancelled)
      continue;
    attempt.state = *state;
    attempt.error.what = found->second.error;
    ++skipped;
  }
  if (skipped)
    notes_.push_back(std::to_string(skipped) +
                     " configurations failed in an unfinished run before this one and are not "
                     "tried again (--fresh tries them)");
}

void TuneSession::journal(const Attempt &attempt) {
  if (!store_) return;
  unkept_.push_back(entry_of(attempt));
  const std::int64_t now = system_clock().now_ns();
  if (now - journalled_ns_ > journal_period_ns) write_journal();
}

void TuneSession::write_journal() {
  if (!store_ || unkept_.empty()) return;
  try {
    store_->put_entries(identity_, environment_, "", unkept_);
  } catch (const Failure &failure) {
    log_.warning(std::string("finished configurations could not be kept: ") + failure.what());
    notes_.push_back(std::string("results are not kept: ") + failure.what());
    store_ = nullptr;  // one warning; the tune goes on and its result is reported
  }
  unkept_.clear();
  journalled_ns_ = system_clock().now_ns();
}

void TuneSession::compile(TuneOutcome &outcome) {
  const std::int64_t begun = now_ns();
  std::vector<std::uint64_t> indices;
  for (const Attempt &attempt : outcome.attempts) {
    if (attempt.state == EndState::not_tested && !binaries_.count(attempt.index))
      indices.push_back(attempt.index);
  }
  std::int64_t own_ns = 0;
  const unsigned jobs = options_.compile_jobs ? options_.compile_jobs : usable_cores();
  auto results = compile_all(setup_, indices, jobs, [&](const PoolProgress &now) {
    const double rate =
        now.done ? static_cast<double>(now.elapsed_ns) / static_cast<double>(now.done) : -ns_per_s;
    report("compile", now.done, now.total,
           rate < 0 ? -1.0 : rate * static_cast<double>(now.total - now.done) / ns_per_s);
    return !stopped();
  });
  for (Attempt &attempt : outcome.attempts) {
    const auto found = results.find(attempt.index);
    if (found == results.end()) continue;
    if (found->second.failed) {
      attempt.state = *found->second.failed;
      attempt.error = found->second.error;
      if (!found->second.log.empty()) log_.debug("compiler: " + found->second.log);
      journal(attempt);
    } else {
      binaries_[attempt.index] = std::move(found->second.binary);
      attempt.compile_ns = found->second.elapsed_ns;
      own_ns += found->second.elapsed_ns;
    }
  }
  // Compilers run side by side: on the device's clock they take what they would take then.
  compiled_own_ns_ += own_ns / std::max<std::int64_t>(jobs, 1);
  outcome.compile_ns += now_ns() - begun;
}

void TuneSession::make_reference(TuneOutcome &outcome, TimingWorker &worker) {
  if (problem_.reference_kernel) {
    CompileWorker compiler(setup_);
    const auto compiled = compiler.compile({{"op", "compile-reference"}}, default_timeout_ns * 6);
    if (compiled.failed) {
      ErrorText text = compiled.error;
      text.where = "ReferenceKernel " + problem_.reference_kernel->name;
      throw Failure(text);
    }
    worker.set_reference(compiled.binary);
    worker.prove_reference();
    return;
  }
  if (!problem_.references.empty()) {
    worker.set_reference({});
    worker.prove_reference();
    return;
  }
  if (rules_of(problem_).empty()) {
    notes_.push_back("the problem declares no output: nothing is verified");
    return;
  }
  // The first that runs, the default before all others, is what the rest is compared with.
  for (Attempt &attempt : outcome.attempts) {
    if (!binaries_.count(attempt.index) || attempt.state != EndState::not_tested) continue;
    try {
      worker.load_and_verify(attempt.index, 1);
      worker.set_adopted(attempt.index);
      worker.prove_reference();
      notes_.push_back("no reference is declared: outputs are compared with those of " +
                       problem::configuration_text(problem_.space, attempt.configuration));
      return;
    } catch (const tune::VisitFailed &failed) {
      attempt.state = failed.state();
      attempt.error = failed.error();
      journal(attempt);
    }
  }
}

bool TuneSession::verify_one(Attempt &attempt, TimingWorker &worker, std::uint32_t launches) {
  try {
    worker.with_second_chance([&] { worker.load_and_verify(attempt.index, launches); });
    attempt.verified = !rules_of(problem_).empty();
    attempt.resources = worker.resources(attempt.index);
    return true;
  } catch (const tune::VisitFailed &failed) {
    attempt.state = failed.state();
    attempt.error = failed.error();
    return false;
  }
}

void TuneSession::verify(TuneOutcome &outcome, TimingWorker &worker) {
  const std::int64_t begun = now_ns();
  std::uint64_t done = 0;
  for (Attempt &attempt : outcome.attempts) {
    if (stopped()) break;
    const double elapsed_s = static_cast<double>(now_ns() - begun) / ns_per_s;
    const double left = static_cast<double>(outcome.attempts.size() - done);
    report("verify", done, outcome.attempts.size(),
           done ? elapsed_s / static_cast<double>(done) * left : -1.0);
    ++done;
    if (attempt.state != EndState::not_tested || !binaries_.count(attempt.index)) continue;
    if (!verify_one(attempt, worker)) journal(attempt);
  }
  outcome.verify_ns += now_ns() - begun;
}

void TuneSession::keep(const TuneOutcome &outcome) {
  if (!store_ || !outcome.winner || outcome.stop_reason == "cancelled" ||
      outcome.stop_reason == "deadline")
    return;
  store::Tuned tuned;
  tuned.identity = identity_;
  tuned.environment = environment_;
  for (const Attempt &attempt : outcome.attempts) tuned.entries.push_back(entry_of(attempt));
  tuned.winner = configuration_json(outcome.attempts[*outcome.winner].configuration);
  tuned.default_configuration = configuration_json(outcome.attempts[0].configuration);
  for (const std::size_t tie : outcome.tie_set)
    tuned.tie_set.push_back(configuration_json(outcome.attempts[tie].configuration));
  tuned.stop_reason = outcome.stop_reason;
  tuned.eps_reached = outcome.eps_reached;
  tuned.delta = race_options_.delta;
  tuned.created_utc = now_utc();
  json raw{{"gain", nullptr}, {"notes", notes_}};
  if (outcome.gain) raw["gain"] = *outcome.gain;
  for (const Attempt &attempt : outcome.attempts)
    if (attempt.energy_nj)
      raw["energy_nj"][configuration_json(attempt.configuration)] = attempt.energy_nj->median_ns;
  tuned.raw_json = bench::report::json_text(raw);
  try {
    store_->put(tuned);
  } catch (const Failure &failure) {
    log_.warning(std::string("the result could not be kept: ") + failure.what());
    notes_.push_back(std::string("the result is not kept: ") + failure.what());
    store_ = nullptr;
  }
}

TuneOutcome TuneSession::tune() {
  const std::int64_t begun = now_ns();
  TuneOutcome outcome;
  require_device();
  recall(outcome);
  if (outcome.from_store) {
    outcome.total_ns = now_ns() - begun;
    return outcome;
  }
  prepare_worker();
  problem::kernel_source(problem_);
  for (const std::uint64_t index : select(found_)) {
    Attempt attempt;
    attempt.index = index;
    attempt.configuration = problem_.space.at(index);
    outcome.attempts.push_back(std::move(attempt));
  }
  TimingWorker worker(setup_, binaries_);
  worker_ = &worker;
  if (searches_) {
    search(outcome, worker);
    if (!binaries_.empty() && !stopped()) watched_race(outcome, worker);
  } else {
    skip_known_failures(outcome);
    compile(outcome);
    if (!binaries_.empty() && !stopped()) {
      make_reference(outcome, worker);
      verify(outcome, worker);
      watched_race(outcome, worker);
    }
  }
  write_journal();
  for (Attempt &attempt : outcome.attempts) {
    if (attempt.state == EndState::not_tested && stopped()) attempt.state = EndState::cancelled;
  }
  outcome.cost = worker.cost();
  if (outcome.stop_reason.empty())
    outcome.stop_reason = stopped() ? "cancelled" : "no valid configuration";
  keep(outcome);
  outcome.total_ns = now_ns() - begun;
  worker_ = nullptr;
  return outcome;
}

json TuneSession::run(const std::string &configuration, Attempt &attempt) {
  require_device();
  prepare_worker();
  problem::kernel_source(problem_);
  attempt.configuration = parse_configuration(problem_, configuration);
  attempt.index = attempt.configuration.index;
  TuneOutcome outcome;
  outcome.attempts.push_back(attempt);
  compile(outcome);
  const auto fail_if_ended = [&] {
    if (outcome.attempts[0].state == EndState::not_tested) return;
    ErrorText text = outcome.attempts[0].error;
    text.what = std::string(tune::end_state_name(outcome.attempts[0].state)) + ": " + text.what;
    throw Failure(text);
  };
  fail_if_ended();
  TimingWorker worker(setup_, binaries_);
  const bool has_reference = problem_.reference_kernel || !problem_.references.empty();
  if (has_reference) make_reference(outcome, worker);
  verify_one(outcome.attempts[0], worker);
  fail_if_ended();
  attempt = outcome.attempts[0];
  attempt.verified = attempt.verified && has_reference;
  try {
    return worker.measure(attempt.index, (options_.flags & BENCH_PROBLEM_ENERGY) != 0);
  } catch (const tune::VisitFailed &failed) {
    throw Failure(failed.error());
  }
}

}  // namespace bench::worker
