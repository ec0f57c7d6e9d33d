// SPDX-License-Identifier: Apache-2.0
// Tunes and runs problem files: the engine of `bench tune` and `bench run`.
#pragma once
#include <filesystem>
#include <string>

#include "bench/bench.h"
#include "worker/protocol.hpp"

namespace bench {
class Log;
namespace loader {
class Registry;
}
namespace store {
class Store;
}
}  // namespace bench

namespace bench::worker {

/// Writes the T4 document. `store` may be null. Throws Failure; NO_VALID_CONFIG after the document
/// is written.
void problem_tune(loader::Registry &registry, store::Store *store, Log &log,
                  const std::filesystem::path &file, const bench_problem_options_v1 &options,
                  const bench_writer_v1 &document);

/// Measures one configuration and writes {configuration, device, measurement, verified}.
void problem_run(loader::Registry &registry, store::Store *store, Log &log,
                 const std::filesystem::path &file, const std::string &configuration,
                 const bench_problem_options_v1 &options, const bench_writer_v1 &document);

}  // namespace bench::worker
