// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <thread>

#include "cpu_plugin.hpp"

using bench::test::Cpu;
using bench::test::descriptor_count;
using bench::test::Error;
using bench::test::scale_code;
using bench::test::Source;
using bench::test::writer_to;

namespace {

/// Binary of `source` with the macro FACTOR.
std::string compile(Cpu &cpu, Source source, const char *factor = "2") {
  const char *name = "FACTOR";
  source.definition_names = &name;
  source.definition_values = &factor;
  source.definition_count = 1;
  std::string binary, log;
  const bench_writer_v1 binary_writer = writer_to(binary), log_writer = writer_to(log);
  Error error;
  const bench_status status =
      cpu.kernels->compile(cpu.instance, &source, &binary_writer, &log_writer, &error);
  REQUIRE_MESSAGE(status == BENCH_OK, error.what);
  return binary;
}

bench_kernel_v1 *load(Cpu &cpu, const std::string &binary) {
  const Source source("C", scale_code);
  bench_kernel_v1 *kernel = nullptr;
  bench_kernel_resources_v1 resources;
  std::memset(&resources, 0xff, sizeof resources);
  resources.struct_size = sizeof resources;
  Error error;
  const bench_status status = cpu.kernels->load(
      cpu.instance, cpu.device, &cpu.stream, binary.data(), binary.size(), "scale",
      source.parameters, source.parameter_count, &kernel, &resources, &error);
  REQUIRE_MESSAGE(status == BENCH_OK, error.what);
  return kernel;
}

/// Runs `kernel` over {1, 2, 3}; the third element of the result is left out of its count.
std::array<float, 3> launch(Cpu &cpu, bench_kernel_v1 *kernel, bench_status expected = BENCH_OK,
                            std::uint32_t required = 0) {
  const std::array<float, 3> input{1, 2, 3};
  std::array<float, 3> output{-1, -1, -1};
  const float *input_pointer = input.data();
  float *output_pointer = output.data();
  const std::int32_t count = 2;
  const void *const arguments[] = {&input_pointer, &output_pointer, &count};
  const std::uint64_t sizes[] = {sizeof input_pointer, sizeof output_pointer, sizeof count};
  bench_kernel_launch_v1 call{};
  call.struct_size = sizeof call;
  for (int axis = 0; axis < 3; ++axis) call.grid[axis] = call.block[axis] = 1;
  call.arguments = arguments;
  call.argument_sizes = sizes;
  call.argument_count = 3;
  call.required = required;
  Error error;
  CHECK(cpu.kernels->launch(cpu.instance, cpu.device, kernel, &call, &cpu.stream, &error) ==
        expected);
  return output;
}

}  // namespace

TEST_CASE("a kernel is compiled, loaded and launched with its arguments, in both languages") {
  Cpu cpu;
  for (const char *language : {"C", "C++"}) {
    CAPTURE(std::string(language));
    bench_kernel_v1 *kernel = load(cpu, compile(cpu, Source(language, scale_code)));
    CHECK(launch(cpu, kernel) == std::array<float, 3>{2, 4, -1});
    cpu.kernels->unload(cpu.instance, cpu.device, kernel);
  }
  cpu.kernels->unload(cpu.instance, cpu.device, nullptr);
}

TEST_CASE("kernels of equal names stay apart, also when one was unloaded") {
  Cpu cpu;
  const std::string twice = compile(cpu, Source("C", scale_code), "2"),
                    thrice = compile(cpu, Source("C", scale_code), "3");
  bench_kernel_v1 *first = load(cpu, twice), *second = load(cpu, thrice);
  CHECK(launch(cpu, first) == std::array<float, 3>{2, 4, -1});
  CHECK(launch(cpu, second) == std::array<float, 3>{3, 6, -1});
  cpu.kernels->unload(cpu.instance, cpu.device, first);
  bench_kernel_v1 *third = load(cpu, thrice);
  CHECK(launch(cpu, third) == std::array<float, 3>{3, 6, -1});
  cpu.kernels->unload(cpu.instance, cpu.device, second);
  cpu.kernels->unload(cpu.instance, cpu.device, third);
}

TEST_CASE("the configuration's sizes are macros") {
  Cpu cpu;
  const std::string code =
      "void scale(const float *, float *output, int) {\n"
      "  output[0] = BENCH_GRID_X * 100 + BENCH_GRID_Y * 10 + BENCH_GRID_Z;\n"
      "  output[1] = BENCH_BLOCK_X * 100 + BENCH_BLOCK_Y * 10 + BENCH_BLOCK_Z;\n"
      "}\n";
  Source source("C++", code);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    source.grid[axis] = axis + 1;
    source.block[axis] = axis + 4;
  }
  bench_kernel_v1 *kernel = load(cpu, compile(cpu, source));
  CHECK(launch(cpu, kernel) == std::array<float, 3>{123, 456, -1});
  cpu.kernels->unload(cpu.instance, cpu.device, kernel);
}

TEST_CASE("a global of the kernel has an address and a size") {
  Cpu cpu;
  const std::string code =
      "__attribute__((visibility(\"default\"))) float weights[5] = {7};\n"
      "void scale(const float *input, float *output, int) { output[0] = weights[0] * input[0]; }\n";
  bench_kernel_v1 *kernel = load(cpu, compile(cpu, Source("C++", code)));
  void *memory = nullptr;
  std::uint64_t size = 0;
  REQUIRE(cpu.kernels->symbol(cpu.instance, cpu.device, kernel, "weights", &memory, &size,
                              &cpu.error) == BENCH_OK);
  CHECK(size == 5 * sizeof(float));
  const float weight = 9;
  REQUIRE(cpu.api.memory_copy(cpu.instance, cpu.device, memory, 0, &weight, 0, sizeof weight,
                              BENCH_COPY_TO_DEVICE, &cpu.stream, &cpu.error) == BENCH_OK);
  CHECK(launch(cpu, kernel)[0] == 9);
  CHECK(cpu.kernels->symbol(cpu.instance, cpu.device, kernel, "absent", &memory, &size,
                            &cpu.error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(memory == nullptr);
  CHECK(cpu.error.complete());
  cpu.kernels->unload(cpu.instance, cpu.device, kernel);
}

TEST_CASE("bytes that are no kernel do not load") {
  Cpu cpu;
  const Source source("C", scale_code);
  for (const std::string &binary : {std::string(), std::string("not an object"),
                                    std::string("\x7f"
                                                "ELF") +
                                        std::string(60, '\0')}) {
    bench_kernel_v1 *kernel = reinterpret_cast<bench_kernel_v1 *>(&cpu);
    Error error;
    CHECK(cpu.kernels->load(cpu.instance, cpu.device, &cpu.stream, binary.data(), binary.size(),
                            "scale", source.parameters, source.parameter_count, &kernel, nullptr,
                            &error) == BENCH_ERROR_INVALID_ARGUMENT);
    CHECK(kernel == nullptr);
    CHECK(error.complete());
  }
}

TEST_CASE("a kernel that calls what nobody defines does not load, and the message names it") {
  Cpu cpu;
  const std::string code =
      "void missing_helper(void);\n"
      "void scale(const float *input, float *output, int count) { missing_helper(); }\n";
  const std::string binary = compile(cpu, Source("C", code));
  bench_kernel_v1 *kernel = nullptr;
  CHECK(cpu.kernels->load(cpu.instance, cpu.device, &cpu.stream, binary.data(), binary.size(),
                          "scale", nullptr, 0, &kernel, nullptr,
                          &cpu.error) == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(cpu.error.what).find("missing_helper") != std::string::npos);
}

TEST_CASE("a launch that requires what is unknown does not run") {
  Cpu cpu;
  bench_kernel_v1 *kernel = load(cpu, compile(cpu, Source("C", scale_code)));
  CHECK(launch(cpu, kernel, BENCH_ERROR_UNSUPPORTED, 1) == std::array<float, 3>{-1, -1, -1});
  cpu.kernels->unload(cpu.instance, cpu.device, kernel);
}

TEST_CASE("a kernel is loaded on no other device") {
  Cpu cpu;
  const std::string binary = compile(cpu, Source("C", scale_code));
  bench_kernel_v1 *kernel = nullptr;
  CHECK(cpu.kernels->load(cpu.instance, cpu.stranger, &cpu.stream, binary.data(), binary.size(),
                          "scale", nullptr, 0, &kernel, nullptr,
                          &cpu.error) == BENCH_ERROR_NO_DEVICE);
  bench_kernel_limits_v1 limits{};
  limits.struct_size = sizeof limits;
  CHECK(cpu.kernels->limits(cpu.instance, cpu.stranger, &limits, nullptr) == BENCH_ERROR_NO_DEVICE);
  CHECK(cpu.kernels->limits(cpu.instance, cpu.device, &limits, nullptr) == BENCH_OK);
  CHECK(limits.max_threads_per_block == 0);  // no limit
}

TEST_CASE("loading again and again holds no descriptor") {
  Cpu cpu;
  const std::string binary = compile(cpu, Source("C", scale_code));
  cpu.kernels->unload(cpu.instance, cpu.device, load(cpu, binary));
  const std::size_t before = descriptor_count();
  for (int i = 0; i < 50; ++i) cpu.kernels->unload(cpu.instance, cpu.device, load(cpu, binary));
  CHECK(descriptor_count() == before);
}

TEST_CASE("threads compile side by side, each its own kernel") {
  constexpr int thread_count = 4;
  Cpu cpu;
  std::array<std::string, thread_count> binaries;
  std::array<bench_status, thread_count> statuses{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      Source source(i % 2 ? "C" : "C++", scale_code);
      const char *name = "FACTOR";
      const std::string value = std::to_string(i + 1);
      const char *text = value.c_str();
      source.definition_names = &name;
      source.definition_values = &text;
      source.definition_count = 1;
      const bench_writer_v1 writer = writer_to(binaries[i]);
      statuses[i] = cpu.kernels->compile(cpu.instance, &source, &writer, nullptr, nullptr);
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (std::size_t i = 0; i < thread_count; ++i) {
    REQUIRE(statuses[i] == BENCH_OK);
    bench_kernel_v1 *kernel = load(cpu, binaries[i]);
    const auto factor = static_cast<float>(i + 1);
    CHECK(launch(cpu, kernel) == std::array<float, 3>{factor, 2 * factor, -1});
    cpu.kernels->unload(cpu.instance, cpu.device, kernel);
  }
}
