// SPDX-License-Identifier: Apache-2.0
// OpenCL C to SPIR-V by Intel's offline compiler, as a library that is opened when it is needed.
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <bench/plugin/captured_stdout.hpp>
#include <cstdlib>
#include <mutex>

#include "compile.hpp"
#include "spirv.hpp"

namespace bench_xpu {
namespace {

// The target only chooses what the compiler may warn about: the result is SPIR-V for all. Used
// where the caller names no architecture: a name that every version of the compiler knows.
constexpr const char *any_target = "tgllp";

struct Ocloc {
  int (*invoke)(unsigned, const char **, std::uint32_t, const std::uint8_t **,
                const std::uint64_t *, const char **, std::uint32_t, const std::uint8_t **,
                const std::uint64_t *, const char **, std::uint32_t *, std::uint8_t ***,
                std::uint64_t **, char ***);
  int (*free_output)(std::uint32_t *, std::uint8_t ***, std::uint64_t **, char ***);
  int (*version)();
};

const Ocloc &ocloc() {
  static std::mutex mutex;
  static Ocloc loaded{};
  const std::lock_guard lock(mutex);
  if (loaded.invoke) return loaded;
  void *library = ::dlopen("libocloc.so", RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? nullptr : ::dlerror();
  if (!library)
    throw Error(BENCH_ERROR_UNSUPPORTED,
                std::string("no OpenCL C compiler for xpu: ") + (reason ? reason : "libocloc.so"),
                "install libocloc (Debian 12: intel-opencl-icd; newer releases: intel-ocloc), or "
                "give SPIR-V");
  Ocloc found{};
  found.invoke = reinterpret_cast<decltype(found.invoke)>(::dlsym(library, "oclocInvoke"));
  found.free_output =
      reinterpret_cast<decltype(found.free_output)>(::dlsym(library, "oclocFreeOutput"));
  found.version = reinterpret_cast<decltype(found.version)>(::dlsym(library, "oclocVersion"));
  if (!found.invoke || !found.free_output)
    throw Error(BENCH_ERROR_UNSUPPORTED, "libocloc.so has no oclocInvoke or oclocFreeOutput",
                "install libocloc of 2021 or newer (Debian: intel-opencl-icd)");
  loaded = found;
  return loaded;
}

/// What the compiler left: files by name, freed with it.
class Outputs {
 public:
  explicit Outputs(const Ocloc &compiler) : ocloc_(compiler) {}
  ~Outputs() {
    if (names) ocloc_.free_output(&count, &data, &sizes, &names);
  }
  Outputs(const Outputs &) = delete;  // freed once
  Outputs &operator=(const Outputs &) = delete;
  std::uint32_t count = 0;
  std::uint8_t **data = nullptr;
  std::uint64_t *sizes = nullptr;
  char **names = nullptr;

 private:
  const Ocloc &ocloc_;
};

std::string first_error(const std::string &log) {
  std::string first;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (line.find("error") != std::string::npos) return line;
    if (first.empty() && !line.empty()) first = line;
    at = end + 1;
  }
  return first.empty() ? "the compiler said nothing" : first;
}

/// A path of a #line directive, which knows backslashes and quotes as C strings do.
std::string quoted(const std::string &path) {
  std::string text;
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

bool past(std::int64_t deadline_ns) {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return deadline_ns != 0 && now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec >= deadline_ns;
}

}  // namespace

std::string opencl_compiler() {
  const Ocloc &compiler = ocloc();
  return "ocloc " +
         (compiler.version ? std::to_string(compiler.version()) : std::string("unknown"));
}

Module compile_opencl(const bench_kernel_source_v1 &source, std::string &log) {
  const Ocloc &compiler = ocloc();
  // The compiler runs in this thread and cannot be stopped: a deadline counts before and after.
  if (past(source.deadline_ns))
    throw Error(BENCH_ERROR_TIMEOUT, "the deadline was over before the compiler started",
                "allow more time");
  std::string text, options, module_flags;
  // As lines of the source and not as options: the compiler splits options at spaces.
  for (std::uint32_t i = 0; i < source.definition_count; ++i)
    text += std::string("#define ") + source.definition_names[i] + " " +
            source.definition_values[i] + "\n";
  const std::string path = source.path && *source.path ? source.path : "kernel.cl";
  text += "#line 1 \"" + quoted(path) + "\"\n";
  text.append(source.text, source.text_size);
  const std::size_t slash = path.rfind('/');
  options = "-I " + (slash == std::string::npos ? std::string(".") : path.substr(0, slash + 1));
  for (std::uint32_t i = 0; i < source.option_count; ++i) {
    const std::string option = source.options[i];
    std::string &to = option.rfind("-ze-", 0) == 0 ? module_flags : options;
    to += (to.empty() ? "" : " ") + option;
  }
  const std::string target =
      source.architecture && *source.architecture ? source.architecture : any_target;
  const char *arguments[] = {"ocloc",   "compile",      "-q",        "-file",    "kernel.cl",
                             "-device", target.c_str(), "-spv_only", "-options", options.c_str()};
  const auto *data = reinterpret_cast<const std::uint8_t *>(text.c_str());
  const std::uint64_t size = text.size() + 1;  // the compiler reads a C string
  const char *name = "kernel.cl";
  Outputs outputs(compiler);
  int result = 0;
  {
    bench::plugin::CapturedStdout printed;
    result = compiler.invoke(sizeof arguments / sizeof *arguments, arguments, 1, &data, &size,
                             &name, 0, nullptr, nullptr, nullptr, &outputs.count, &outputs.data,
                             &outputs.sizes, &outputs.names);
    log = printed.end();
  }
  Module module;
  module.flags = module_flags;
  for (std::uint32_t i = 0; i < outputs.count; ++i) {
    const std::uint8_t *from = outputs.data[i];
    if (looks_like_spirv(from, outputs.sizes[i])) {
      module.spirv.assign(from, from + outputs.sizes[i]);
    } else if (std::string(outputs.names[i]).find(".log") != std::string::npos) {
      log.append(reinterpret_cast<const char *>(from), outputs.sizes[i]);
    }
  }
  while (!log.empty() && log.back() == '\0') log.pop_back();
  if (result != 0)
    throw Error(BENCH_ERROR_COMPILE_FAILED, first_error(log),
                "mend the kernel; the whole log is in the debug log (BENCH_LOG)", result, "ocloc");
  if (module.spirv.empty())
    throw Error(BENCH_ERROR_COMPILE_FAILED, "the compiler succeeded but wrote no SPIR-V",
                "check the compiler options", result, "ocloc");
  return module;
}

}  // namespace bench_xpu
