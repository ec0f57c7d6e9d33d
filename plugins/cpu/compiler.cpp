// SPDX-License-Identifier: Apache-2.0
// Source to shared object, by the compiler of this machine.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cpu.hpp"

namespace bench_cpu {
namespace {

namespace fs = std::filesystem;

/// A folder of this user's only, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string pattern = (parent / "bench-cpu-XXXXXX").string();
    // Without the first check a TMPDIR that is no folder would mean the working folder.
    if (error || !::mkdtemp(pattern.data())) {
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                  "no folder for temporary files can be made" +
                      (error ? std::string(": TMPDIR names no folder") : " as " + pattern),
                  "free space there, or set TMPDIR to a folder that can be written",
                  error ? error.value() : errno);
    }
    path = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;  // removed once
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  fs::path path;
};

std::string on_path(const std::string &name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char *path = ::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string candidate = folders.substr(at, end - at) + "/" + name;
    if (end > at && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return "";
}

/// The first line that names an error, with positions in the user's file.
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

}  // namespace

std::string find_compiler(bool is_cpp) {
  const char *variable = is_cpp ? "BENCH_CXX" : "BENCH_CC";
  const char *chosen = ::secure_getenv(variable);
  if (chosen && *chosen) {
    const std::string found = on_path(chosen);
    if (found.empty())
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  std::string(variable) + " names " + chosen + ", which is no program here",
                  "name a compiler, or unset the variable");
    return found;
  }
  for (const char *name : is_cpp ? std::vector<const char *>{"c++", "g++", "clang++"}
                                 : std::vector<const char *>{"cc", "gcc", "clang"}) {
    if (const std::string found = on_path(name); !found.empty()) return found;
  }
  throw Error(BENCH_ERROR_UNSUPPORTED,
              std::string("no ") + (is_cpp ? "C++" : "C") + " compiler is on PATH",
              is_cpp ? "install the package g++ (or clang)" : "install the package gcc (or clang)");
}

std::string compiler_identity(bench_instance_v1 &instance, const std::string &language) {
  const std::string path = find_compiler(language == "C++");
  {
    const std::lock_guard lock(instance.mutex);
    const auto known = instance.compilers.find(path);
    if (known != instance.compilers.end()) return known->second;
  }
  const ProcessResult result = run_process({path, "--version"}, 0);
  if (!result.started || result.status != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED, path + " --version fails: " + first_error(result.output),
                "mend the compiler's installation");
  const std::string identity = result.output.substr(0, result.output.find('\n'));
  const std::lock_guard lock(instance.mutex);
  instance.compilers[path] = identity;
  return identity;
}

std::vector<std::uint8_t> compile_object(const bench_kernel_source_v1 &source, bool is_cpp,
                                         std::string &log) {
  const std::string compiler = find_compiler(is_cpp);
  const ScratchFolder folder;
  const fs::path input = folder.path / (is_cpp ? "kernel.cpp" : "kernel.c");
  const fs::path output = folder.path / "kernel.so";
  const std::string shown = source.path && *source.path ? source.path : "kernel";
  {
    std::ofstream file(input, std::ios::binary);
    // Fixed-width types for the wrapper come first: the kernel may include <stdint.h> itself, or
    // not.
    file << "#line 1 \"" << shown << "\"\n";
    file.write(source.text, static_cast<std::streamsize>(source.text_size));
    file << "\n#line 1 \"wrapper of " << source.name << "\"\n" << wrapper_source(source, is_cpp);
    file.flush();
    if (!file)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "cannot write " + input.string(),
                  "free space there, or set TMPDIR");
  }
  std::vector<std::string> arguments{compiler,
                                     is_cpp ? "-std=c++17" : "-std=gnu11",
                                     "-O3",
                                     "-march=native",
                                     "-fPIC",
                                     "-shared",
                                     "-fvisibility=hidden"};
  if (source.path && *source.path) {
    const fs::path parent = fs::path(source.path).parent_path();
    arguments.push_back("-I" + (parent.empty() ? std::string(".") : parent.string()));
  }
  static constexpr const char axes[] = {'X', 'Y', 'Z'};
  for (int axis = 0; axis < 3; ++axis) {
    arguments.push_back(std::string("-DBENCH_GRID_") + axes[axis] + "=" +
                        std::to_string(source.grid[axis]));
    arguments.push_back(std::string("-DBENCH_BLOCK_") + axes[axis] + "=" +
                        std::to_string(source.block[axis]));
  }
  for (std::uint32_t i = 0; i < source.definition_count; ++i)
    arguments.push_back(std::string("-D") + source.definition_names[i] + "=" +
                        source.definition_values[i]);
  // After the defaults, so that the problem's own options win.
  for (std::uint32_t i = 0; i < source.option_count; ++i) arguments.push_back(source.options[i]);
  arguments.insert(arguments.end(), {"-o", output.string(), input.string()});
  const ProcessResult result = run_process(arguments, source.deadline_ns);
  log = result.output;
  if (!result.started)
    throw Error(BENCH_ERROR_UNSUPPORTED, "the compiler cannot be started: " + result.output,
                "mend the compiler's installation");
  if (result.timed_out)
    throw Error(BENCH_ERROR_TIMEOUT, "the compiler did not end in time and was killed",
                "allow it more time, or simplify the kernel");
  if (result.status != 0)
    throw Error(BENCH_ERROR_COMPILE_FAILED, first_error(result.output),
                "mend the kernel; the whole log is in the debug log (BENCH_LOG)", result.status);
  std::ifstream file(output, std::ios::binary);
  std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                  std::istreambuf_iterator<char>());
  if (bytes.empty())
    throw Error(BENCH_ERROR_COMPILE_FAILED, "the compiler succeeded but wrote nothing",
                "check the compiler options for -c, -E or -o");
  return bytes;
}

}  // namespace bench_cpu
