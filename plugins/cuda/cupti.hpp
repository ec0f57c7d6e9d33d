// SPDX-License-Identifier: Apache-2.0
// CUPTI, NVIDIA's profiling interface, opened when a profiler is asked for.
#pragma once
#include <cupti.h>

#include <string>

namespace bench_cuda {

// clang-format off
#define BENCH_CUPTI_FUNCTIONS(X)                                                               \
  X(cuptiGetResultString)                                                                      \
  X(cuptiSubscribe) X(cuptiUnsubscribe) X(cuptiActivityEnable) X(cuptiActivityDisable)         \
      X(cuptiActivityFlushAll) X(cuptiActivityRegisterCallbacks) X(cuptiActivityGetNextRecord) \
          X(cuptiActivityGetNumDroppedRecords)
// clang-format on

struct Cupti {
#define BENCH_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_CUPTI_FUNCTIONS(BENCH_CUPTI_MEMBER)
#undef BENCH_CUPTI_MEMBER
};

/// Looked for in: the file that BENCH_CUDA_CUPTI names, what the process has loaded, the system's
/// library path, CUDA_HOME, CUDA_PATH and /usr/local/cuda. Throws Error, UNSUPPORTED. Any thread.
const Cupti &cupti();

/// Throws Error for a result that is no success; BUSY where another tool holds the interface.
void check(CUptiResult result, const std::string &what);

}  // namespace bench_cuda
