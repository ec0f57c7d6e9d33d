// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include <time.h>

#include <algorithm>
#include <bench/plugin/kernel_launch.hpp>
#include <cstdlib>
#include <memory>

#include "nvrtc.hpp"

namespace bench_cuda {
namespace {

using bench::plugin::Error;
using bench::plugin::first_error;

constexpr const char *default_standard = "--std=c++17";
constexpr std::size_t most_names_shown = 8;

std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

bool begins_with(const std::string &text, const char *start) {
  return text.rfind(start, 0) == 0;
}

/// "sm_90" -> 90, "sm_90a" -> 90; 0 for what is none.
int capability_of(const std::string &architecture) {
  constexpr const char *prefix = "sm_";
  return begins_with(architecture, prefix) ? std::atoi(architecture.c_str() + 3) : 0;
}

/// What --gpu-architecture gets: machine code where this NVRTC knows the device, else PTX that the
/// driver compiles.
std::string target_of(const Nvrtc &compiler, const std::string &architecture) {
  const int wanted = capability_of(architecture);
  const auto &known = compiler.architectures;
  if (wanted == 0)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "architecture '" + architecture + "'",
                "use the device's, such as sm_90");
  if (known.empty() || std::find(known.begin(), known.end(), wanted) != known.end())
    return architecture;
  const auto above = std::upper_bound(known.begin(), known.end(), wanted);
  if (above == known.begin())
    throw Error(BENCH_ERROR_INCOMPATIBLE,
                compiler.identity() + " compiles for compute capability " +
                    std::to_string(known.front()) + " and above, the device is " + architecture,
                "install an older CUDA Toolkit");
  return "compute_" + std::to_string(*(above - 1));
}

std::vector<std::string> options_of(const bench_kernel_source_v1 &source, const Nvrtc &compiler) {
  std::vector<std::string> options;
  bool has_standard = false, has_target = false;
  for (std::uint32_t i = 0; i < source.option_count; ++i) {
    const std::string option = source.options[i];
    has_standard = has_standard || begins_with(option, "-std") || begins_with(option, "--std");
    has_target =
        has_target || begins_with(option, "-arch") || begins_with(option, "--gpu-architecture");
    options.push_back(option);
  }
  if (!has_standard) options.insert(options.begin(), default_standard);
  if (!has_target)
    options.push_back("--gpu-architecture=" +
                      target_of(compiler, source.architecture ? source.architecture : ""));
  for (std::uint32_t i = 0; i < source.definition_count; ++i)
    options.push_back(std::string("-D") + source.definition_names[i] + "=" +
                      source.definition_values[i]);
  if (source.path) {
    const std::string path = source.path;
    const auto slash = path.rfind('/');
    options.push_back("-I" +
                      (slash == std::string::npos ? std::string(".") : path.substr(0, slash)));
  }
  for (const std::string &folder : compiler.include_folders) options.push_back("-I" + folder);
  return options;
}

class Program {
 public:
  Program(const Nvrtc &compiler, const bench_kernel_source_v1 &source) : compiler_(compiler) {
    const std::string text(source.text, source.text_size);
    check(
        compiler_.nvrtcCreateProgram(&program_, text.c_str(),
                                     source.path ? source.path : "kernel.cu", 0, nullptr, nullptr),
        "take the source");
  }
  ~Program() { compiler_.nvrtcDestroyProgram(&program_); }
  Program(const Program &) = delete;  // owns the program
  Program &operator=(const Program &) = delete;

  void ask_for(const char *name) {
    check(compiler_.nvrtcAddNameExpression(program_, name), "take the kernel's name");
  }
  bool compile(const std::vector<std::string> &options) {
    std::vector<const char *> pointers;
    for (const std::string &option : options) pointers.push_back(option.c_str());
    result_ =
        compiler_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
    return result_ == NVRTC_SUCCESS;
  }
  nvrtcResult result() const { return result_; }
  std::string log() const {
    std::size_t size = 0;
    if (compiler_.nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size <= 1) return {};
    std::string text(size, '\0');
    compiler_.nvrtcGetProgramLog(program_, text.data());
    text.resize(size - 1);  // its NUL
    return text;
  }
  std::string lowered(const char *name) const {
    const char *text = nullptr;
    check(compiler_.nvrtcGetLoweredName(program_, name, &text), "find the kernel's compiled name");
    return text;
  }
  /// Machine code if there is any, else PTX.
  std::string image() const {
    std::size_t size = 0;
    std::string bytes;
    if (compiler_.nvrtcGetCUBINSize(program_, &size) == NVRTC_SUCCESS && size > 0) {
      bytes.resize(size);
      check(compiler_.nvrtcGetCUBIN(program_, bytes.data()), "take the machine code");
      return bytes;
    }
    check(compiler_.nvrtcGetPTXSize(program_, &size), "take the PTX");
    bytes.resize(size);
    check(compiler_.nvrtcGetPTX(program_, bytes.data()), "take the PTX");
    return bytes;
  }

 private:
  void check(nvrtcResult result, const char *what) const {
    if (result == NVRTC_SUCCESS) return;
    const char *text = compiler_.nvrtcGetErrorString(result);
    throw Error(result == NVRTC_ERROR_OUT_OF_MEMORY ? BENCH_ERROR_OUT_OF_RESOURCES
                                                    : BENCH_ERROR_COMPILE_FAILED,
                std::string("NVRTC cannot ") + what + ": " + (text ? text : "unknown error"),
                "check the kernel's file and name", result, text ? text : "");
  }

  const Nvrtc &compiler_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult result_ = NVRTC_SUCCESS;
};

/// The source is good without the kernel's name: then that is what is wrong, and these are there.
void explain_missing_name(const bench_kernel_source_v1 &source, const Nvrtc &compiler,
                          const std::vector<std::string> &options) {
  Program program(compiler, source);
  if (!program.compile(options)) return;
  std::string list;
  std::size_t shown = 0;
  for (const std::string &name : kernel_names(program.image()))
    if (shown++ < most_names_shown) list += (list.empty() ? "" : ", ") + name;
  throw Error(BENCH_ERROR_INVALID_ARGUMENT,
              std::string("the source has no kernel ") + source.name +
                  (list.empty() ? ", and no other that is not a template" : "; it has " + list),
              "use one of these names; a template needs its arguments: name<float, 4>");
}

}  // namespace

Binary compile_cuda(const bench_kernel_source_v1 &source, std::string &log) {
  // NVRTC cannot be interrupted: who must keep a deadline calls compile in a process of its own, as
  // the core does, and ends that.
  if (source.deadline_ns != 0 && now_ns() >= source.deadline_ns)
    throw Error(BENCH_ERROR_TIMEOUT, "the deadline passed before compiling began",
                "give it more time");
  const Nvrtc &compiler = nvrtc();
  const std::vector<std::string> options = options_of(source, compiler);
  Program program(compiler, source);
  program.ask_for(source.name);
  const bool good = program.compile(options);
  log = program.log();
  if (!good) {
    if (program.result() == NVRTC_ERROR_COMPILATION ||
        program.result() == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
      explain_missing_name(source, compiler, options);
    const char *text = compiler.nvrtcGetErrorString(program.result());
    std::string what = first_error(log);
    if (what.empty()) what = text ? text : "NVRTC failed without a word";
    throw Error(BENCH_ERROR_COMPILE_FAILED, what, "see the compiler's log", program.result(),
                text ? text : "");
  }
  return {program.lowered(source.name), source.architecture ? source.architecture : "",
          program.image()};
}

}  // namespace bench_cuda
