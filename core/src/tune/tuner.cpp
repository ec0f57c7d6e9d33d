// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner.hpp"

#include <cstddef>

#include "base/error.hpp"
#include "dispatch/key.hpp"
#include "dispatch/votes.hpp"
#include "tune/fork_count.hpp"
#include "tune/tuner_device.hpp"
#include "tune/tuner_tune.hpp"

namespace bench::tune {

namespace {

constexpr const char *where = "bench_tuner_lookup";
constexpr const char *not_tuned_hint =
    "pass a call, so that the key can be tuned; until then use the default";
constexpr std::uint32_t first_call_size = offsetof(bench_call_v1, stream) + sizeof(void *);
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
  const bool stream = call.stream && call.stream->kind != BENCH_STREAM_NONE;
  if ((call.callable->flags & BENCH_CALLABLE_OWN_STREAM) && !stream)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "the callable launches on a stream of its own (OWN_STREAM), which the call does "
                  "not name",
                  where, "give that stream in bench_call_v1.stream");
}

}  // namespace

Tuner::Tuner(const Surroundings &surroundings, const bench_tuner_options_v1 &options)
    : surroundings_(surroundings), options_(options), forks_at_creation_(fork_count()) {}

Tuner::~Tuner() = default;

const Choice *Tuner::find(const bench_argument_v1 *const *arguments,
                          std::uint32_t count) const noexcept {
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

const Choice &Tuner::lookup(const bench_argument_v1 *const *arguments, std::uint32_t count,
                            const bench_call_v1 *call) {
  if (const Choice *choice = find(arguments, count)) return *choice;
  if (count != options_.layout.is_key.size() || (count && !arguments))
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  std::to_string(arguments ? count : 0) + " arguments were given, but '" +
                      options_.name + "' was declared with " +
                      std::to_string(options_.layout.is_key.size()),
                  where,
                  "pass all arguments in declaration order; absent ones as "
                  "BENCH_ARGUMENT_NONE");
  if (!call && !resolved_.load(std::memory_order_acquire))
    // Not worth a search for plugins: no key of this tuner can be known.
    throw Failure(BENCH_ERROR_NOT_TUNED, "no key of '" + options_.name + "' is tuned yet", where,
                  not_tuned_hint);
  const Resolved &resolved = resolve();
  const bench_device_v1 device = device_of(resolved, arguments, count);
  if (!call)
    throw Failure(BENCH_ERROR_NOT_TUNED,
                  "nothing is tuned yet for " + dispatch::key_text(options_.layout, arguments) +
                      " on " + resolved.classes.tag(device),
                  where, not_tuned_hint);
  check_process();
  check_call(*call);
  auto key = dispatch::key_words(options_.layout, arguments, device);
  const auto again = [&] { return find(arguments, count); };
  return *flights_.fly(key, again, [&] {
    const TuneRequest request{surroundings_,
                              options_,
                              device,
                              resolved.classes.tag(device),
                              dispatch::key_text(options_.layout, arguments),
                              dispatch::dtypes_text(options_.layout, arguments),
                              *call};
    auto choice = std::make_unique<Choice>(tune_key(request));
    choice->hash = dispatch::key_hash(options_.layout, arguments, device);
    choice->key = key;
    return choices_.publish(std::move(choice));
  });
}

void Tuner::run(const bench_argument_v1 *const *arguments, std::uint32_t count,
                const bench_call_v1 *call) {
  if (!call)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "run was called without a call", "bench_tuner_run",
                  "pass the callable in a bench_call_v1");
  check_call(*call);
  const Choice &choice = lookup(arguments, count, call);
  const bench_stream_v1 none{sizeof none, BENCH_STREAM_NONE, 0, 0, nullptr, nullptr, nullptr};
  bench_error_v1 error = error_struct();
  const bench_status status =
      call->callable->launch(call->callable->user, &options_.configs[choice.index]->raw(),
                             call->stream ? call->stream : &none, &error);
  if (status != BENCH_OK) throw Failure(status, error, "launch");
}

}  // namespace bench::tune
