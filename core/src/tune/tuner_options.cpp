// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "dispatch/describe.hpp"

namespace bench::tune {

namespace {

constexpr const char *where = "bench_tuner_create";

// Defaults and sizes of version 1.0, as bench.h states them.
constexpr double default_eps = 0.01, default_delta = 0.05, default_switch_margin = 0.01;
constexpr std::uint32_t first_options_size =
    offsetof(bench_tuner_options_v1, max_time_ns) + sizeof(std::int64_t);
constexpr std::uint32_t first_config_size = offsetof(bench_config_v1, values) + sizeof(void *);
constexpr std::uint32_t first_value_size = offsetof(bench_value_v1, text) + sizeof(void *);

[[noreturn]] void refuse(const std::string &what, const std::string &hint) {
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, where, hint);
}

std::string value_text(const bench_value_v1 &value) {
  // The argument's text has the same rules: exact, locale-proof, escaped.
  bench_argument_v1 argument{};
  argument.integer = value.integer;
  argument.real = value.real;
  argument.text = value.text;
  switch (value.type) {
    case BENCH_VALUE_INTEGER:
      argument.kind = BENCH_ARGUMENT_INTEGER;
      break;
    case BENCH_VALUE_REAL:
      argument.kind = BENCH_ARGUMENT_REAL;
      break;
    case BENCH_VALUE_BOOLEAN:
      argument.kind = BENCH_ARGUMENT_BOOLEAN;
      break;
    case BENCH_VALUE_TEXT:
      argument.kind = BENCH_ARGUMENT_TEXT;
      break;
    default:
      argument.kind = BENCH_ARGUMENT_NONE;
      break;
  }
  return dispatch::value_text(argument);
}

/// Marks the arguments that `names` lists.
std::vector<std::uint8_t> marks(const dispatch::KeyLayout &layout, const char *const *names,
                                std::uint32_t count, const char *list) {
  if (count && !names)
    refuse(std::string(list) + " is NULL while its count is not 0",
           "pass as many names as the count says");
  std::vector<std::uint8_t> result(layout.argument_names.size(), 0);
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::string name = names[at] ? names[at] : "";
    const auto found = std::find(layout.argument_names.begin(), layout.argument_names.end(), name);
    if (found == layout.argument_names.end())
      refuse(std::string(list) + " holds '" + name + "', which is no argument",
             "correct the name, or add it to argument_names");
    result[std::size_t(found - layout.argument_names.begin())] = 1;
  }
  return result;
}

double fraction(double value, double otherwise, const char *name) {
  if (value == 0) return otherwise;
  if (!(value > 0 && value < 1))
    refuse(std::string(name) + " is " + std::to_string(value) + ", not between 0 and 1",
           "give a fraction such as 0.01, or 0 for the default");
  return value;
}

}  // namespace

OwnedConfig::OwnedConfig(const bench_config_v1 &source, std::uint64_t index) {
  const std::string which = "configuration " + std::to_string(index);
  if (source.struct_size < first_config_size)
    refuse(which + " has struct_size " + std::to_string(source.struct_size) + ", below the " +
               std::to_string(first_config_size) + " of version 1.0",
           "set struct_size to sizeof(bench_config_v1)");
  if (source.count && (!source.names || !source.values))
    refuse(which + " has " + std::to_string(source.count) + " values but no names or values array",
           "fill names and values, or set count to 0");
  values_.reserve(source.count);
  names_.reserve(source.count);
  texts_.reserve(source.count);  // pointers into it are taken below
  for (std::uint32_t at = 0; at < source.count; ++at) {
    if (!source.names[at] || !source.values[at] ||
        source.values[at]->struct_size < first_value_size ||
        source.values[at]->type > BENCH_VALUE_TEXT ||
        (source.values[at]->type == BENCH_VALUE_TEXT && !source.values[at]->text))
      refuse(which + ", parameter " + std::to_string(at) + ": no name, no value, or a value that " +
                 "is no bench_value_v1",
             "fill bench_value_v1 as plugin_v1.h says, struct_size first");
    const bench_value_v1 &value = *source.values[at];
    names_.emplace_back(source.names[at]);
    texts_.emplace_back(value.type == BENCH_VALUE_TEXT ? value.text : "");
    bench_value_v1 &copy = values_.emplace_back(bench_value_v1{});
    copy.struct_size = sizeof copy;
    copy.type = value.type;
    copy.integer = value.integer;
    copy.real = value.real;
    copy.text = value.type == BENCH_VALUE_TEXT ? texts_.back().c_str() : nullptr;
    label_ += (label_.empty() ? "" : ", ") + names_.back() + "=" + value_text(copy);
  }
  for (std::uint32_t at = 0; at < source.count; ++at) {
    name_pointers_.push_back(names_[at].c_str());
    value_pointers_.push_back(&values_[at]);
  }
  if (label_.empty()) label_ = "#" + std::to_string(index);
  raw_.struct_size = sizeof raw_;
  raw_.count = source.count;
  raw_.index = index;
  raw_.hash = dispatch::text_hash(label_);
  raw_.user = source.user;
  raw_.names = name_pointers_.data();
  raw_.values = value_pointers_.data();
}

TunerOptions::TunerOptions(const bench_tuner_options_v1 &given) {
  if (given.struct_size < first_options_size)
    refuse("the options have struct_size " + std::to_string(given.struct_size) + ", below the " +
               std::to_string(first_options_size) + " of version 1.0",
           "set struct_size to sizeof(bench_tuner_options_v1)");
  // What an older caller does not know is zero: the behaviour of before.
  bench_tuner_options_v1 options{};
  std::memcpy(&options, &given, std::min<std::size_t>(given.struct_size, sizeof options));
  if (!options.name || !*options.name)
    refuse("the tuner has no name", "name the kernel with its version, such as \"gemm/1\"");
  if (!options.config_count || !options.configs)
    refuse("there is no configuration to choose from", "give at least one in configs");
  if (options.default_config >= options.config_count)
    refuse("default_config is " + std::to_string(options.default_config) + ", but there are " +
               std::to_string(options.config_count) + " configurations",
           "give a position from 0 to " + std::to_string(options.config_count - 1));
  if (options.max_time_ns < 0)
    refuse("max_time_ns is " + std::to_string(options.max_time_ns),
           "give a positive time, or 0 for no limit");
  name = options.name;
  std::map<std::string, std::uint32_t> seen;
  std::string labels;
  for (std::uint32_t at = 0; at < options.config_count; ++at) {
    if (!options.configs[at])
      refuse("configuration " + std::to_string(at) + " is a null pointer",
             "give config_count configurations");
    configs.push_back(std::make_unique<OwnedConfig>(*options.configs[at], at));
    // Equal names and values may still be different kernels to the framework.
    if (!seen.emplace(configs.back()->label(), at).second) configs.back()->distinguish();
    labels += configs.back()->label() + "\n";
  }
  space_hash = dispatch::text_hash(labels);
  policy = measure::policy_of(options.policy);
  layout =
      dispatch::make_layout(options.argument_names, options.argument_count, options.key_names,
                            options.key_count, name + "\n" + policy.text(), options.key_buckets);
  device_name = options.device_name ? options.device_name : "";
  default_config = options.default_config;
  flags = options.flags;
  eps = fraction(options.eps, default_eps, "eps");
  delta = fraction(options.delta, default_delta, "delta");
  switch_margin = fraction(options.switch_margin, default_switch_margin, "switch_margin");
  max_time_ns = options.max_time_ns;
  mode = options.mode;
  if (mode > BENCH_TUNER_MODE_PINNED)
    refuse("mode is " + std::to_string(mode), "give a BENCH_TUNER_MODE_* of this version");
  pinned_config = options.pinned_config;
  if (mode == BENCH_TUNER_MODE_PINNED && pinned_config >= options.config_count)
    refuse("pinned_config is " + std::to_string(pinned_config) + ", but there are " +
               std::to_string(options.config_count) + " configurations",
           "give a position from 0 to " + std::to_string(options.config_count - 1));
  restored = marks(layout, options.restore_names, options.restore_count, "restore_names");
  zeroed = marks(layout, options.zero_names, options.zero_count, "zero_names");
  top_count = options.top_count;
  top_fraction = options.top_fraction;
  if (!(top_fraction >= 0 && top_fraction <= 1) || (top_count && top_fraction > 0))
    refuse("top_fraction is " + std::to_string(top_fraction) + " and top_count " +
               std::to_string(top_count),
           "give either a count, or a part from 0 to 1");
  saved_bytes_limit = options.saved_bytes_limit;
  tolerance = options.tolerance;
  if (!(tolerance >= 0 && tolerance < 1))
    refuse("tolerance is " + std::to_string(tolerance), "give a fraction such as 0.01, or 0");
}

}  // namespace bench::tune
