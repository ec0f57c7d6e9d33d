// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1 of the CUDA plugin: what its compile gives and says, by the real NVRTC.
#include <bench/ext/kernel.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

using nlohmann::json;

namespace {

const bench_ext_kernel_v1 &kernel_extension() {
  static const bench_ext_kernel_v1 *table = [] {
    void *library = ::dlopen(BENCH_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(::dlerror());
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    const bench_plugin_api_v1 *api = entry(nullptr, nullptr);
    return static_cast<const bench_ext_kernel_v1 *>(
        api->get_extension(nullptr, BENCH_EXT_KERNEL_V1));
  }();
  return *table;
}

struct Compiled {
  bench_status status = BENCH_OK;
  bench_error_v1 error{};
  std::string binary, log;
};

using Definitions = std::map<std::string, std::string>;

Compiled compile(const std::string &text, const char *name, const Definitions &definitions = {},
                 const std::vector<const char *> &options = {}, const char *language = "CUDA",
                 const char *architecture = "sm_90", const char *path = "kernel.cu") {
  std::vector<const char *> names, values;
  for (const auto &[key, value] : definitions) {
    names.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = language;
  source.path = path;
  source.text = text.c_str();
  source.text_size = text.size();
  source.name = name;
  source.architecture = architecture;
  source.options = options.data();
  source.option_count = static_cast<std::uint32_t>(options.size());
  source.definition_names = names.data();
  source.definition_values = values.data();
  source.definition_count = static_cast<std::uint32_t>(names.size());
  Compiled result;
  result.error.struct_size = sizeof result.error;
  const auto append = [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
    static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
    return BENCH_OK;
  };
  const bench_writer_v1 binary{sizeof binary, 0, &result.binary, append};
  const bench_writer_v1 log{sizeof log, 0, &result.log, append};
  result.status = kernel_extension().compile(nullptr, &source, &binary, &log, &result.error);
  return result;
}

std::string read(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

constexpr const char *plain = R"(
extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= FACTOR; }
template <typename T, int n> __global__ void shift(T *x) { x[threadIdx.x] += n; }
__global__ void mangled(float *x) { x[0] = 1; }
)";

}  // namespace

TEST_CASE("the compiler names itself and its version") {
  std::string text;
  const bench_writer_v1 writer{
      sizeof writer, 0, &text,
      [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
        static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
        return BENCH_OK;
      }};
  REQUIRE(kernel_extension().compiler(nullptr, "CUDA", &writer, nullptr) == BENCH_OK);
  CHECK(contains(text, "NVRTC 1"));
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  CHECK(kernel_extension().compiler(nullptr, "Fortran", &writer, &error) ==
        BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("C names, mangled names and templates compile; the image holds the compiled name") {
  const Definitions two{{"FACTOR", "2.0f"}};
  for (const char *name : {"scale", "mangled", "shift<float, 4>"}) {
    CAPTURE(name);
    const Compiled result = compile(plain, name, two);
    REQUIRE_MESSAGE(result.status == BENCH_OK, result.error.what);
    CHECK(contains(result.binary,
                   "\x7f"
                   "ELF"));
  }
  CHECK(contains(compile(plain, "shift<float, 4>", two).binary, "_Z5shiftIfLi4EEvPT_"));
}

TEST_CASE("an unknown device gets PTX that the driver compiles") {
  const Compiled result = compile(plain, "scale", {{"FACTOR", "1"}}, {}, "CUDA", "sm_999");
  REQUIRE_MESSAGE(result.status == BENCH_OK, result.error.what);
  CHECK(contains(result.binary, ".entry scale"));
  CHECK(compile(plain, "scale", {{"FACTOR", "1"}}, {}, "CUDA", "gfx942a").status != BENCH_OK);
}

TEST_CASE("a broken source is told by its first error, with the whole log beside") {
  const Compiled result =
      compile("extern \"C\" __global__ void f(float *x) {\n  x[0] = y;\n}\n", "f");
  CHECK(result.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(contains(result.error.what, "kernel.cu(2): error"));
  CHECK(contains(result.log, "\"y\" is undefined"));
  CHECK(result.binary.empty());
}

TEST_CASE("a kernel that is not there is told with those that are") {
  const Compiled result = compile(plain, "rotate", {{"FACTOR", "2"}});
  CHECK(result.status == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(contains(result.error.what, "no kernel rotate"));
  CHECK(contains(result.error.what, "scale"));
}

TEST_CASE("options, include folders and warnings reach the compiler and come back") {
  const Compiled unknown = compile(plain, "scale", {{"FACTOR", "2"}}, {"--no-such-option"});
  CHECK(unknown.status == BENCH_ERROR_COMPILE_FAILED);
  const Compiled include = compile("#include \"gemm.cu\"\n", "gemm",
                                   {{"SIZE", "64"},
                                    {"BM", "32"},
                                    {"BN", "32"},
                                    {"BK", "8"},
                                    {"TM", "2"},
                                    {"TN", "2"},
                                    {"VECTOR", "1"},
                                    {"PAD", "0"}},
                                   {}, "CUDA", "sm_90", BENCH_EXAMPLES "/gemm/another.cu");
  CHECK_MESSAGE(include.status == BENCH_OK, include.error.what);
  const Compiled warned =
      compile("extern \"C\" __global__ void f(float *x) { int unused; x[0] = 1; }", "f");
  CHECK(warned.status == BENCH_OK);
  CHECK(contains(warned.log, "unused"));
}

TEST_CASE("images are taken as they are, and only as what they are") {
  const std::string ptx =
      ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry f() { ret; }\n";
  CHECK(compile(ptx, "f", {}, {}, "PTX").status == BENCH_OK);
  const Compiled wrong = compile(ptx, "f", {}, {}, "CUBIN");
  CHECK(wrong.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(contains(wrong.error.what, "PTX"));
  CHECK(compile("no image at all", "f", {}, {}, "PTX").status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(compile(ptx, "f", {}, {}, "HIP").status == BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("the examples and their references compile as they stand") {
  for (const std::string example : {"gemm", "conv2d", "reduce", "softmax"}) {
    CAPTURE(example);
    const std::string folder = BENCH_EXAMPLES "/" + example + "/";
    const json problem = json::parse(read(folder + example + "_cuda.json"));
    Definitions definitions;
    for (const json &parameter : problem["ConfigurationSpace"]["TuningParameters"])
      definitions[parameter["Name"]] = parameter["Default"].dump();
    const json &kernel = problem["KernelSpecification"];
    const json &reference = problem["x-bench"]["ReferenceKernel"];
    for (const json &one : {kernel, reference}) {
      const std::string file = folder + one["KernelFile"].get<std::string>();
      const Compiled result = compile(read(file), one["KernelName"].get<std::string>().c_str(),
                                      definitions, {}, "CUDA", "sm_90", file.c_str());
      CHECK_MESSAGE(result.status == BENCH_OK, file << ": " << result.error.what);
      CHECK_MESSAGE(result.log.empty(), result.log);
    }
  }
}
