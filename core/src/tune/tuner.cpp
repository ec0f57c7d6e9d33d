// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/log.hpp"
#include "dispatch/key.hpp"
#include "dispatch/votes.hpp"
#include "measure/extensions.hpp"
#include "tune/fork_count.hpp"
#include "tune/tuner_device.hpp"
#include "tune/tuner_report.hpp"
#include "tune/tuner_steps.hpp"
#include "tune/tuner_tune.hpp"

namespace bench::tune {

namespace {

constexpr const char *where = "bench_tuner_lookup";
constexpr const char *not_tuned_hint =
    "pass a call, so that the key can be tuned; until then use the default";
constexpr std::uint32_t first_call_size = offsetof(bench_call_v1, stream) + sizeof(void *);
constexpr std::uint32_t first_callbacks_size =
    offsetof(bench_tune_callbacks_v1, should_stop) + sizeof(void *);
constexpr std::uint32_t first_callable_size = offsetof(bench_callable_v1, wait) + sizeof(void *);

void check_call(const bench_call_v1 &call) {
  const bool sized = call.struct_size >= first_call_size && call.callable &&
                     call.callable->struct_size >= first_callable_size;
  if (!sized || !call.callable->launch)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the call has no callable with a launch function, or a struct_size below that of "
                  "version 1.0",
                  where, "fill bench_call_v1 and bench_callable_v1, struct_size first");
  if (call.callable->required)
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the callable requires what this version does not know (required = " +
                      std::to_string(call.callable->required) + ")",
                  where, "clear bench_callable_v1.required, or use a newer library");
  if (BENCH_HAS(&call, callbacks) && call.callbacks &&
      call.callbacks->struct_size < first_callbacks_size)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the callbacks have struct_size " + std::to_string(call.callbacks->struct_size) +
                      ", below the " + std::to_string(first_callbacks_size) +
                      " of their first version",
                  where, "set struct_size to sizeof(bench_tune_callbacks_v1)");
  const bool stream = call.stream && call.stream->kind != BENCH_STREAM_NONE;
  if ((call.callable->flags & BENCH_CALLABLE_OWN_STREAM) && !stream)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the callable launches on a stream of its own (OWN_STREAM), which the call does "
                  "not name",
                  where, "give that stream in bench_call_v1.stream");
}

}  // namespace

Tuner::Tuner(const Surroundings &surroundings, const bench_tuner_options_v1 &options)
    : surroundings_(surroundings),
      options_(options),
      forks_at_creation_(fork_count()),
      steps_(std::make_unique<TunerSteps>()) {
  if (options_.mode != BENCH_TUNER_MODE_PINNED) return;
  pinned_.index = options_.pinned_config;
  pinned_.report = report_text({{"tuner", options_.name},
                                {"from_store", false},
                                {"winner", {{"index", options_.pinned_config}}},
                                {"stop_reason", "pinned"},
                                {"notes", nlohmann::json::array()},
                                {"warnings", nlohmann::json::array()}});
}

Tuner::~Tuner() = default;

const Choice *Tuner::find(const bench_argument_v1 *const *arguments,
                          std::uint32_t count) const noexcept {
  if (options_.mode == BENCH_TUNER_MODE_PINNED) return &pinned_;
  if (count != options_.layout.is_key.size() || (count && !arguments)) return nullptr;
  const Resolved *resolved = resolved_.load(std::memory_order_acquire);
  if (!resolved) return nullptr;  // nothing was tuned yet
  bench_device_v1 device;
  if (resolved->forced) {
    if (dispatch::find_malformed(arguments, count) < count) return nullptr;
    device = *resolved->forced;
  } else {
    // Votes count on a hit too: arguments on two devices are an error though a key of one exists.
    const dispatch::Verdict verdict = dispatch::count_votes(resolved->classes, arguments, count);
    if (verdict.outcome != dispatch::Outcome::elected) return nullptr;
    device = verdict.device;
  }
  const std::uint64_t hash = dispatch::key_hash(options_.layout, arguments, device);
  return choices_.find(hash, [&](const std::vector<std::uint64_t> &words) {
    return dispatch::key_equals(words, options_.layout, arguments, device);
  });
}

const Tuner::Resolved &Tuner::resolve() {
  if (const Resolved *resolved = resolved_.load(std::memory_order_acquire)) return *resolved;
  check_process();
  const std::lock_guard lock(resolve_mutex_);
  if (resolved_owner_) return *resolved_owner_;
  auto resolved = std::make_unique<Resolved>(Resolved{class_table(surroundings_.registry), {}});
  if (!options_.device_name.empty())
    resolved->forced = named_device(surroundings_.registry, options_.device_name);
  resolved_owner_ = std::move(resolved);
  resolved_.store(resolved_owner_.get(), std::memory_order_release);
  return *resolved_owner_;
}

bench_device_v1 Tuner::device_of(const Resolved &resolved,
                                 const bench_argument_v1 *const *arguments,
                                 std::uint32_t count) const {
  const char *const *names = options_.layout.name_pointers.data();
  if (!resolved.forced) return dispatch::elect(resolved.classes, arguments, count, names);
  const std::uint32_t malformed = dispatch::find_malformed(arguments, count);
  if (malformed < count)
    dispatch::throw_verdict(resolved.classes, {dispatch::Outcome::malformed, {}, malformed},
                            arguments, count, names);
  return *resolved.forced;
}

void Tuner::check_process() const {
  if (fork_count() == forks_at_creation_) return;
  throw Failure(BENCH_ERROR_UNSUPPORTED,
                "this process was forked after the tuner was made: drivers do not survive that, so "
                "only keys that are tuned already can be looked up",
                where, "tune before forking, or make the context and the tuner in the child");
}

bench_device_v1 Tuner::device_for(const bench_argument_v1 *const *arguments, std::uint32_t count,
                                  const bench_call_v1 *call) {
  if (count != options_.layout.is_key.size() || (count && !arguments))
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  std::to_string(arguments ? count : 0) + " arguments were given, but '" +
                      options_.name + "' was declared with " +
                      std::to_string(options_.layout.is_key.size()),
                  where,
                  "pass all arguments in declaration order; absent ones as "
                  "BENCH_ARGUMENT_NONE");
  const bool needs_call = options_.mode != BENCH_TUNER_MODE_CACHED_ONLY;
  if (!call && needs_call && !resolved_.load(std::memory_order_acquire))
    // Not worth a search for plugins: no key of this tuner can be known.
    throw Failure(BENCH_ERROR_NOT_TUNED, "no key of '" + options_.name + "' is tuned yet", where,
                  not_tuned_hint);
  const Resolved &resolved = resolve();
  const bench_device_v1 device = device_of(resolved, arguments, count);
  if (!call && needs_call)
    throw Failure(BENCH_ERROR_NOT_TUNED,
                  "nothing is tuned yet for " + dispatch::key_text(options_.layout, arguments) +
                      " on " + resolved.classes.tag(device),
                  where, not_tuned_hint);
  check_process();
  return device;
}

const Choice *Tuner::publish(Choice made, std::vector<std::uint64_t> key,
                             const bench_argument_v1 *const *arguments, bench_device_v1 device) {
  auto choice = std::make_unique<Choice>(std::move(made));
  choice->hash = dispatch::key_hash(options_.layout, arguments, device);
  choice->key = std::move(key);
  return choices_.publish(std::move(choice));
}

bool Tuner::is_recorded(const bench_call_v1 &call, bench_device_v1 device) const {
  if (!call.stream || call.stream->kind == BENCH_STREAM_NONE) return false;
  const DeviceUse use(surroundings_.registry, device);
  const measure::Extensions extensions(*use.target().api, use.target().instance);
  if (!extensions.capture) return false;
  std::uint32_t state = BENCH_CAPTURE_NONE;
  bench_error_v1 error = error_struct();
  const bench_status status = extensions.capture->query(use.target().instance, use.target().device,
                                                        call.stream, &state, &error);
  if (status != BENCH_OK) throw Failure(status, error, "capture query");
  if (state == BENCH_CAPTURE_NONE) return false;
  if (options_.has(BENCH_TUNER_CAPTURE_IS_ERROR))
    throw Failure(BENCH_ERROR_BUSY,
                  "the key is cold, and the stream is being captured into a graph", where,
                  "call once with these arguments before the capture begins");
  surroundings_.log.warning("'" + options_.name +
                            "': a cold key inside a capture takes the default configuration; call "
                            "once with these arguments before the capture");
  return true;
}

std::uint64_t Tuner::lookup(const bench_argument_v1 *const *arguments, std::uint32_t count,
                            const bench_call_v1 *given) {
  if (const Choice *choice = find(arguments, count)) return choice->index;
  const bench_device_v1 device = device_for(arguments, count, given);
  // What an older caller does not know is zero.
  bench_callable_v1 nothing{};
  bench_call_v1 call{};
  call.callable = &nothing;
  if (given) {
    check_call(*given);
    std::memcpy(&call, given, std::min<std::size_t>(given->struct_size, sizeof call));
  }
  auto key = dispatch::key_words(options_.layout, arguments, device);
  const TuneRequest request{surroundings_,
                            options_,
                            device,
                            resolve().classes.tag(device),
                            dispatch::key_text(options_.layout, arguments),
                            dispatch::dtypes_text(options_.layout, arguments),
                            call,
                            arguments,
                            options_.default_config};
  const bool measures = given && options_.mode != BENCH_TUNER_MODE_CACHED_ONLY;
  if (measures && TimingLock::is_held() && !flights_.is_pilot(key)) {
    // A tune inside somebody's timed window would wait for what that window holds back.
    surroundings_.log.warning("'" + options_.name +
                              "': a cold key inside a measurement takes the default configuration; "
                              "call once with these arguments before");
    return steps_->best(key, options_.default_config);
  }
  if (measures && is_recorded(call, device)) return steps_->best(key, options_.default_config);
  // A waiter that must not wait, and one that is interrupted, leave a flight.
  bool interrupted = false;
  const bool waits = !options_.has(BENCH_TUNER_NO_WAIT) && options_.mode == BENCH_TUNER_MODE_FULL;
  const std::function<bool()> asks = [&] {
    interrupted = waits && call.callbacks->should_stop(call.callbacks->user);
    return !waits || interrupted;
  };
  const bool can_ask = !waits || (call.callbacks && call.callbacks->should_stop);
  std::optional<std::uint64_t> best_so_far;
  const Choice *choice = flights_.fly(
      key, [&] { return find(arguments, count); },
      [&]() -> const Choice * {
        if (options_.mode == BENCH_TUNER_MODE_CACHED_ONLY)
          return publish(recall_key(request), key, arguments, device);
        if (options_.mode == BENCH_TUNER_MODE_FULL)
          return publish(tune_key(request), key, arguments, device);
        TunerSteps::Step step = steps_->take(key, request);
        best_so_far = step.index;
        return step.choice ? publish(*std::move(step.choice), key, arguments, device) : nullptr;
      },
      can_ask ? asks : std::function<bool()>());
  if (choice) return choice->index;
  if (best_so_far) return *best_so_far;
  if (interrupted)
    throw Failure(BENCH_ERROR_CANCELLED, "stopped while another thread tuned the same key", where,
                  "call again: the other thread's choice will be there");
  return steps_->best(key, options_.default_config);
}

const std::string &Tuner::report(const bench_argument_v1 *const *arguments, std::uint32_t count) {
  if (const Choice *choice = find(arguments, count)) return choice->report;
  const bench_device_v1 device = device_for(arguments, count, nullptr);  // mostly throws
  throw Failure(BENCH_ERROR_NOT_TUNED,
                "nothing is decided yet for " + dispatch::key_text(options_.layout, arguments) +
                    " on " + resolve().classes.tag(device),
                where, not_tuned_hint);
}

void Tuner::choose(const bench_argument_v1 *const *arguments, std::uint32_t count,
                   std::uint64_t index) {
  constexpr const char *here = "bench_tuner_choose";
  if (index >= options_.configs.size())
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "configuration " + std::to_string(index) + " was chosen, but there are " +
                      std::to_string(options_.configs.size()),
                  here, "give a position in configs");
  static constexpr bench_call_v1 no_call{};
  const Choice *choice = find(arguments, count);
  if (!choice) {
    const bench_device_v1 device = device_for(arguments, count, &no_call);
    auto key = dispatch::key_words(options_.layout, arguments, device);
    choice = flights_.fly(
        key, [&] { return find(arguments, count); },
        [&] {
          Choice made;
          made.index = index;
          made.report = report_text({{"tuner", options_.name},
                                     {"from_store", false},
                                     {"winner", {{"index", index}}},
                                     {"stop_reason", "chosen by the caller"},
                                     {"notes", nlohmann::json::array()},
                                     {"warnings", nlohmann::json::array()}});
          return publish(std::move(made), key, arguments, device);
        });
  }
  // Null: somebody's incremental step was waited for, and left the key cold.
  if (!choice || choice->index != index)
    throw Failure(BENCH_ERROR_BUSY,
                  choice ? "the key has configuration " + std::to_string(choice->index) +
                               " already, not " + std::to_string(index)
                         : std::string("another thread is tuning this key"),
                  here, "choose before the key is tuned, and one configuration only");
}

void Tuner::run(const bench_argument_v1 *const *arguments, std::uint32_t count,
                const bench_call_v1 *call) {
  if (!call)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "run was called without a call", "bench_tuner_run",
                  "pass the callable in a bench_call_v1");
  check_call(*call);
  const std::uint64_t index = lookup(arguments, count, call);
  const bench_stream_v1 none{sizeof none, BENCH_STREAM_NONE, 0, 0, nullptr, nullptr, nullptr};
  bench_error_v1 error = error_struct();
  const bench_status status =
      call->callable->launch(call->callable->user, &options_.configs[index]->raw(),
                             call->stream ? call->stream : &none, &error);
  if (status != BENCH_OK) throw Failure(status, error, "launch");
}

}  // namespace bench::tune
