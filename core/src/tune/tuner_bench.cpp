// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_bench.hpp"

#include <algorithm>

namespace bench::tune {

namespace {
// A window of a slow candidate at the depth that the fastest one needs would take for ever; beyond
// this length a window gains no precision.
constexpr double longest_window_ns = 20e6;
}  // namespace

TunerBench::TunerBench(const measure::Target &target, const TunerOptions &options,
                       std::vector<std::size_t> candidates, const bench_call_v1 &call,
                       const BenchMemory &memory, Clock &clock)
    : options_(options),
      candidates_(std::move(candidates)),
      callable_(*call.callable),
      callbacks_(call.callbacks),
      memory_(memory),
      session_(target, call.stream, options.policy, clock),
      single_ns_(candidates_.size(), 0.0),
      probed_(candidates_.size(), false),
      ends_(candidates_.size()) {
  if (session_.delegates()) {
    if (memory_.arguments && options_.has(BENCH_TUNER_CHECK_OUTPUTS))
      throw Failure(BENCH_ERROR_UNSUPPORTED,
                    "outputs cannot be checked where the plugin's own do_bench launches",
                    "output gate", "set engine in the policy, or leave CHECK_OUTPUTS out");
    return;
  }
  measure::with_step_downs(session_, [&] { look_at_memory(); });
  restart();
}

bool TunerBench::should_stop() {
  return callbacks_ && callbacks_->should_stop && callbacks_->should_stop(callbacks_->user) != 0;
}

void TunerBench::look_at_memory() {
  if (!memory_.arguments) return;
  const bench_config_v1 *reference = &options_.configs[memory_.reference]->raw();
  if (options_.has(BENCH_TUNER_WATCH_ARGUMENTS)) {
    try {
      changed_ = changed_by_each_launch(*memory_.arguments, session_, callable_, reference);
    } catch (const Failure &failure) {
      // Its own visit will say it again, where it counts.
      if (failure.status() == BENCH_ERROR_DEVICE_LOST) lost_ = true;
    }
  }
  if (lost_ || !options_.has(BENCH_TUNER_CHECK_OUTPUTS)) return;
  gate_.emplace(*memory_.arguments, options_.tolerance);
  try {
    gate_->learn(session_, callable_, reference);
  } catch (const Failure &failure) {
    if (failure.status() == BENCH_ERROR_INVALID_ARGUMENT) throw;
    if (failure.status() == BENCH_ERROR_DEVICE_LOST) lost_ = true;
    unverified_ = failure.text();
    unverified_->what = "the default gave no outputs to compare with: " + unverified_->what;
  }
}

void TunerBench::restart() {
  measure::with_step_downs(session_, [&] { probe(); });
}

std::vector<std::string> TunerBench::notes() const {
  std::vector<std::string> all = notes_;
  if (const std::string why = session_.method_note(); !why.empty()) all.push_back(why);
  return all;
}

const bench_config_v1 &TunerBench::config(std::size_t candidate) const {
  return options_.configs[candidates_[candidate]]->raw();
}

void TunerBench::fail(const Failure &failure) {
  if (failure.status() == BENCH_ERROR_DEVICE_LOST) lost_ = true;
  throw VisitFailed(end_state_of(failure.status()), failure.text());
}

void TunerBench::probe() {
  notes_.clear();
  bool unjoined = false, nothing = false;
  std::size_t fastest = candidates_.size();
  for (std::size_t at = 0; at < candidates_.size() && !lost_ && !should_stop(); ++at) {
    try {
      try {
        probe_candidate(at, unjoined, nothing);
      } catch (const Failure &failure) {
        fail(failure);
      }
    } catch (const VisitFailed &end) {
      ends_[at] = end;
      continue;
    }
    if (fastest == candidates_.size() || single_ns_[at] < single_ns_[fastest]) fastest = at;
  }
  if (unjoined)
    notes_.push_back("a launch left work on a stream that is not joined: its time is too short");
  if (nothing) notes_.push_back("launches left nothing on the stream");
  if (fastest == candidates_.size() || lost_) return;
  measure::RestoreGuard restore(callable_, &config(fastest), session_);
  try {
    // One depth for all, so that all share one overhead: the one that the fastest needs.
    depth_ = session_.choose_launches(callable_, &config(fastest));
  } catch (const Failure &failure) {
    if (failure.status() == BENCH_ERROR_DEVICE_LOST) lost_ = true;
    ends_[fastest].emplace(end_state_of(failure.status()), failure.text());
  }
}

void TunerBench::probe_candidate(std::size_t at, bool &unjoined, bool &nothing) {
  measure::RestoreGuard restore(callable_, &config(at), session_);
  if (unverified_) throw VisitFailed(EndState::unverified, *unverified_);
  const measure::Qualification found = session_.qualify(callable_, &config(at));
  unjoined = unjoined || found.unjoined;
  nothing = nothing || found.nothing_enqueued;
  if (gate_) {
    if (const auto wrong = gate_->check(session_, callable_, &config(at)))
      throw VisitFailed(EndState::wrong_output,
                        {BENCH_ERROR_CALLABLE_FAILED, *wrong, "output gate",
                         "correct the kernel, or widen the tolerance", 0, ""});
  }
  // Not for cold policies: the launches of qualify() found the cache as the last one left it.
  probed_[at] =
      measure::is_long(found.launch_ns) && options_.policy.cache == measure::CachePolicy::hot;
  if (probed_[at]) {
    single_ns_[at] = static_cast<double>(found.launch_ns);
    return;
  }
  // The launches of qualify() were this candidate's first: this window is a warm one.
  single_ns_[at] = session_.window(callable_, &config(at), 1).elapsed_ns;
}

Visit TunerBench::visit(std::size_t candidate, unsigned samples) {
  if (lost_)
    throw VisitFailed(
        EndState::device_lost,
        {BENCH_ERROR_DEVICE_LOST, "the device was lost by an earlier candidate", "race",
         "start the process anew: no later call can reach the device", 0, ""});
  if (ends_[candidate]) throw *ends_[candidate];
  // The race's first question, which the probe has answered: a long launch is not made twice for
  // it.
  if (probed_[candidate] && samples == 1) {
    probed_[candidate] = false;
    return {{single_ns_[candidate]}};
  }
  try {
    return {session_.visit(callable_, &config(candidate), samples, depth_of(candidate))};
  } catch (const Failure &failure) {
    fail(failure);
  }
}

std::uint32_t TunerBench::depth_of(std::size_t candidate) const {
  if (!(single_ns_[candidate] > 0)) return depth_;
  return std::uint32_t(std::clamp(longest_window_ns / single_ns_[candidate], 1.0, double(depth_)));
}

}  // namespace bench::tune
