// SPDX-License-Identifier: Apache-2.0
// The cpu plugin as a core sees it: opened by its file, used through its table.
#pragma once
#include <bench/ext/kernel.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace bench::test {

/// The table; the library stays open for the life of the process, as in a core.
inline const bench_plugin_api_v1 &cpu_api() {
  static const bench_plugin_api_v1 *const api = [] {
    void *library = ::dlopen(BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_cpu.so",
                             RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, ::dlerror());
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    REQUIRE_MESSAGE(!!entry, "the entry symbol is not exported");
    const bench_plugin_api_v1 *table = entry(nullptr, nullptr);
    REQUIRE(table != nullptr);
    CHECK(entry(nullptr, nullptr) == table);
    return table;
  }();
  return *api;
}

struct Error : bench_error_v1 {
  Error() : bench_error_v1{} { struct_size = sizeof(bench_error_v1); }
  /// Every failure says what happened, where, and what to do.
  bool complete() const { return *what && *where && *hint && status < 0; }
};

class Cpu {
 public:
  Cpu() : api(cpu_api()) {
    REQUIRE(api.open(nullptr, nullptr, &instance, &error) == BENCH_OK);
    stream.struct_size = sizeof stream;
    REQUIRE(api.stream_create(instance, device, &stream, &error) == BENCH_OK);
    kernels =
        static_cast<const bench_ext_kernel_v1 *>(api.get_extension(instance, BENCH_EXT_KERNEL_V1));
    REQUIRE(kernels != nullptr);
  }
  ~Cpu() {
    api.stream_destroy(instance, device, &stream);
    api.close(instance);
  }
  Cpu(const Cpu &) = delete;  // the instance is closed once
  Cpu &operator=(const Cpu &) = delete;

  const bench_plugin_api_v1 &api;
  const bench_ext_kernel_v1 *kernels = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device{BENCH_DEVICE_CPU, 0};
  bench_device_v1 stranger{BENCH_DEVICE_CUDA, 0};
  bench_stream_v1 stream{};
  Error error;
};

inline bench_status append(void *user, const void *bytes, std::uint64_t size) {
  static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
  return BENCH_OK;
}
inline bench_writer_v1 writer_to(std::string &text) {
  return {sizeof(bench_writer_v1), 0, &text, append};
}

/// A kernel's source with the arguments (const float *input, float *output, int32_t count).
struct Source : bench_kernel_source_v1 {
  Source(const char *language_name, const std::string &code, const char *kernel_name = "scale")
      : bench_kernel_source_v1{} {
    static const bench_kernel_parameter_v1 input{sizeof(bench_kernel_parameter_v1),
                                                 BENCH_PARAMETER_VECTOR,
                                                 BENCH_ACCESS_READ,
                                                 2,
                                                 32,
                                                 1,
                                                 "input"},
        output{sizeof(bench_kernel_parameter_v1),
               BENCH_PARAMETER_VECTOR,
               BENCH_ACCESS_READ | BENCH_ACCESS_WRITE,
               2,
               32,
               1,
               "output"},
        count{sizeof(bench_kernel_parameter_v1),
              BENCH_PARAMETER_SCALAR,
              BENCH_ACCESS_READ,
              0,
              32,
              1,
              "count"};
    static const bench_kernel_parameter_v1 *const all[] = {&input, &output, &count};
    struct_size = sizeof(bench_kernel_source_v1);
    language = language_name;
    text = code.data();
    text_size = code.size();
    name = kernel_name;
    path = "";
    architecture = "";
    parameters = all;
    parameter_count = 3;
    for (int axis = 0; axis < 3; ++axis) grid[axis] = block[axis] = 1;
  }
};

/// Multiplies by the macro FACTOR; right in C and in C++.
inline const std::string scale_code =
    "void scale(const float *input, float *output, int count) {\n"
    "  for (int i = 0; i < count; ++i) output[i] = FACTOR * input[i];\n"
    "}\n";

/// Open descriptors of this process.
inline std::size_t descriptor_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

}  // namespace bench::test
