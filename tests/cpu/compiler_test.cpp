// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <time.h>

#include <fstream>

#include "cpu_plugin.hpp"
#include "temp_dir.hpp"

using bench::test::Cpu;
using bench::test::Error;
using bench::test::scale_code;
using bench::test::Source;
using bench::test::TempDir;
using bench::test::writer_to;

namespace {

/// An environment variable for one scope.
class Variable {
 public:
  Variable(const char *name, const std::string &value) : name_(name) {
    if (const char *old = ::getenv(name)) old_ = old, had_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (had_)
      ::setenv(name_, old_.c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable &) = delete;  // restored once
  Variable &operator=(const Variable &) = delete;

 private:
  const char *name_;
  std::string old_;
  bool had_ = false;
};

std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

struct Outcome {
  bench_status status;
  std::string binary, log, what, hint;
};

Outcome compile(const Source &source) {
  Cpu cpu;
  Outcome outcome;
  const bench_writer_v1 binary = writer_to(outcome.binary), log = writer_to(outcome.log);
  outcome.status = cpu.kernels->compile(cpu.instance, &source, &binary, &log, &cpu.error);
  if (outcome.status != BENCH_OK) {
    CHECK(cpu.error.complete());
    CHECK(cpu.error.status == outcome.status);
    CHECK(outcome.binary.empty());
    outcome.what = cpu.error.what;
    outcome.hint = cpu.error.hint;
  }
  return outcome;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

std::filesystem::path script(const TempDir &folder, const std::string &text) {
  const auto path = folder.write("compiler", "#!/bin/sh\n" + text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

const std::string plain_code =
    "void scale(const float *in, float *out, int n) { out[0] = in[0] * n; }\n";

}  // namespace

TEST_CASE("the extension names its languages and the compiler of each") {
  Cpu cpu;
  REQUIRE(cpu.kernels->language_count == 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    std::string identity;
    const bench_writer_v1 writer = writer_to(identity);
    CHECK(cpu.kernels->compiler(cpu.instance, cpu.kernels->languages[i], &writer, &cpu.error) ==
          BENCH_OK);
    CHECK_FALSE(identity.empty());
    CHECK_FALSE(contains(identity, "\n"));
  }
}

TEST_CASE("a source that does not compile: its first error in the message, the whole in the log") {
  for (const char *language : {"C", "C++"}) {
    const std::string code =
        "void scale(const float *in, float *out, int n) {\n  undeclared = 1;\n}\n";
    Source source(language, code);
    source.path = "/somewhere/scale.cpp";
    const Outcome outcome = compile(source);
    CHECK(outcome.status == BENCH_ERROR_COMPILE_FAILED);
    CHECK(contains(outcome.what, "/somewhere/scale.cpp:2"));  // the user's file and line
    CHECK(contains(outcome.what, "undeclared"));
    CHECK(contains(outcome.log, "undeclared"));
  }
}

TEST_CASE("a kernel with other parameters than the problem's does not compile") {
  for (const char *language : {"C", "C++"}) {
    for (const std::string parameters :
         {"const double *in, float *out, int n", "const float *in, int *out, int n",
          "float *in, float *out, int n", "const float *in, float *out",
          "const float *in, float *out, int n, int more", "const float *in, int n, float *out"}) {
      CAPTURE(std::string(language));
      CAPTURE(parameters);
      const std::string code = "void scale(" + parameters + ") { }\n";
      CHECK(compile(Source(language, code)).status == BENCH_ERROR_COMPILE_FAILED);
    }
  }
}

TEST_CASE("a name that the source does not define does not compile, and the message has it") {
  for (const char *language : {"C", "C++"}) {
    CAPTURE(std::string(language));
    const Outcome outcome = compile(Source(language, plain_code, "scalar"));
    CHECK(outcome.status == BENCH_ERROR_COMPILE_FAILED);
    CHECK(contains(outcome.what, "scalar"));
  }
}

TEST_CASE("warnings of a source that compiles are in the log") {
  Source source("C", plain_code);
  const char *option = "-Wconversion";
  source.options = &option;
  source.option_count = 1;
  const Outcome outcome = compile(source);
  CHECK(outcome.status == BENCH_OK);
  CHECK(contains(outcome.log, "conversion"));
  CHECK_FALSE(outcome.binary.empty());
}

TEST_CASE("options of the problem win over the plugin's, and an unknown one is shown") {
  const std::string code = "#ifdef __OPTIMIZE__\n#error optimised\n#endif\n" + plain_code;
  Source source("C++", code);
  CHECK(compile(source).status == BENCH_ERROR_COMPILE_FAILED);
  const char *option = "-O0";
  source.options = &option;
  source.option_count = 1;
  CHECK(compile(source).status == BENCH_OK);
  option = "--no-such-option";
  const Outcome outcome = compile(source);
  CHECK(outcome.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(contains(outcome.what, "no-such-option"));
}

TEST_CASE("headers beside the kernel's file are found") {
  const TempDir folder;
  folder.write("factor.h", "#define FACTOR 5\n");
  const std::string code = "#include \"factor.h\"\n" + scale_code;
  const std::string path = (folder.path() / "scale.c").string();
  Source source("C", code);
  source.path = path.c_str();
  CHECK(compile(source).status == BENCH_OK);
  source.path = "/nonexistent/scale.c";
  const Outcome outcome = compile(source);
  CHECK(outcome.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(contains(outcome.what, "factor.h"));
}

TEST_CASE("a language that is not known, and a source that requires too much, are unsupported") {
  for (const char *language : {"CUDA", "c++", ""}) {
    CHECK(compile(Source(language, plain_code)).status == BENCH_ERROR_UNSUPPORTED);
    Cpu cpu;
    CHECK(cpu.kernels->compiler(cpu.instance, language, nullptr, &cpu.error) ==
          BENCH_ERROR_UNSUPPORTED);
  }
  Source source("C", plain_code);
  source.required = 4;
  CHECK(compile(source).status == BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("a parameter that a CPU cannot have is unsupported") {
  bench_kernel_parameter_v1 parameter{sizeof parameter, BENCH_PARAMETER_LOCAL, 0, 2, 32, 1, "tile"};
  const bench_kernel_parameter_v1 *one = &parameter;
  Source source("C", plain_code);
  source.parameters = &one;
  source.parameter_count = 1;
  CHECK(contains(compile(source).what, "tile"));
  parameter.kind = BENCH_PARAMETER_VECTOR;
  parameter.dtype_code = 5;  // complex
  CHECK(compile(source).status == BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("a compiler that is absent is unsupported, and the message says which") {
  const Variable cxx("BENCH_CXX", "/nonexistent/c++");
  const Outcome outcome = compile(Source("C++", plain_code));
  CHECK(outcome.status == BENCH_ERROR_UNSUPPORTED);
  CHECK(contains(outcome.what, "/nonexistent/c++"));
  CHECK(contains(outcome.what, "BENCH_CXX"));
  Cpu cpu;
  std::string identity;
  const bench_writer_v1 writer = writer_to(identity);
  CHECK(cpu.kernels->compiler(cpu.instance, "C++", &writer, &cpu.error) == BENCH_ERROR_UNSUPPORTED);
  CHECK(cpu.kernels->compiler(cpu.instance, "C", &writer, &cpu.error) == BENCH_OK);  // BENCH_CC's
}

TEST_CASE("no compiler on PATH: the hint names a package") {
  const TempDir empty;
  const Variable path("PATH", empty.path().string());
  const Outcome outcome = compile(Source("C++", plain_code));
  CHECK(outcome.status == BENCH_ERROR_UNSUPPORTED);
  CHECK(contains(outcome.hint, "g++"));
}

TEST_CASE("a compiler that says nothing and writes nothing has failed") {
  const TempDir folder;
  const Variable cc("BENCH_CC", script(folder, "exit 0\n").string());
  const Outcome outcome = compile(Source("C", plain_code));
  CHECK(outcome.status == BENCH_ERROR_COMPILE_FAILED);
  const Variable failing("BENCH_CC", script(folder, "exit 3\n").string());
  CHECK(compile(Source("C", plain_code)).status == BENCH_ERROR_COMPILE_FAILED);
}

TEST_CASE("the deadline ends a compiler that hangs, with all that it started") {
  const TempDir folder;
  const std::string pid_file = (folder.path() / "pid").string();
  const Variable cc("BENCH_CC",
                    script(folder, "sleep 1000 &\necho $! >" + pid_file + "\nwait\n").string());
  Source source("C", plain_code);
  source.deadline_ns = now_ns() + 500'000'000;
  CHECK(compile(source).status == BENCH_ERROR_TIMEOUT);
  pid_t sleeper = 0;
  std::ifstream(pid_file) >> sleeper;
  REQUIRE(sleeper > 0);
  // Killed; whoever inherited it may take a moment to collect it, and its state is Z until then.
  char state = '?';
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::ifstream status("/proc/" + std::to_string(sleeper) + "/stat");
    std::string pid, name;
    if (!(status >> pid >> name >> state) || state == 'Z') {
      state = 'Z';
      break;
    }
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
  CHECK(state == 'Z');
  source.deadline_ns = now_ns() - 1;  // past at entry
  CHECK(compile(source).status == BENCH_ERROR_TIMEOUT);
}

TEST_CASE("temporary files are gone whatever became of the source") {
  const TempDir folder;
  const Variable temporary("TMPDIR", folder.path().string());
  CHECK(compile(Source("C", plain_code)).status == BENCH_OK);
  const std::string broken = "not C at all";
  CHECK(compile(Source("C", broken)).status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("no folder for temporary files is out of resources, and the message says why") {
  const TempDir folder;
  const Variable temporary("TMPDIR", (folder.path() / "absent").string());
  const Outcome outcome = compile(Source("C", plain_code));
  CHECK(outcome.status == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(contains(outcome.what, "TMPDIR"));
}

TEST_CASE("a writer that fails ends the compilation with its status") {
  Cpu cpu;
  const Source source("C", plain_code);
  const bench_writer_v1 full{sizeof full, 0, nullptr, [](void *, const void *, std::uint64_t) {
                               return static_cast<bench_status>(BENCH_ERROR_OUT_OF_RESOURCES);
                             }};
  CHECK(cpu.kernels->compile(cpu.instance, &source, &full, nullptr, &cpu.error) ==
        BENCH_ERROR_OUT_OF_RESOURCES);
}
