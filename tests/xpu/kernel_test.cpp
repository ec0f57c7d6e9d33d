// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: SPIR-V in, launches out.
#include <array>

#include "xpu_plugin.hpp"

using bench::test::Error;
using bench::test::LoadedKernel;
using bench::test::spirv_module;
using bench::test::writer_to;
using bench::test::Xpu;

namespace {

constexpr std::uint32_t vector = BENCH_PARAMETER_VECTOR, scalar = BENCH_PARAMETER_SCALAR,
                        local = BENCH_PARAMETER_LOCAL, symbol = BENCH_PARAMETER_SYMBOL;

std::uint32_t word(std::uint32_t length, std::uint32_t opcode) {
  return length << 16 | opcode;
}

/// A kernel `empty` with the specialization constants WIDTH (32 bit integer, id 3) and FACTOR
/// (float, id 4).
std::string module_with_constants() {
  const std::vector<std::uint32_t> words{
      0x07230203,  0x00010000, 0,          100,        0,
      word(5, 15), 6,          1,          0x74706d65, 0x00000079,  // OpEntryPoint "empty"
      word(4, 5),  20,         0x54444957, 0x00000048,              // OpName 20 "WIDTH"
      word(4, 5),  21,         0x54434146, 0x0000524f,              // OpName 21 "FACTOR"
      word(4, 71), 20,         1,          3,                       // OpDecorate 20 SpecId 3
      word(4, 71), 21,         1,          4,                       // OpDecorate 21 SpecId 4
      word(4, 21), 10,         32,         0,                       // OpTypeInt 10
      word(3, 22), 11,         32,                                  // OpTypeFloat 11
      word(4, 50), 10,         20,         1,                       // OpSpecConstant
      word(4, 50), 11,         21,         0x3f800000,
  };
  return std::string(reinterpret_cast<const char *>(words.data()), words.size() * 4);
}

struct Compiled {
  bench_status status;
  std::string binary, log;
  Error error;
};

Compiled compile(Xpu &xpu, const std::string &text,
                 const std::vector<std::pair<const char *, const char *>> &definitions = {},
                 const std::vector<const char *> &options = {}, const char *language = "SPIR-V") {
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = language;
  source.text = text.data();
  source.text_size = text.size();
  source.name = "empty";
  source.architecture = "";
  std::vector<const char *> names, values;
  for (const auto &[name, value] : definitions) {
    names.push_back(name);
    values.push_back(value);
  }
  source.definition_names = names.data();
  source.definition_values = values.data();
  source.definition_count = static_cast<std::uint32_t>(names.size());
  source.options = options.data();
  source.option_count = static_cast<std::uint32_t>(options.size());
  Compiled result;
  const bench_writer_v1 binary = writer_to(result.binary), log = writer_to(result.log);
  result.status = xpu.kernels->compile(xpu.instance, &source, &binary, &log, &result.error);
  return result;
}

bench_status load(Xpu &xpu, const std::string &binary, const char *name, Error &error) {
  bench_kernel_v1 *kernel = nullptr;
  const bench_status status =
      xpu.kernels->load(xpu.instance, xpu.device, &xpu.stream(), binary.data(), binary.size(), name,
                        nullptr, 0, &kernel, nullptr, &error);
  CHECK((kernel != nullptr) == (status == BENCH_OK));
  xpu.kernels->unload(xpu.instance, xpu.device, kernel);
  return status;
}

}  // namespace

TEST_CASE("a kernel computes on device memory") {
  Xpu xpu;
  LoadedKernel kernel(xpu, "scale", {vector, vector, scalar});
  const std::array<float, 4> input{1, 2, 3, 4};
  std::array<float, 4> output{-1, -1, -1, -1};
  void *from = xpu.allocate(sizeof input), *to = xpu.allocate(sizeof output);
  const auto copy = [&](void *target, const void *source, std::uint32_t direction) {
    REQUIRE_OK(xpu.api.memory_copy(xpu.instance, xpu.device, target, 0, source, 0, sizeof input,
                                   direction, &xpu.stream(), &xpu.error),
               xpu.error);
  };
  copy(from, input.data(), BENCH_COPY_TO_DEVICE);
  copy(to, output.data(), BENCH_COPY_TO_DEVICE);
  const std::int32_t count = 3;
  REQUIRE_OK(kernel.launch(xpu.stream(), {&from, &to, &count}, {8, 8, 4}, 2, 2), xpu.error);
  copy(output.data(), to, BENCH_COPY_FROM_DEVICE);
  CHECK(output == std::array<float, 4>{2, 4, 6, -1});
  xpu.api.memory_free(xpu.instance, xpu.device, from);
  xpu.api.memory_free(xpu.instance, xpu.device, to);
}

TEST_CASE("local memory is a size, symbols are not in the call") {
  Xpu xpu;
  static std::uint64_t seen_bytes;
  xpu.control.register_kernel(
      {"with_local", 2,
       [](const void *const *arguments, const std::uint32_t(&)[3], const std::uint32_t(&)[3]) {
         std::uint8_t *memory = *static_cast<std::uint8_t *const *>(arguments[0]);
         std::memset(memory, 1, 4096);
         seen_bytes = *static_cast<const std::uint32_t *>(arguments[1]);
       },
       [](const std::uint32_t(&)[3], const std::uint32_t(&)[3]) { return std::uint64_t{1}; }});
  LoadedKernel kernel(xpu, "with_local", {symbol, local, scalar});
  const std::uint64_t size = 4096, too_large = 65537;
  const std::uint32_t value = 42;
  REQUIRE_OK(kernel.launch(xpu.stream(), {&size, &value}, {8, 4}), xpu.error);
  CHECK(seen_bytes == 42);
  CHECK(kernel.launch(xpu.stream(), {&too_large, &value}, {8, 4}) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(xpu.error.has("65537"));
  CHECK(kernel.launch(xpu.stream(), {&size}, {8}) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(xpu.error.complete());
}

TEST_CASE("definitions become specialization constants; others are told in the log") {
  Xpu xpu;
  const Compiled compiled =
      compile(xpu, module_with_constants(), {{"WIDTH", "17"}, {"BLOCK", "8"}}, {"-ze-opt-disable"});
  REQUIRE_MESSAGE(compiled.status == BENCH_OK, compiled.error.what);
  CHECK(compiled.log.find("BLOCK") != std::string::npos);
  CHECK(compiled.log.find("WIDTH") == std::string::npos);
  Error error;
  REQUIRE_OK(load(xpu, compiled.binary, "empty", error), error);
  CHECK(std::string(xpu.control.build_flags) == "-ze-opt-disable");
  CHECK(xpu.control.constant_count == 1);
  CHECK(xpu.control.last_constant == 17);
  const Compiled real = compile(xpu, module_with_constants(), {{"FACTOR", "0.5"}});
  REQUIRE_MESSAGE(real.status == BENCH_OK, real.error.what);
  REQUIRE_OK(load(xpu, real.binary, "empty", error), error);
  const float half = 0.5f;
  CHECK(std::memcmp(&xpu.control.last_constant, &half, sizeof half) == 0);
  const Compiled wrong = compile(xpu, module_with_constants(), {{"WIDTH", "wide"}});
  CHECK(wrong.status == BENCH_ERROR_CONFIG_REJECTED);
  CHECK(wrong.error.has("WIDTH"));
  CHECK(wrong.error.has("wide"));
}

TEST_CASE("what is no SPIR-V is refused by compile, what is no module by load") {
  Xpu xpu;
  const std::string module = spirv_module({"empty"});
  for (const std::string &text :
       {std::string(), std::string("kernel void empty() {}"), module.substr(0, 12),
        module.substr(0, module.size() - 4), module + "x", module + std::string(4, '\0')}) {
    CAPTURE(text.size());
    const Compiled compiled = compile(xpu, text);
    CHECK(compiled.status == BENCH_ERROR_COMPILE_FAILED);
    CHECK(compiled.error.complete());
  }
  const std::string packed = compile(xpu, module).binary;
  for (const std::string &bytes : {std::string(), std::string("BXPUMOD1"),
                                   packed.substr(0, packed.size() - 1), packed + "x"}) {
    Error error;
    CHECK(load(xpu, bytes, "empty", error) == BENCH_ERROR_INVALID_ARGUMENT);
    CHECK(error.complete());
  }
  // Lengths that overflow when they are added.
  std::string spoilt = packed;
  std::memset(spoilt.data() + 8, 0xff, 16);
  Error error;
  CHECK(load(xpu, spoilt, "empty", error) == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("a build that fails shows the driver's log, where the loader can give it") {
  Xpu xpu;
  xpu.control.build_fails = true;
  // The loader of several drivers loses the log of a build that failed; it must not crash.
  const bool several_drivers = std::getenv("ZE_ENABLE_LOADER_INTERCEPT") != nullptr;
  Error error;
  CHECK(load(xpu, spirv_module({"empty"}), "empty", error) == BENCH_ERROR_COMPILE_FAILED);
  CHECK(error.has("undefined reference to `missing_function'") != several_drivers);
  CHECK(error.has("several Level Zero drivers") == several_drivers);
  CHECK(std::string(error.vendor_name) == "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE");
  CHECK(error.vendor_code == 0x70000004);
  CHECK(error.complete());
  const bool logged = xpu.logged.find("backend compiler failed") != std::string::npos;
  CHECK(logged != several_drivers);                  // the whole of it
  if (several_drivers) xpu.expect_all_back = false;  // the log itself
}

TEST_CASE("a build that fails only in its log has failed") {
  Xpu xpu;
  xpu.control.build_fails_late = true;
  Error error;
  CHECK(load(xpu, spirv_module({"empty"}), "empty", error) == BENCH_ERROR_COMPILE_FAILED);
  CHECK(error.has("double is not supported"));
  CHECK(error.complete());
}

TEST_CASE("a kernel that is not there is answered with those that are") {
  Xpu xpu;
  Error error;
  CHECK(load(xpu, spirv_module({"empty", "scale"}), "skale", error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(error.has("skale"));
  CHECK(error.has("empty, scale"));
  CHECK(std::string(error.vendor_name) == "ZE_RESULT_ERROR_INVALID_KERNEL_NAME");
}

TEST_CASE("globals of the module are memory") {
  Xpu xpu;
  LoadedKernel kernel(xpu, "empty");
  void *memory = nullptr;
  std::uint64_t size = 0;
  REQUIRE_OK(xpu.kernels->symbol(xpu.instance, xpu.device, kernel.kernel, "coefficients", &memory,
                                 &size, &xpu.error),
             xpu.error);
  CHECK(size == 64);
  const std::array<std::uint8_t, 64> values{1, 2, 3};
  std::array<std::uint8_t, 64> seen{};
  REQUIRE_OK(xpu.api.memory_copy(xpu.instance, xpu.device, memory, 0, values.data(), 0, 64,
                                 BENCH_COPY_TO_DEVICE, &xpu.stream(), &xpu.error),
             xpu.error);
  REQUIRE_OK(xpu.api.memory_copy(xpu.instance, xpu.device, seen.data(), 0, memory, 0, 64,
                                 BENCH_COPY_FROM_DEVICE, &xpu.stream(), &xpu.error),
             xpu.error);
  CHECK(seen == values);
  CHECK(xpu.kernels->symbol(xpu.instance, xpu.device, kernel.kernel, "nothing", &memory, &size,
                            &xpu.error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(memory == nullptr);
  CHECK(xpu.error.has("nothing"));
}

TEST_CASE("the device's limits are told, and a launch beyond them is refused with the numbers") {
  Xpu xpu;
  bench_kernel_limits_v1 limits{};
  limits.struct_size = sizeof limits;
  REQUIRE_OK(xpu.kernels->limits(xpu.instance, xpu.device, &limits, &xpu.error), xpu.error);
  CHECK(limits.max_threads_per_block == 1024);
  CHECK(limits.max_block[2] == 1024);
  CHECK(limits.max_grid[0] == 1u << 30);
  CHECK(limits.max_shared_bytes == 65536);
  CHECK(limits.subgroup_size == 32);
  LoadedKernel kernel(xpu, "empty");
  CHECK(kernel.launch(xpu.stream(), {}, {}, 1, 1025) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(xpu.error.has("1025"));
  CHECK(xpu.error.has("1024"));
  CHECK(kernel.launch(xpu.stream(), {}, {}, (1u << 30) + 1) == BENCH_ERROR_OUT_OF_RESOURCES);
  bench_kernel_launch_v1 call{};
  call.struct_size = sizeof call;
  for (int axis = 0; axis < 3; ++axis) call.grid[axis] = call.block[axis] = 1;
  call.block[0] = call.block[1] = 64;
  CHECK(xpu.kernels->launch(xpu.instance, xpu.device, kernel.kernel, &call, &xpu.stream(),
                            &xpu.error) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(xpu.error.has("4096"));
  call.block[1] = 1;
  call.shared_bytes = 16;
  CHECK(xpu.kernels->launch(xpu.instance, xpu.device, kernel.kernel, &call, &xpu.stream(),
                            &xpu.error) == BENCH_ERROR_UNSUPPORTED);
  call.shared_bytes = 0;
  call.required = 1;
  CHECK(xpu.kernels->launch(xpu.instance, xpu.device, kernel.kernel, &call, &xpu.stream(),
                            &xpu.error) == BENCH_ERROR_UNSUPPORTED);
  CHECK(xpu.control.launches == 0);
}

TEST_CASE("resources are told where Level Zero knows them") {
  Xpu xpu;
  const std::string module = spirv_module({"empty"});
  bench_kernel_resources_v1 resources;
  std::memset(&resources, 0xff, sizeof resources);
  resources.struct_size = sizeof resources;
  bench_kernel_v1 *kernel = nullptr;
  REQUIRE_OK(xpu.kernels->load(xpu.instance, xpu.device, &xpu.stream(), module.data(),
                               module.size(), "empty", nullptr, 0, &kernel, &resources, &xpu.error),
             xpu.error);
  CHECK(resources.registers_per_thread == UINT32_MAX);  // unknown, not zero
  CHECK(resources.shared_bytes == 2048);
  CHECK(resources.local_bytes == 96);
  CHECK(resources.max_threads_per_block == 1024);
  xpu.kernels->unload(xpu.instance, xpu.device, kernel);
  xpu.kernels->unload(xpu.instance, xpu.device, nullptr);
}

TEST_CASE("other languages are refused by name, and a writer's failure is the caller's") {
  Xpu xpu;
  const Compiled cuda = compile(xpu, "", {}, {}, "CUDA");
  CHECK(cuda.status == BENCH_ERROR_UNSUPPORTED);
  CHECK(cuda.error.has("CUDA"));
  std::string identity;
  const bench_writer_v1 writer = writer_to(identity);
  CHECK(xpu.kernels->compiler(xpu.instance, "SPIR-V", &writer, &xpu.error) == BENCH_OK);
  CHECK_FALSE(identity.empty());
  const bench_writer_v1 broken{
      sizeof(bench_writer_v1), 0, nullptr,
      [](void *, const void *, std::uint64_t) -> bench_status { return BENCH_ERROR_CANCELLED; }};
  CHECK(xpu.kernels->compiler(xpu.instance, "SPIR-V", &broken, &xpu.error) ==
        BENCH_ERROR_CANCELLED);
}
