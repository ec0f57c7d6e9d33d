// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: the tuner and the arguments that it looks up.
#ifndef BENCH_CPP_TUNER_HPP
#define BENCH_CPP_TUNER_HPP

#include <bench/cpp/argument.hpp>
#include <bench/cpp/context.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

struct TunerOptions {
  std::string name = {};  ///< of the kernel in the store, with its version
  std::vector<Config> configs = {};
  std::vector<std::string> argument_names = {};  ///< in declaration order
  std::vector<std::string> key_names = {};       ///< whose values (tensors: shapes) choose
  std::uint32_t default_config = 0;
  std::uint32_t flags = 0;       ///< BENCH_TUNER_*
  std::string device_name = {};  ///< forces the device; empty: the arguments decide
  const bench_policy_v1 *policy = nullptr;
  double eps = 0, delta = 0, switch_margin = 0;
  std::int64_t max_time_ns = 0;
  std::uint32_t mode = BENCH_TUNER_MODE_FULL;
  std::uint32_t pinned_config = 0;              ///< MODE_PINNED
  std::vector<std::uint32_t> key_buckets = {};  ///< one BENCH_BUCKET_* per key name, or none
  std::vector<std::string> restore_names = {};  ///< put back before each window and after a tune
  std::vector<std::string> zero_names = {};     ///< zeroed then
  std::uint32_t top_count = 0;                  ///< of CallOptions::estimate
  double top_fraction = 0;
  std::uint64_t saved_bytes_limit = 0;  ///< device memory for copies; beyond it the host's
  double tolerance = 0;                 ///< BENCH_TUNER_CHECK_OUTPUTS
};

class Arguments;

class Tuner {
 public:
  Tuner() = default;
  /// The context must outlive the tuner.
  static Result<Tuner> create(const Context &context, const TunerOptions &options) {
    std::vector<std::vector<const char *>> names(options.configs.size());
    std::vector<std::vector<bench_value_v1>> values(options.configs.size());
    std::vector<std::vector<const bench_value_v1 *>> value_pointers(options.configs.size());
    std::vector<bench_config_v1> configs(options.configs.size());
    std::vector<const bench_config_v1 *> config_pointers;
    for (std::size_t at = 0; at < configs.size(); ++at) {
      for (const auto &[name, value] : options.configs[at]) {
        names[at].push_back(name.c_str());
        values[at].push_back(value.raw);
        values[at].back().text = value.raw.type == BENCH_VALUE_TEXT ? value.text.c_str() : nullptr;
      }
      for (const bench_value_v1 &value : values[at]) value_pointers[at].push_back(&value);
      configs[at] = {};
      configs[at].struct_size = sizeof configs[at];
      configs[at].count = std::uint32_t(names[at].size());
      configs[at].index = at;
      configs[at].names = names[at].data();
      configs[at].values = value_pointers[at].data();
      config_pointers.push_back(&configs[at]);
    }
    std::vector<const char *> arguments, keys, restored, zeroed;
    for (const std::string &name : options.restore_names) restored.push_back(name.c_str());
    for (const std::string &name : options.zero_names) zeroed.push_back(name.c_str());
    for (const std::string &name : options.argument_names) arguments.push_back(name.c_str());
    for (const std::string &name : options.key_names) keys.push_back(name.c_str());
    bench_tuner_options_v1 raw{};
    raw.struct_size = sizeof raw;
    raw.name = options.name.c_str();
    raw.configs = config_pointers.data();
    raw.config_count = std::uint32_t(config_pointers.size());
    raw.argument_names = arguments.data();
    raw.argument_count = std::uint32_t(arguments.size());
    raw.key_names = keys.data();
    raw.key_count = std::uint32_t(keys.size());
    raw.default_config = options.default_config;
    raw.flags = options.flags;
    raw.policy = options.policy;
    raw.device_name = options.device_name.empty() ? nullptr : options.device_name.c_str();
    raw.eps = options.eps;
    raw.delta = options.delta;
    raw.switch_margin = options.switch_margin;
    raw.max_time_ns = options.max_time_ns;
    raw.mode = options.mode;
    raw.pinned_config = options.pinned_config;
    if (!options.key_buckets.empty()) {
      if (options.key_buckets.size() != options.key_names.size()) {
        ErrorInfo info;
        info.status = BENCH_ERROR_INVALID_ARGUMENT;
        info.what = "key_buckets has " + std::to_string(options.key_buckets.size()) +
                    " elements, key_names " + std::to_string(options.key_names.size());
        info.where = "Tuner::create";
        info.hint = "give one bucket for each key name, or none";
        return info;
      }
      raw.key_buckets = options.key_buckets.data();
    }
    raw.restore_names = restored.data();
    raw.restore_count = std::uint32_t(restored.size());
    raw.zero_names = zeroed.data();
    raw.zero_count = std::uint32_t(zeroed.size());
    raw.top_count = options.top_count;
    raw.top_fraction = options.top_fraction;
    raw.saved_bytes_limit = options.saved_bytes_limit;
    raw.tolerance = options.tolerance;
    detail::ErrorSlot slot;
    bench_tuner *made = nullptr;
    const bench_status status = bench_tuner_create(context.raw(), &raw, &made, &slot.raw);
    if (status != BENCH_OK) return slot.info(status);
    Tuner tuner;
    tuner.raw_.reset(made);
    tuner.argument_names_.reset(new std::vector<std::string>(options.argument_names));
    return tuner;
  }

  bench_tuner *raw() const { return raw_.get(); }
  const std::vector<std::string> &argument_names() const { return *argument_names_; }

  /// The choice for a tuned key; BENCH_ERROR_NOT_TUNED for a cold one.
  Result<std::uint64_t> lookup(const Arguments &arguments) const;
  /// Tunes a cold key with `launch`.
  template <typename Launch>
  Result<std::uint64_t> lookup(const Arguments &arguments, Launch &&launch,
                               const CallOptions &options = {}) const;
  /// lookup, then one launch of the choice.
  template <typename Launch>
  Status run(const Arguments &arguments, Launch &&launch, const CallOptions &options = {}) const;
  /// Settles a cold key without measuring.
  Status choose(const Arguments &arguments, std::uint64_t index) const;
  /// What was decided for the key of these arguments, and why.
  Result<std::string> report_json(const Arguments &arguments) const;

 private:
  struct Destroy {
    void operator()(bench_tuner *tuner) const { bench_tuner_destroy(tuner); }
  };
  std::unique_ptr<bench_tuner, Destroy> raw_;
  std::unique_ptr<const std::vector<std::string>> argument_names_;  // stays where it is in a move
};

/// The arguments of one call, by name in any order. What is not set is absent. Up to `kept` of them
/// need no allocation. May be kept and set anew for later calls; the tuner must outlive it.
class Arguments {
 public:
  static constexpr std::size_t kept = 12;
  explicit Arguments(const Tuner &tuner) : names_(tuner.argument_names()) {
    if (names_.size() > kept) {
      more_.reset(new Argument[names_.size()]);
      more_pointers_.reset(new const bench_argument_v1 *[names_.size()]);
      arguments_ = more_.get();
      pointers_ = more_pointers_.get();
    }
    for (std::size_t at = 0; at < names_.size(); ++at) {
      arguments_[at] = Argument(nullptr);
      pointers_[at] = arguments_[at].raw();
    }
  }
  Arguments(const Arguments &) = delete;  // pointers into itself
  Arguments &operator=(const Arguments &) = delete;

  /// An unknown name is remembered, and the next call with these arguments fails with it.
  Arguments &set(const char *name, const Argument &argument) {
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (names_[at] != name) continue;
      arguments_[at] = argument;
      return *this;
    }
    unknown_ = name;
    return *this;
  }
  const bench_argument_v1 *const *data() const { return pointers_; }
  std::uint32_t size() const { return std::uint32_t(names_.size()); }
  const char *unknown() const { return unknown_; }
  ErrorInfo unknown_error() const {
    ErrorInfo info;
    info.status = BENCH_ERROR_INVALID_ARGUMENT;
    info.what = std::string("the tuner has no argument '") + unknown_ + "'; it has:";
    for (const std::string &name : names_) info.what += " " + name;
    info.where = "Arguments::set";
    info.hint = "correct the name, or add it to argument_names";
    return info;
  }

 private:
  const std::vector<std::string> &names_;
  Argument kept_arguments_[kept];
  const bench_argument_v1 *kept_pointers_[kept];
  Argument *arguments_ = kept_arguments_;
  const bench_argument_v1 **pointers_ = kept_pointers_;
  std::unique_ptr<Argument[]> more_;
  std::unique_ptr<const bench_argument_v1 *[]> more_pointers_;
  const char *unknown_ = nullptr;
};

inline Result<std::uint64_t> Tuner::lookup(const Arguments &arguments) const {
  if (arguments.unknown()) return arguments.unknown_error();
  std::uint64_t index = 0;
  // A hit writes no error: clearing the struct alone would cost as much as the whole hit.
  if (bench_tuner_lookup(raw(), arguments.data(), arguments.size(), nullptr, &index, nullptr) ==
      BENCH_OK)
    return index;
  detail::ErrorSlot slot;
  const bench_status status =
      bench_tuner_lookup(raw(), arguments.data(), arguments.size(), nullptr, &index, &slot.raw);
  if (status != BENCH_OK) return slot.info(status);
  return index;
}

template <typename Launch>
Result<std::uint64_t> Tuner::lookup(const Arguments &arguments, Launch &&launch,
                                    const CallOptions &options) const {
  if (arguments.unknown()) return arguments.unknown_error();
  std::uint64_t index = 0;
  if (bench_tuner_lookup(raw(), arguments.data(), arguments.size(), nullptr, &index, nullptr) ==
      BENCH_OK)
    return index;
  detail::Bridge<std::remove_reference_t<Launch>> bridge(launch, options);
  const bench_call_v1 call = bridge.call();
  detail::ErrorSlot slot;
  const bench_status status =
      bench_tuner_lookup(raw(), arguments.data(), arguments.size(), &call, &index, &slot.raw);
  if (status != BENCH_OK) return bridge.info(slot, status);
  return index;
}

template <typename Launch>
Status Tuner::run(const Arguments &arguments, Launch &&launch, const CallOptions &options) const {
  if (arguments.unknown()) return arguments.unknown_error();
  detail::Bridge<std::remove_reference_t<Launch>> bridge(launch, options);
  const bench_call_v1 call = bridge.call();
  detail::ErrorSlot slot;
  const bench_status status =
      bench_tuner_run(raw(), arguments.data(), arguments.size(), &call, &slot.raw);
  if (status != BENCH_OK) return bridge.info(slot, status);
  return detail::Nothing{};
}

inline Status Tuner::choose(const Arguments &arguments, std::uint64_t index) const {
  if (arguments.unknown()) return arguments.unknown_error();
  detail::ErrorSlot slot;
  const bench_status status =
      bench_tuner_choose(raw(), arguments.data(), arguments.size(), index, &slot.raw);
  if (status != BENCH_OK) return slot.info(status);
  return detail::Nothing{};
}

inline Result<std::string> Tuner::report_json(const Arguments &arguments) const {
  if (arguments.unknown()) return arguments.unknown_error();
  std::string text;
  const bench_writer_v1 writer = detail::writer(text);
  detail::ErrorSlot slot;
  const bench_status status =
      bench_tuner_report_json(raw(), arguments.data(), arguments.size(), &writer, &slot.raw);
  if (status != BENCH_OK) return slot.info(status);
  return text;
}

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
