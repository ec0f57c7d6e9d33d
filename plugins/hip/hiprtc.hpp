// SPDX-License-Identifier: Apache-2.0
// hiprtc, HIP's run-time compiler, opened when the first kernel is compiled. Up to HIP 5 it is a
// part of the runtime's own library, from 6 on a library beside it; some 5.x have both.
#pragma once
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hiprtc.h>

#include <string>
#include <type_traits>

namespace bench_hip {

// clang-format off
#define BENCH_HIPRTC_FUNCTIONS(X)                                                              \
  X(hiprtcVersion) X(hiprtcGetErrorString) X(hiprtcCreateProgram) X(hiprtcDestroyProgram)      \
  X(hiprtcCompileProgram) X(hiprtcGetProgramLogSize) X(hiprtcGetProgramLog)                    \
  X(hiprtcGetCodeSize) X(hiprtcGetCode) X(hiprtcAddNameExpression) X(hiprtcGetLoweredName)
// clang-format on

struct Hiprtc {
#define BENCH_HIPRTC_MEMBER(name) std::add_pointer_t<decltype(::name)> name = nullptr;
  BENCH_HIPRTC_FUNCTIONS(BENCH_HIPRTC_MEMBER)
#undef BENCH_HIPRTC_MEMBER
  std::string identity() const;  // "hiprtc 6.2"
};

/// From: the file that BENCH_HIP_HIPRTC names, what the process has loaded, the system's library
/// path, the runtime itself. Throws Error, UNSUPPORTED, with what was tried. Any thread.
const Hiprtc &hiprtc();

}  // namespace bench_hip
