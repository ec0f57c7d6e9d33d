// SPDX-License-Identifier: Apache-2.0
// Compiles configurations ahead, several at a time, each in a worker process; never while anything
// is timed.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "worker/client.hpp"

namespace bench::worker {

struct PoolProgress {
  std::uint64_t done, total;
  std::int64_t elapsed_ns;
};

/// Results by index. `progress` is called on this thread and returns false to stop: what is in
/// flight ends, the rest is left out.
std::map<std::uint64_t, CompileWorker::Result> compile_all(
    const WorkerSetup &setup, const std::vector<std::uint64_t> &indices, unsigned jobs,
    const std::function<bool(const PoolProgress &)> &progress);

/// Cores this process may use.
unsigned usable_cores();

}  // namespace bench::worker
