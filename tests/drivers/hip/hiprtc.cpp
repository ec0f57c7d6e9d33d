// SPDX-License-Identifier: Apache-2.0
// A libhiprtc.so in software. It finds the names of a source's kernels, and gives PTX that has
// them: the driver in software runs host functions of these names (tests/drivers/cuda/kernels.cpp).
// A line with #error is an error, as for a compiler.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hiprtc.h>

#include <cstring>
#include <regex>
#include <set>
#include <string>

#define STAND_IN_API extern "C" __attribute__((visibility("default"))) hiprtcResult

namespace {

struct Program {
  std::string source, name, log, code;
  std::set<std::string> kernels, wanted;
};

Program &of(hiprtcProgram program) {
  return *reinterpret_cast<Program *>(program);
}

std::set<std::string> kernels_in(const std::string &source) {
  static const std::regex kernel(
      R"(__global__\s+(?:\w+\([^)]*\)\s+)?void\s+(?:\w+\([^)]*\)\s+)?(\w+)\s*\()");
  std::set<std::string> found;
  for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at)
    found.insert((*at)[1]);
  return found;
}

hiprtcResult fail(Program &program, hiprtcResult result, const std::string &what) {
  program.log = program.name + ":1:1: error: " + what + "\n";
  return result;
}

}  // namespace

STAND_IN_API hiprtcVersion(int *major, int *minor) {
  *major = 6;
  *minor = 2;
  return HIPRTC_SUCCESS;
}
extern "C" __attribute__((visibility("default"))) const char *hiprtcGetErrorString(
    hiprtcResult result) {
  return result == HIPRTC_ERROR_COMPILATION ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR";
}
STAND_IN_API hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *name, int,
                                 const char **, const char **) {
  *program = reinterpret_cast<hiprtcProgram>(new Program{source, name, "", "", {}, {}});
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcDestroyProgram(hiprtcProgram *program) {
  delete reinterpret_cast<Program *>(*program);
  *program = nullptr;
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcAddNameExpression(hiprtcProgram program, const char *name) {
  of(program).wanted.insert(name);
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcCompileProgram(hiprtcProgram program, int count, const char **options) {
  Program &self = of(program);
  bool has_target = false;
  for (int i = 0; i < count; ++i)
    has_target = has_target || std::strncmp(options[i], "--offload-arch=gfx", 18) == 0;
  if (!has_target) return fail(self, HIPRTC_ERROR_INVALID_OPTION, "no --offload-arch of AMD's");
  const auto stop = self.source.find("#error ");
  if (stop != std::string::npos)
    return fail(self, HIPRTC_ERROR_COMPILATION,
                self.source.substr(stop + 7, self.source.find('\n', stop) - stop - 7));
  self.kernels = kernels_in(self.source);
  for (const std::string &name : self.wanted)
    if (!self.kernels.count(name))
      return fail(self, HIPRTC_ERROR_COMPILATION, "use of undeclared identifier '" + name + "'");
  self.code = ".version 6.0\n.target sm_50\n.address_size 64\n";
  for (const std::string &name : self.kernels)
    self.code += ".visible .entry " + name + "() { ret; }\n";
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcGetProgramLogSize(hiprtcProgram program, std::size_t *size) {
  *size = of(program).log.size() + 1;
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcGetProgramLog(hiprtcProgram program, char *log) {
  std::memcpy(log, of(program).log.c_str(), of(program).log.size() + 1);
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcGetCodeSize(hiprtcProgram program, std::size_t *size) {
  *size = of(program).code.size();
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcGetCode(hiprtcProgram program, char *code) {
  std::memcpy(code, of(program).code.data(), of(program).code.size());
  return HIPRTC_SUCCESS;
}
STAND_IN_API hiprtcGetLoweredName(hiprtcProgram program, const char *name, const char **text) {
  const auto found = of(program).kernels.find(name);
  *text = found == of(program).kernels.end() ? nullptr : found->c_str();
  return *text ? HIPRTC_SUCCESS : HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
