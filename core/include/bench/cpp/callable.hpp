// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: configurations, and C++ callables as the C API wants them.
#ifndef BENCH_CPP_CALLABLE_HPP
#define BENCH_CPP_CALLABLE_HPP

#include <bench/cpp/result.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

/// A parameter's value.
struct Value {
  bench_value_v1 raw{};
  std::string text;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Value(T value) {
    raw.struct_size = sizeof raw;
    raw.type = std::is_same_v<T, bool>       ? BENCH_VALUE_BOOLEAN
               : std::is_floating_point_v<T> ? BENCH_VALUE_REAL
                                             : BENCH_VALUE_INTEGER;
    if (std::is_floating_point_v<T>)
      raw.real = double(value);
    else
      raw.integer = std::int64_t(value);
  }
  Value(const char *value) : text(value) {
    raw.struct_size = sizeof raw;
    raw.type = BENCH_VALUE_TEXT;
  }
};
using Config = std::vector<std::pair<std::string, Value>>;

/// What a callback gets: the configuration to launch.
class ConfigView {
 public:
  explicit ConfigView(const bench_config_v1 *raw) : raw_(raw) {}
  std::uint64_t index() const { return raw_ ? raw_->index : 0; }
  /// `otherwise` where there is no such parameter.
  std::int64_t integer(const char *name, std::int64_t otherwise = 0) const {
    const bench_value_v1 *value = find(name);
    return value ? value->integer : otherwise;
  }
  double real(const char *name, double otherwise = 0) const {
    const bench_value_v1 *value = find(name);
    return value ? value->real : otherwise;
  }
  const char *text(const char *name, const char *otherwise = "") const {
    const bench_value_v1 *value = find(name);
    return value && value->text ? value->text : otherwise;
  }
  const bench_config_v1 *raw() const { return raw_; }

 private:
  const bench_value_v1 *find(const char *name) const {
    for (std::uint32_t at = 0; raw_ && at < raw_->count; ++at)
      if (std::strcmp(raw_->names[at], name) == 0) return raw_->values[at];
    return nullptr;
  }
  const bench_config_v1 *raw_;
};

using Callback = std::function<void(const ConfigView &, const bench_stream_v1 *)>;

/// How to call besides the launch itself; all optional.
struct CallOptions {
  std::uint32_t flags = 0;  ///< BENCH_CALLABLE_*
  const bench_stream_v1 *stream = nullptr;
  Callback prepare = {}, restore = {}, wait = {};
  /// Asked in a tune only. `keep` has one element for each configuration, all true.
  std::function<void(std::vector<bool> &keep)> prune = {};
  /// A model's cost, in any unit; with TunerOptions::top_count or top_fraction.
  std::function<double(const ConfigView &)> estimate = {};
  /// Around every launch of a tune, outside the timed window.
  Callback pre_hook = {}, post_hook = {};
  std::function<bool()> should_stop = {};
};

namespace detail {

/// The C callable over a C++ one. No exception crosses: it is kept, and comes out of value().
template <typename Launch>
struct Bridge {
  Launch &launch;
  const CallOptions &options;
  bench_callable_v1 callable{};
  bench_tune_callbacks_v1 callbacks{};
#if defined(__cpp_exceptions)
  std::exception_ptr thrown;
#endif

  Bridge(Launch &launch_, const CallOptions &options_) : launch(launch_), options(options_) {
    callable.struct_size = sizeof callable;
    callable.flags = options.flags;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
                         bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guard(error, [&] { return self.invoke(self.launch, config, stream); });
    };
    if (options.prepare) callable.prepare = forward<&CallOptions::prepare>();
    if (options.restore) callable.restore = forward<&CallOptions::restore>();
    if (options.wait) callable.wait = forward<&CallOptions::wait>();
    callbacks.struct_size = sizeof callbacks;
    callbacks.user = this;
    if (options.pre_hook) callbacks.pre_hook = forward<&CallOptions::pre_hook>();
    if (options.post_hook) callbacks.post_hook = forward<&CallOptions::post_hook>();
    if (options.prune) callbacks.prune = prune;
    if (options.estimate) callbacks.estimate = estimate;
    if (options.should_stop)
      callbacks.should_stop = [](void *user) -> std::int32_t {
        return static_cast<Bridge *>(user)->options.should_stop() ? 1 : 0;
      };
  }
  bench_call_v1 call() const {
    return {sizeof(bench_call_v1), 0, &callable, options.stream, &callbacks};
  }

  ErrorInfo info(const ErrorSlot &slot, bench_status status) const {
    ErrorInfo result = slot.info(status);
#if defined(__cpp_exceptions)
    if (status == BENCH_ERROR_CALLABLE_FAILED) result.cause = thrown;
#endif
    return result;
  }

 private:
  static bench_status prune(void *user, std::uint8_t *keep, std::uint64_t count,
                            bench_error_v1 *error) {
    auto &self = *static_cast<Bridge *>(user);
    return self.guard(error, [&] {
      std::vector<bool> kept(count, true);
      self.options.prune(kept);
      for (std::size_t at = 0; at < count && at < kept.size(); ++at) keep[at] = kept[at] ? 1 : 0;
      return BENCH_OK;
    });
  }
  static bench_status estimate(void *user, const bench_config_v1 *config, double *cost,
                               bench_error_v1 *error) {
    auto &self = *static_cast<Bridge *>(user);
    return self.guard(error, [&] {
      *cost = self.options.estimate(ConfigView(config));
      return BENCH_OK;
    });
  }
  template <Callback CallOptions::*Member>
  static bench_callback_v1 forward() {
    return [](void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
              bench_error_v1 *error) {
      auto &self = *static_cast<Bridge *>(user);
      return self.guard(error, [&] { return self.invoke(self.options.*Member, config, stream); });
    };
  }
  /// A callable may take the configuration and the stream, or the configuration, or nothing; it may
  /// return a status, or nothing for success.
  template <typename Function>
  static bench_status invoke(Function &function, const bench_config_v1 *config,
                             const bench_stream_v1 *stream) {
    const ConfigView view(config);
    if constexpr (std::is_invocable_v<Function &, const ConfigView &, const bench_stream_v1 *>)
      return status_of([&] { return function(view, stream); });
    else if constexpr (std::is_invocable_v<Function &, const ConfigView &>)
      return status_of([&] { return function(view); });
    else
      return status_of([&] { return function(); });
  }
  template <typename Body>
  static bench_status status_of(Body &&body) {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return BENCH_OK;
    } else {
      return bench_status(body());
    }
  }
  template <typename Body>
  bench_status guard(bench_error_v1 *error, Body &&body) {
#if defined(__cpp_exceptions)
    try {
      return body();
    } catch (const std::exception &exception) {
      thrown = std::current_exception();
      if (error && BENCH_HAS(error, what)) {
        std::strncpy(error->what, exception.what(), sizeof error->what - 1);
        error->what[sizeof error->what - 1] = '\0';
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    return BENCH_ERROR_CALLABLE_FAILED;
#else
    (void)error;
    return body();
#endif
  }
};

inline bench_status append(void *user, const void *bytes, std::uint64_t size) {
  static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
  return BENCH_OK;
}

inline bench_writer_v1 writer(std::string &text) {
  return {sizeof(bench_writer_v1), 0, &text, append};
}

}  // namespace detail

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
