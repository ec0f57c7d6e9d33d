// SPDX-License-Identifier: Apache-2.0
#include "cupti.hpp"

#include <bench/plugin.hpp>
#include <mutex>

#include "toolkit.hpp"

namespace bench_cuda {
namespace {

using bench::plugin::Error;

const LibrarySearch search = {"BENCH_CUDA_CUPTI",
                              {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
                              {"/extras/CUPTI/lib64/", "/lib64/", "/lib/"},
                              "CUDA's profiling interface",
                              "install CUPTI (CUDA Toolkit, or the package nvidia-cuda-cupti)"};

}  // namespace

const Cupti &cupti() {
  static std::mutex mutex;
  static Cupti made;  // for the life of the process
  static bool opened = false;
  const std::lock_guard lock(mutex);
  if (opened) return made;
  void *library = open_toolkit_library(search);
#define BENCH_CUPTI_FIND(name)                                                    \
  made.name = reinterpret_cast<decltype(made.name)>(find_symbol(library, #name)); \
  if (!made.name)                                                                 \
    throw Error(BENCH_ERROR_UNSUPPORTED, "CUPTI has no " #name, "install a newer CUDA Toolkit");
  BENCH_CUPTI_FUNCTIONS(BENCH_CUPTI_FIND)
#undef BENCH_CUPTI_FIND
  opened = true;
  return made;
}

void check(CUptiResult result, const std::string &what) {
  if (result == CUPTI_SUCCESS) return;
  const char *name = nullptr;
  cupti().cuptiGetResultString(result, &name);
  bench_status status = BENCH_ERROR_INTERNAL;
  std::string hint = "see CUPTI's description of the error";
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      status = BENCH_ERROR_BUSY;
      hint = "another profiler of this process, or of the machine, holds it: end that first";
      break;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      status = BENCH_ERROR_NO_PERMISSION;
      hint = "the administrator restricts profiling (NVreg_RestrictProfilingToAdminUsers)";
      break;
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_NOT_INITIALIZED:
      status = BENCH_ERROR_UNSUPPORTED;
      hint = "use a CUPTI that is not newer than the driver";
      break;
    default:
      break;
  }
  throw Error(status, "cannot " + what + ": " + (name ? name : "unknown error"), hint, result,
              name ? name : "");
}

}  // namespace bench_cuda
