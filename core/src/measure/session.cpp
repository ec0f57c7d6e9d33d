// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "measure/engine.hpp"

namespace bench::measure {
namespace {

// A window this many floors and timer steps long keeps both errors within what is promised: 1 % and
// 0.1 %.
constexpr double floors_per_window = 100.0;
constexpr double steps_per_window = 1000.0;
// Longer windows average away what the stop rule wants to see, and outlast a scheduler's time
// slice.
constexpr double longest_batch_ns = 2e6;
constexpr std::uint32_t max_launches = 1u << 20;
// An interrupted calibration reads ten times too long; the smallest of several is not interrupted.
constexpr int calibration_repeats = 5;
constexpr double certain_windows = 20.0;
constexpr int empty_windows = 33;
// Readings after which a timer that shows no time passing is called coarse.
constexpr int max_timer_readings = 20'000;
// A device that idled this long has lowered its clock.
constexpr std::int64_t pause_ns = 5'000'000;
// Windows are flat when this many in a row lie within 2 %.
constexpr int flat_windows = 3;
constexpr double flat_spread = 0.02;
constexpr std::uint32_t nothing_probe_launches = 32;
// Host time that the device may still be busy after its stream, before it counts as unjoined work.
constexpr std::int64_t unjoined_slack_ns = 50'000;

}  // namespace

std::string Policy::text() const {
  std::string text = cache == CachePolicy::cold ? "isolated-cold"
                     : isolated                 ? "isolated-hot"
                                                : "back-to-back";
  return use_engine ? text + "+engine" : text;
}

Session::Session(const Target &target, const bench_stream_v1 *stream, const Policy &policy,
                 Clock &clock)
    : target_(target), policy_(policy), clock_(clock), error_(error_struct()) {
  delegates_ = target.has_do_bench && !(policy.use_engine && target.has_t1);
  if (!delegates_ && !target.has_t1) {
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the plugin can neither measure by itself nor be measured with",
                  "measuring engine", "the plugin needs do_bench (T0) or all T1 primitives");
  }
  if (stream && stream->kind != BENCH_STREAM_NONE) {
    stream_ = *stream;
  } else if (target.has_t1) {
    stream_.struct_size = sizeof stream_;
    check(target_.api->stream_create(target_.instance, target_.device, &stream_, &error_), error_,
          "stream_create");
    owns_stream_ = true;
  } else {
    stream_.struct_size = sizeof stream_;
  }
  if (delegates_) return;
  const auto &api = *target_.api;
  bench_error_v1 error = error_struct();
  bench_status status =
      api.event_create(target_.instance, target_.device, &stream_, &start_, &error);
  if (status == BENCH_OK)
    status = api.event_create(target_.instance, target_.device, &stream_, &stop_, &error);
  if (status == BENCH_OK) {
    try {
      qualify_timer();
      if (policy_.cache == CachePolicy::cold) {
        check(api.flush_prepare(target_.instance, target_.device, &stream_, &flush_bytes_, &error),
              error, "flush_prepare");
      }
      return;
    } catch (const Failure &failure) {
      status = error_fill(&error, failure.text());
    }
  }
  // The destructor does not run for an object whose constructor throws.
  if (start_) api.event_destroy(target_.instance, target_.device, start_);
  if (stop_) api.event_destroy(target_.instance, target_.device, stop_);
  if (owns_stream_) api.stream_destroy(target_.instance, target_.device, &stream_);
  throw Failure(status, error, "event_create");
}

Session::~Session() {
  const auto &api = *target_.api;
  // Its buffer is as large as the cache: an embedder must get it back.
  if (flush_bytes_ > 0 && !delegates_)
    api.flush_release(target_.instance, target_.device, &stream_);
  if (start_) api.event_destroy(target_.instance, target_.device, start_);
  if (stop_) api.event_destroy(target_.instance, target_.device, stop_);
  if (owns_stream_) api.stream_destroy(target_.instance, target_.device, &stream_);
}

void Session::check(bench_status status, const bench_error_v1 &error, const char *where) const {
  if (status != BENCH_OK) throw Failure(status, error, where);
}

double Session::empty_window() {
  const auto &api = *target_.api;
  check(api.event_record(target_.instance, target_.device, start_, &stream_, &error_), error_,
        "event_record");
  check(api.event_record(target_.instance, target_.device, stop_, &stream_, &error_), error_,
        "event_record");
  check(api.event_synchronize(target_.instance, target_.device, stop_, &error_), error_,
        "event_synchronize");
  double elapsed = 0.0;
  std::uint32_t flags = 0;
  check(
      api.event_elapsed(target_.instance, target_.device, start_, stop_, &elapsed, &flags, &error_),
      error_, "event_elapsed");
  return std::isfinite(elapsed) ? std::max(elapsed, 0.0) : 0.0;
}

void Session::qualify_timer() {
  std::vector<double> readings;
  empty_window();  // the first pays for lazy set-up
  for (int i = 0; i < empty_windows; ++i) readings.push_back(empty_window());
  std::sort(readings.begin(), readings.end());
  timer_.floor_ns = readings[readings.size() / 2];
  double step = 0.0;
  const auto consider = [&](double candidate) {
    if (candidate > 0.0 && (step == 0.0 || candidate < step)) step = candidate;
  };
  for (std::size_t i = 1; i < readings.size(); ++i) consider(readings[i] - readings[i - 1]);
  consider(readings.front());
  for (int i = 0; step == 0.0 && i < max_timer_readings; ++i) consider(empty_window());
  timer_.resolution_ns = step;
  timer_.coarse = step == 0.0;
}

void Session::launch(const bench_callable_v1 &callable, const bench_config_v1 *config) {
  check(callable.launch(callable.user, config, &stream_, &error_), error_, "launch");
}

void Session::synchronize() {
  check(target_.api->stream_synchronize(target_.instance, target_.device, &stream_, &error_),
        error_, "stream_synchronize");
}

bench_sample_v1 Session::window(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                std::uint32_t launches) {
  const auto &api = *target_.api;
  if (callable.prepare)
    check(callable.prepare(callable.user, config, &stream_, &error_), error_, "prepare");
  if (policy_.cache == CachePolicy::cold) {
    const std::int64_t before = clock_.now_ns();
    check(api.flush(target_.instance, target_.device, &stream_, BENCH_FLUSH_WRITE, &error_), error_,
          "flush");
    cost_.flush_ns += clock_.now_ns() - before;
  }
  bench_sample_v1 sample{};
  sample.launches = launches;
  sample.start_ns = clock_.now_ns();
  bench_status status =
      api.event_record(target_.instance, target_.device, start_, &stream_, &error_);
  // Nothing but launches between here and the second record: every instruction would be timed.
  for (std::uint32_t i = 0; status == BENCH_OK && i < launches; ++i) {
    status = callable.launch(callable.user, config, &stream_, &error_);
  }
  if (status == BENCH_OK && callable.wait)
    status = callable.wait(callable.user, config, &stream_, &error_);
  if (status == BENCH_OK)
    status = api.event_record(target_.instance, target_.device, stop_, &stream_, &error_);
  check(status, error_, "window");
  check(api.event_synchronize(target_.instance, target_.device, stop_, &error_), error_,
        "event_synchronize");
  check(api.event_elapsed(target_.instance, target_.device, start_, stop_, &sample.elapsed_ns,
                          &sample.flags, &error_),
        error_, "event_elapsed");
  last_work_ns_ = sample.end_ns = clock_.now_ns();
  cost_.timed_ns += last_work_ns_ - sample.start_ns;
  // What the plugin did not see, seen here: no statistics may rest on such a window unmarked.
  if (!(sample.elapsed_ns >= 0.0))
    sample.flags |= BENCH_SAMPLE_NEGATIVE;
  else if (sample.elapsed_ns == 0.0)
    sample.flags |= BENCH_SAMPLE_ZERO;
  if (sample.elapsed_ns <= timer_.floor_ns) sample.flags |= BENCH_SAMPLE_BELOW_FLOOR;
  if (timer_.coarse || sample.elapsed_ns < steps_per_window * timer_.resolution_ns)
    sample.flags |= BENCH_SAMPLE_TIMER_COARSE;
  return sample;
}

Qualification Session::qualify(const bench_callable_v1 &callable, const bench_config_v1 *config) {
  Qualification result;
  if (delegates_) return result;
  const std::int64_t begun = clock_.now_ns();
  if (callable.prepare)
    check(callable.prepare(callable.user, config, &stream_, &error_), error_, "prepare");
  launch(callable, config);  // lazy loading and first-touch costs end here
  synchronize();
  int unjoined = 0, synchronous = 0;
  constexpr int trials = 2;  // once is chance: another process may have held the core
  for (int trial = 0; trial < trials; ++trial) {
    if (callable.prepare)
      check(callable.prepare(callable.user, config, &stream_, &error_), error_, "prepare");
    synchronize();
    const std::int64_t start = clock_.now_ns();
    launch(callable, config);
    const std::int64_t returned = clock_.now_ns();
    if (callable.wait)
      check(callable.wait(callable.user, config, &stream_, &error_), error_, "wait");
    synchronize();
    const std::int64_t stream_done = clock_.now_ns();
    check(target_.api->device_synchronize(target_.instance, target_.device, &error_), error_,
          "device_synchronize");
    const std::int64_t device_done = clock_.now_ns();
    unjoined += device_done - stream_done > std::max(unjoined_slack_ns, (stream_done - start) / 5);
    synchronous += returned - start > (stream_done - start) * 9 / 10;
  }
  result.unjoined = unjoined == trials;
  result.synchronous = synchronous == trials;
  if ((callable.flags & BENCH_CALLABLE_REPEATABLE) && policy_.cache == CachePolicy::hot) {
    const bench_sample_v1 many = window(callable, config, nothing_probe_launches);
    result.nothing_enqueued = many.elapsed_ns <= timer_.floor_ns + timer_.resolution_ns;
  }
  cost_.warmup_ns += clock_.now_ns() - begun;
  return result;
}

std::uint32_t Session::choose_launches(const bench_callable_v1 &callable,
                                       const bench_config_v1 *config) {
  const bool single = policy_.isolated || policy_.cache == CachePolicy::cold || delegates_ ||
                      !(callable.flags & BENCH_CALLABLE_REPEATABLE);
  if (single) return 1;
  const std::int64_t begun = clock_.now_ns();
  const double wanted =
      std::max(floors_per_window * timer_.floor_ns, steps_per_window * timer_.resolution_ns);
  const double target = std::min(std::max(wanted, 1.0), longest_batch_ns);
  std::uint32_t launches = 1;
  for (;;) {
    double best = 0.0;
    for (int i = 0; i < calibration_repeats; ++i) {
      const double elapsed = window(callable, config, launches).elapsed_ns;
      if (i == 0 || elapsed < best) best = elapsed;
      // Only what is far longer needs no second look: the first windows of a cold kernel read too long.
      if (best >= certain_windows * target && i > 0) break;
    }
    if (best >= target || launches >= max_launches) break;
    // Towards the target, but at most tenfold: a first window is mostly floor and says little.
    const double ratio = best > 0.0 ? target / best * 1.05 : 10.0;
    const double next = std::ceil(static_cast<double>(launches) * std::clamp(ratio, 1.2, 10.0));
    launches = static_cast<std::uint32_t>(std::min(next, static_cast<double>(max_launches)));
  }
  cost_.warmup_ns += clock_.now_ns() - begun;
  return launches;
}

void Session::warm_up(const bench_callable_v1 &callable, const bench_config_v1 *config,
                      std::uint32_t launches) {
  if (delegates_) return;
  const std::int64_t begun = clock_.now_ns();
  const std::int64_t timed_before = cost_.timed_ns;
  std::vector<double> recent;
  do {
    recent.push_back(window(callable, config, launches).elapsed_ns);
    if (recent.size() < flat_windows) continue;
    const auto [low, high] = std::minmax_element(recent.end() - flat_windows, recent.end());
    if (*high <= *low * (1.0 + flat_spread)) break;
  } while (clock_.now_ns() - begun < policy_.max_warmup_ns);
  cost_.warmup_ns += clock_.now_ns() - begun;
  cost_.timed_ns = timed_before;  // what warms up is not what is timed
}

std::uint32_t Session::method(std::uint32_t launches) const {
  return launches > 1 ? BENCH_METHOD_BATCH : BENCH_METHOD_EVENT;
}

bench_status Session::delegate(const bench_callable_v1 &callable, const bench_config_v1 *config,
                               const bench_params_v1 &params, bench_result_v1 &result) {
  const std::int64_t begun = clock_.now_ns();
  const bench_status status = target_.api->do_bench(target_.instance, target_.device, &stream_,
                                                    &callable, config, &params, &result, &error_);
  cost_.timed_ns += clock_.now_ns() - begun;
  last_work_ns_ = clock_.now_ns();
  if (status != BENCH_OK && status != BENCH_ERROR_TIMEOUT && status != BENCH_ERROR_CANCELLED)
    check(status, error_, "do_bench");
  // A plugin that wrote past its promise must not make us read past the buffer.
  result.written = std::min({result.written, result.capacity, result.taken});
  if ((result.flags & BENCH_RESULT_COARSE) || result.taken > params.max_samples) {
    coarse_ = true;
    result.flags |= BENCH_RESULT_COARSE;
  }
  return status;
}

std::vector<double> Session::visit(const bench_callable_v1 &callable, const bench_config_v1 *config,
                                   std::uint32_t samples, std::uint32_t launches,
                                   std::int64_t deadline_ns) {
  std::vector<double> times;
  if (delegates_) {
    std::vector<bench_sample_v1> buffer(samples);
    bench_params_v1 params{};
    params.struct_size = sizeof params;
    params.cache = policy_.cache == CachePolicy::cold ? BENCH_CACHE_COLD : BENCH_CACHE_HOT;
    params.warmup_launches = 1;
    params.min_samples = params.max_samples = samples;
    params.launches_per_sample = policy_.isolated ? 1 : 0;
    params.deadline_ns = deadline_ns;
    bench_result_v1 result{};
    result.struct_size = sizeof result;
    result.samples = buffer.data();
    result.capacity = samples;
    delegate(callable, config, params, result);
    for (std::uint32_t i = 0; i < result.written; ++i)
      times.push_back(buffer[i].elapsed_ns / std::max(buffer[i].launches, 1u));
    return times;
  }
  const RestoreGuard restore(callable, config, stream_);
  const int discarded = clock_.now_ns() - last_work_ns_ > pause_ns ? 2 : 1;
  const std::int64_t timed_before = cost_.timed_ns, begun = clock_.now_ns();
  for (int i = 0; i < discarded; ++i) window(callable, config, launches);
  cost_.warmup_ns += clock_.now_ns() - begun;
  cost_.timed_ns = timed_before;
  for (std::uint32_t i = 0; i < samples; ++i) {
    times.push_back(window(callable, config, launches).elapsed_ns / launches);
    if (deadline_ns != 0 && clock_.now_ns() >= deadline_ns) break;
  }
  return times;
}

bench_status RestoreGuard::run(bench_error_v1 *error) {
  if (done_ || !callable_.restore) return BENCH_OK;
  done_ = true;
  return callable_.restore(callable_.user, config_, &stream_, error);
}

}  // namespace bench::measure
