// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: the autotuner, a kernel's function together with its tuner. What Triton's has
// as decorator arguments are members here: CallOptions hold hooks, pruning and the model,
// `heuristics` add values that are computed from the arguments of each call.
#ifndef BENCH_CPP_AUTOTUNER_HPP
#define BENCH_CPP_AUTOTUNER_HPP

#include <bench/cpp/tuner.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

struct AutotunerOptions : TunerOptions {
  CallOptions call = {};
  /// Name and function; evaluated in order at every launch, each sees the ones before it.
  std::vector<std::pair<std::string, std::function<Value(const Arguments &, const ConfigView &)>>>
      heuristics = {};
  AutotunerOptions() = default;
  AutotunerOptions(TunerOptions options) : TunerOptions(std::move(options)) {}
};

/// `Kernel` is called as kernel(arguments, config, stream), may return a bench_status, and is
/// called from whichever thread calls the autotuner.
template <typename Kernel>
class Autotuner {
 public:
  /// The context must outlive it.
  static Result<std::unique_ptr<Autotuner>> create(const Context &context, AutotunerOptions options,
                                                   Kernel kernel) {
    auto tuner = Tuner::create(context, options);
    if (!tuner) return tuner.error();
    return std::unique_ptr<Autotuner>(
        new Autotuner(std::move(tuner).value(), std::move(options), std::move(kernel)));
  }

  /// Tunes a cold key, then launches the choice.
  Status operator()(const Arguments &arguments, const bench_stream_v1 *stream = nullptr) {
    return run(arguments, stream ? stream : options_.call.stream);
  }
  const Tuner &tuner() const { return tuner_; }

 private:
  Autotuner(Tuner tuner, AutotunerOptions options, Kernel kernel)
      : tuner_(std::move(tuner)), options_(std::move(options)), kernel_(std::move(kernel)) {}

  Status run(const Arguments &arguments, const bench_stream_v1 *stream) {
    const auto launch = [&](const ConfigView &config,
                            const bench_stream_v1 *where) -> bench_status {
      if (options_.heuristics.empty()) return invoke(arguments, config, where);
      return with_heuristics(arguments, config, where);
    };
    if (stream == options_.call.stream) return tuner_.run(arguments, launch, options_.call);
    CallOptions call = options_.call;
    call.stream = stream;
    return tuner_.run(arguments, launch, call);
  }

  bench_status invoke(const Arguments &arguments, const ConfigView &config,
                      const bench_stream_v1 *stream) {
    if constexpr (std::is_void_v<decltype(kernel_(arguments, config, stream))>) {
      kernel_(arguments, config, stream);
      return BENCH_OK;
    } else {
      return bench_status(kernel_(arguments, config, stream));
    }
  }

  /// The configuration with the computed values after its own.
  bench_status with_heuristics(const Arguments &arguments, const ConfigView &config,
                               const bench_stream_v1 *stream) {
    std::vector<const char *> names;
    std::vector<const bench_value_v1 *> values;
    for (std::uint32_t at = 0; config.raw() && at < config.raw()->count; ++at) {
      names.push_back(config.raw()->names[at]);
      values.push_back(config.raw()->values[at]);
    }
    std::vector<Value> computed;
    computed.reserve(options_.heuristics.size());  // `values` point into it
    bench_config_v1 all = config.raw() ? *config.raw() : bench_config_v1{};
    all.struct_size = sizeof all;
    for (const auto &[name, function] : options_.heuristics) {
      computed.push_back(function(arguments, ConfigView(config.raw() ? &all : nullptr)));
      Value &value = computed.back();
      if (value.raw.type == BENCH_VALUE_TEXT) value.raw.text = value.text.c_str();
      names.push_back(name.c_str());
      values.push_back(&value.raw);
      all.names = names.data();
      all.values = values.data();
      all.count = std::uint32_t(names.size());
    }
    return invoke(arguments, ConfigView(&all), stream);
  }

  Tuner tuner_;
  const AutotunerOptions options_;
  Kernel kernel_;
};

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
