// SPDX-License-Identifier: Apache-2.0
// OpenCL C by the real offline compiler, where the machine has it; the hint where it has not.
#include <fstream>
#include <iterator>
#include <tuple>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::writer_to;
using bench::test::Xpu;

namespace {

const std::string code =
    "kernel void scale(global const float *input, global float *output, int count) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < count) output[i] = FACTOR * input[i];\n"
    "}\n";

/// Its parts open each other with RTLD_DEEPBIND, which the address sanitizer ends the process for.
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

bool compiler_is_here() {
  static void *const library = ::dlopen("libocloc.so", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr;
}

struct Compiled {
  bench_status status;
  std::string binary, log;
  Error error;
};

using Definitions = std::vector<std::pair<const char *, const char *>>;

Compiled compile(Xpu &xpu, const std::string &text, std::int64_t deadline_ns = 0,
                 const Definitions &definitions = {{"FACTOR", "(1 + 1)"}}) {  // with spaces
  std::vector<const char *> names, values;
  for (const auto &[name, value] : definitions) {
    names.push_back(name);
    values.push_back(value);
  }
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = "OpenCL";
  source.path = "folder/scale.cl";
  source.text = text.data();
  source.text_size = text.size();
  source.name = "scale";
  source.architecture = "0x56a0";
  source.definition_names = names.data();
  source.definition_values = values.data();
  source.definition_count = static_cast<std::uint32_t>(names.size());
  source.deadline_ns = deadline_ns;
  Compiled result;
  const bench_writer_v1 binary = writer_to(result.binary), log = writer_to(result.log);
  result.status = xpu.kernels->compile(xpu.instance, &source, &binary, &log, &result.error);
  return result;
}

}  // namespace

TEST_CASE("without the compiler the hint names the package that brings it") {
  if (compiler_is_here()) return;
  Xpu xpu;
  std::string identity;
  const bench_writer_v1 writer = writer_to(identity);
  CHECK(xpu.kernels->compiler(xpu.instance, "OpenCL", &writer, &xpu.error) ==
        BENCH_ERROR_UNSUPPORTED);
  CHECK(xpu.error.has("libocloc.so"));
  CHECK(std::strstr(xpu.error.hint, "intel-opencl-icd") != nullptr);
  CHECK(compile(xpu, code).status == BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("OpenCL C becomes SPIR-V that names its kernel") {
  if (!compiler_is_here() || sanitized) return;
  Xpu xpu;
  std::string identity;
  const bench_writer_v1 writer = writer_to(identity);
  REQUIRE_OK(xpu.kernels->compiler(xpu.instance, "OpenCL", &writer, &xpu.error), xpu.error);
  CHECK(identity.find("ocloc") == 0);
  const Compiled compiled = compile(xpu, code);
  REQUIRE_MESSAGE(compiled.status == BENCH_OK, compiled.error.what);
  bench_kernel_v1 *kernel = nullptr;
  REQUIRE_OK(
      xpu.kernels->load(xpu.instance, xpu.device, &xpu.stream(), compiled.binary.data(),
                        compiled.binary.size(), "scale", nullptr, 0, &kernel, nullptr, &xpu.error),
      xpu.error);
  xpu.kernels->unload(xpu.instance, xpu.device, kernel);
}

TEST_CASE("an error has the user's file and line, and the log") {
  if (!compiler_is_here() || sanitized) return;
  Xpu xpu;
  const Compiled compiled = compile(xpu, "\nkernel void scale() { int i = 1 +; }\n");
  CHECK(compiled.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(compiled.error.has("folder/scale.cl:2"));
  CHECK(compiled.error.complete());
  CHECK(compiled.log.find("expected expression") != std::string::npos);
}

TEST_CASE("a deadline that is over compiles nothing") {
  if (!compiler_is_here() || sanitized) return;
  Xpu xpu;
  CHECK(compile(xpu, code, 1).status == BENCH_ERROR_TIMEOUT);
}

TEST_CASE("the example problems compile") {
  if (!compiler_is_here() || sanitized) return;
  Xpu xpu;
  const std::tuple<const char *, const char *, Definitions> kernels[] = {
      {"gemm/gemm.cl", "gemm", {{"SIZE", "1024"}, {"TILE", "16"}, {"ROWS", "4"}, {"PAD", "1"}}},
      {"gemm/gemm_reference.cl", "gemm_reference", {{"SIZE", "1024"}}},
      {"conv2d/conv2d.cl",
       "conv2d",
       {{"WIDTH", "2048"},
        {"FILTER", "7"},
        {"BLOCK_X", "32"},
        {"BLOCK_Y", "4"},
        {"PIXELS", "2"},
        {"CACHED", "1"}}},
      {"conv2d/conv2d_reference.cl",
       "conv2d_reference",
       {{"WIDTH", "2048"}, {"HEIGHT", "2048"}, {"FILTER", "7"}}},
      {"reduce/reduce.cl", "reduce", {{"BLOCK", "128"}, {"GROUPS", "64"}, {"VECTOR", "4"}}},
      {"reduce/reduce_reference.cl", "reduce_reference", {}}};
  for (const auto &[file, name, definitions] : kernels) {
    CAPTURE(file);
    std::ifstream stream(std::string(BENCH_TEST_SOURCE_DIR "/examples/") + file);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const Compiled compiled = compile(xpu, text, 0, definitions);
    CHECK_MESSAGE(compiled.status == BENCH_OK, compiled.error.what);
    CHECK(compiled.binary.find(name) != std::string::npos);
  }
}
