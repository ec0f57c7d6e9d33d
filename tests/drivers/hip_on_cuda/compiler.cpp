// SPDX-License-Identifier: Apache-2.0
// hiprtc over NVRTC, in the runtime's own library as HIP 5 has it.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hiprtc.h>
#include <nvrtc.h>

#include <string>
#include <vector>

#include "cuda_calls.hpp"

namespace {

void *compiler() {
  static void *const library = [] {
    for (const char *name :
         {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (void *found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
    return static_cast<void *>(nullptr);
  }();
  return library;
}

#define NVRTC(name)                                                                            \
  ([]() -> decltype(&::name) {                                                                 \
    static const auto found = reinterpret_cast<decltype(&::name)>(::dlsym(compiler(), #name)); \
    return found;                                                                              \
  }())

hiprtcResult hip_result(nvrtcResult result) {
  return static_cast<hiprtcResult>(result);  // the same numbers
}
nvrtcProgram cuda(hiprtcProgram program) {
  return reinterpret_cast<nvrtcProgram>(program);
}

}  // namespace

#undef SHIM_API
#define SHIM_API extern "C" __attribute__((visibility("default"))) hiprtcResult

SHIM_API hiprtcVersion(int *major, int *minor) {
  return compiler() ? hip_result(NVRTC(nvrtcVersion)(major, minor)) : HIPRTC_ERROR_INTERNAL_ERROR;
}
extern "C" __attribute__((visibility("default"))) const char *hiprtcGetErrorString(
    hiprtcResult result) {
  return compiler() ? NVRTC(nvrtcGetErrorString)(static_cast<nvrtcResult>(result))
                    : "NVRTC was not found";
}
SHIM_API hiprtcCreateProgram(hiprtcProgram *program, const char *text, const char *name, int count,
                             const char **headers, const char **names) {
  if (!compiler()) return HIPRTC_ERROR_INTERNAL_ERROR;
  return hip_result(NVRTC(nvrtcCreateProgram)(reinterpret_cast<nvrtcProgram *>(program), text, name,
                                              count, headers, names));
}
SHIM_API hiprtcDestroyProgram(hiprtcProgram *program) {
  return compiler()
             ? hip_result(NVRTC(nvrtcDestroyProgram)(reinterpret_cast<nvrtcProgram *>(program)))
             : HIPRTC_SUCCESS;
}
SHIM_API hiprtcCompileProgram(hiprtcProgram program, int count, const char **options) {
  const std::string target = "--offload-arch=gfx-";
  std::vector<std::string> words(options, options + count);
  std::vector<const char *> pointers;
  for (std::string &word : words) {
    if (word.rfind(target, 0) == 0) word = "--gpu-architecture=" + word.substr(target.size());
    pointers.push_back(word.c_str());
  }
  return hip_result(NVRTC(nvrtcCompileProgram)(cuda(program), count, pointers.data()));
}
SHIM_API hiprtcGetProgramLogSize(hiprtcProgram program, size_t *size) {
  return hip_result(NVRTC(nvrtcGetProgramLogSize)(cuda(program), size));
}
SHIM_API hiprtcGetProgramLog(hiprtcProgram program, char *log) {
  return hip_result(NVRTC(nvrtcGetProgramLog)(cuda(program), log));
}
SHIM_API hiprtcGetCodeSize(hiprtcProgram program, size_t *size) {
  return hip_result(NVRTC(nvrtcGetCUBINSize)(cuda(program), size));
}
SHIM_API hiprtcGetCode(hiprtcProgram program, char *code) {
  return hip_result(NVRTC(nvrtcGetCUBIN)(cuda(program), code));
}
SHIM_API hiprtcAddNameExpression(hiprtcProgram program, const char *name) {
  return hip_result(NVRTC(nvrtcAddNameExpression)(cuda(program), name));
}
SHIM_API hiprtcGetLoweredName(hiprtcProgram program, const char *name, const char **lowered) {
  return hip_result(NVRTC(nvrtcGetLoweredName)(cuda(program), name, lowered));
}
