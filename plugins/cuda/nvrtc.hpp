// SPDX-License-Identifier: Apache-2.0
// NVRTC, CUDA's run-time compiler, opened when the first kernel is compiled.
#pragma once
#include <nvrtc.h>

#include <string>
#include <vector>

namespace bench_cuda {

// clang-format off
#define BENCH_NVRTC_FUNCTIONS(X)                                                                \
  X(nvrtcVersion)                                                                               \
  X(nvrtcGetErrorString)                                                                        \
  X(nvrtcCreateProgram)                                                                         \
  X(nvrtcDestroyProgram) X(nvrtcCompileProgram) X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) \
      X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN)                   \
          X(nvrtcAddNameExpression) X(nvrtcGetLoweredName) X(nvrtcGetNumSupportedArchs)         \
              X(nvrtcGetSupportedArchs)
// clang-format on

struct Nvrtc {
#define BENCH_NVRTC_MEMBER(name) decltype(&::name) name = nullptr;
  BENCH_NVRTC_FUNCTIONS(BENCH_NVRTC_MEMBER)
#undef BENCH_NVRTC_MEMBER
  std::string path;                          // that it was loaded from
  std::vector<int> architectures;            // compute capabilities times ten, ascending
  std::vector<std::string> include_folders;  // of the toolkit that it belongs to, if found

  std::string identity() const;  // "NVRTC 12.9"
};

/// Looked for in: the file that BENCH_CUDA_NVRTC names, what the process has loaded, the system's
/// library path, CUDA_HOME, CUDA_PATH and /usr/local/cuda. Throws Error, UNSUPPORTED, with what was
/// tried. Any thread.
const Nvrtc &nvrtc();

}  // namespace bench_cuda
