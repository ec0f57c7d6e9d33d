// SPDX-License-Identifier: Apache-2.0
// A context that sees the scripted plugin only, and a tuner over configurations of given times.
#pragma once
#include <doctest/doctest.h>

#include <bench/bench.hpp>
#include <string>
#include <vector>

#include "temp_dir.hpp"

namespace bench::test {

inline ContextOptions scripted_options(const std::string &store) {
  ContextOptions options;
  options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT;
  if (store.empty()) options.flags |= BENCH_CONTEXT_NO_STORE;
  options.plugin_paths = {BENCH_SCRIPTED_PLUGIN};
  options.store_path = store;
  return options;
}

inline TunerOptions times_options(const std::vector<std::int64_t> &times_ns) {
  TunerOptions options;
  options.name = "scripted-kernel/1";
  for (const std::int64_t time : times_ns)
    options.configs.push_back({{"number", int(options.configs.size())}, {"time_ns", time}});
  options.argument_names = {"x", "n"};
  options.key_names = {"n"};
  return options;
}

/// The usual call: a tensor on a scripted device and a size.
struct TimesCall {
  Arguments arguments;
  float data[4] = {};
  TimesCall(const Tuner &tuner, std::int64_t n, std::int32_t id = 0) : arguments(tuner) {
    arguments.set("x", tensor(data, {4}, device("scripted", id))).set("n", n);
  }
};

inline bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

}  // namespace bench::test
