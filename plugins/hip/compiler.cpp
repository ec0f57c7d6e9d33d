// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include <time.h>

#include <bench/plugin/kernel_launch.hpp>
#include <vector>

#include "code_object.hpp"
#include "hiprtc.hpp"

namespace bench_hip {
namespace {

using bench::plugin::Error;
using bench::plugin::first_error;
using bench::plugin::KernelImage;

constexpr const char *default_standard = "-std=c++17";

std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

bool begins_with(const std::string &text, const char *prefix) {
  return text.rfind(prefix, 0) == 0;
}

std::vector<std::string> options_of(const bench_kernel_source_v1 &source) {
  std::vector<std::string> options;
  bool has_standard = false, has_target = false;
  for (std::uint32_t i = 0; i < source.option_count; ++i) {
    const std::string option = source.options[i];
    has_standard = has_standard || begins_with(option, "-std") || begins_with(option, "--std");
    has_target = has_target || begins_with(option, "--offload-arch") ||
                 begins_with(option, "--gpu-architecture");
    options.push_back(option);
  }
  if (!has_standard) options.insert(options.begin(), default_standard);
  if (!has_target) {
    const std::string architecture = source.architecture ? source.architecture : "";
    if (!begins_with(architecture, "gfx"))
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "architecture '" + architecture + "'",
                  "use the device's, such as gfx942:sramecc+:xnack-");
    options.push_back("--offload-arch=" + architecture);
  }
  for (std::uint32_t i = 0; i < source.definition_count; ++i)
    options.push_back(std::string("-D") + source.definition_names[i] + "=" +
                      source.definition_values[i]);
  if (source.path) {
    const std::string path = source.path;
    const auto slash = path.rfind('/');
    options.push_back("-I" +
                      (slash == std::string::npos ? std::string(".") : path.substr(0, slash)));
  }
  return options;
}

class Program {
 public:
  Program(const Hiprtc &compiler, const bench_kernel_source_v1 &source) : compiler_(compiler) {
    const std::string text(source.text, source.text_size);
    check(
        compiler_.hiprtcCreateProgram(
            &program_, text.c_str(), source.path ? source.path : "kernel.hip", 0, nullptr, nullptr),
        "take the source");
  }
  ~Program() { compiler_.hiprtcDestroyProgram(&program_); }
  Program(const Program &) = delete;  // owns the program
  Program &operator=(const Program &) = delete;

  void ask_for(const char *name) {
    check(compiler_.hiprtcAddNameExpression(program_, name), "take the kernel's name");
  }
  bool compile(const std::vector<std::string> &options) {
    std::vector<const char *> pointers;
    for (const std::string &option : options) pointers.push_back(option.c_str());
    result_ = compiler_.hiprtcCompileProgram(program_, static_cast<int>(pointers.size()),
                                             pointers.data());
    return result_ == HIPRTC_SUCCESS;
  }
  hiprtcResult result() const { return result_; }
  std::string log() const {
    std::size_t size = 0;
    if (compiler_.hiprtcGetProgramLogSize(program_, &size) != HIPRTC_SUCCESS || size <= 1)
      return {};
    std::string text(size, '\0');
    compiler_.hiprtcGetProgramLog(program_, text.data());
    return text.c_str();  // up to its NUL
  }
  /// Nothing where there is no such kernel.
  std::string lowered(const char *name) const {
    const char *text = nullptr;
    const hiprtcResult result = compiler_.hiprtcGetLoweredName(program_, name, &text);
    return result == HIPRTC_SUCCESS && text ? text : "";
  }
  std::string image() const {
    std::size_t size = 0;
    check(compiler_.hiprtcGetCodeSize(program_, &size), "take the code object");
    std::string bytes(size, '\0');
    check(compiler_.hiprtcGetCode(program_, bytes.data()), "take the code object");
    return bytes;
  }

 private:
  void check(hiprtcResult result, const char *what) const {
    if (result == HIPRTC_SUCCESS) return;
    const char *text = compiler_.hiprtcGetErrorString(result);
    throw Error(result == HIPRTC_ERROR_OUT_OF_MEMORY ? BENCH_ERROR_OUT_OF_RESOURCES
                                                     : BENCH_ERROR_COMPILE_FAILED,
                std::string("hiprtc cannot ") + what + ": " + (text ? text : "unknown error"),
                "check the kernel's file and name", result, text ? text : "");
  }

  const Hiprtc &compiler_;
  hiprtcProgram program_ = nullptr;
  hiprtcResult result_ = HIPRTC_SUCCESS;
};

[[noreturn]] void missing_name(const bench_kernel_source_v1 &source, const std::string &image) {
  const std::string names = kernel_names_text(image);
  throw Error(BENCH_ERROR_INVALID_ARGUMENT,
              std::string("the source has no kernel ") + source.name +
                  (names.empty() ? ", and no other that is not a template" : "; it has " + names),
              "use one of these names; a template needs its arguments: name<float, 4>");
}

/// The source is good without the kernel's name: then that is what is wrong.
void explain_missing_name(const bench_kernel_source_v1 &source, const Hiprtc &compiler,
                          const std::vector<std::string> &options) {
  Program program(compiler, source);
  if (program.compile(options)) missing_name(source, program.image());
}

}  // namespace

KernelImage compile_hip(const bench_kernel_source_v1 &source, std::string &log) {
  // hiprtc cannot be interrupted: who must keep a deadline calls compile in a process of its own,
  // as the core does, and ends that.
  if (source.deadline_ns != 0 && now_ns() >= source.deadline_ns)
    throw Error(BENCH_ERROR_TIMEOUT, "the deadline passed before compiling began",
                "give it more time");
  const Hiprtc &compiler = hiprtc();
  const std::vector<std::string> options = options_of(source);
  Program program(compiler, source);
  program.ask_for(source.name);
  const bool good = program.compile(options);
  log = program.log();
  if (!good) {
    explain_missing_name(source, compiler, options);
    const char *text = compiler.hiprtcGetErrorString(program.result());
    std::string what = first_error(log);
    if (what.empty()) what = text ? text : "hiprtc failed without a word";
    throw Error(BENCH_ERROR_COMPILE_FAILED, what, "see the compiler's log", program.result(),
                text ? text : "");
  }
  KernelImage image{program.lowered(source.name), source.architecture ? source.architecture : "",
                    program.image()};
  if (image.kernel_name.empty()) missing_name(source, image.image);
  return image;
}

}  // namespace bench_hip
