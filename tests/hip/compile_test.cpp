// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: sources through hiprtc, and code objects that are good, foreign or damaged.
#include <bench/ext/kernel.h>
#include <elf.h>

#include <cstring>
#include <vector>

#include "hip_device.hpp"

namespace {

struct Compiled {
  bench_status status;
  std::string bytes, log;
};

bench_status append(void *user, const void *bytes, std::uint64_t size) {
  static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
  return BENCH_OK;
}

Compiled compile(Hip &hip, const char *language, const std::string &text, const char *name,
                 const char *architecture = "gfx942:sramecc+:xnack-") {
  Compiled result;
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = language;
  source.path = "add.hip";
  source.text = text.data();
  source.text_size = text.size();
  source.name = name;
  source.architecture = architecture;
  const bench_writer_v1 bytes{sizeof(bench_writer_v1), 0, &result.bytes, append};
  const bench_writer_v1 log{sizeof(bench_writer_v1), 0, &result.log, append};
  result.status = hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1)
                      .compile(hip.instance, &source, &bytes, &log, &hip.error);
  return result;
}

bench_status load(Hip &hip, const std::string &bytes, const char *name) {
  const auto &kernels = hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1);
  const bench_device_v1 device{BENCH_DEVICE_ROCM, 0};
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  stream.kind = BENCH_STREAM_DEFAULT;
  bench_kernel_v1 *kernel = nullptr;
  const bench_status status =
      kernels.load(hip.instance, device, &stream, bytes.data(), bytes.size(), name, nullptr, 0,
                   &kernel, nullptr, &hip.error);
  kernels.unload(hip.instance, device, kernel);
  return status;
}

/// A header of AMD's, and nothing behind it: the runtime in software takes no such thing.
std::string empty_code_object() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 224;  // EM_AMDGPU
  return {reinterpret_cast<const char *>(&header), sizeof header};
}

constexpr const char *add = "extern \"C\" __global__ void vector_add(float *a) { *a += 1; }\n";

}  // namespace

TEST_CASE("without a compiler: what was tried, and which packages bring one") {
  if (setting("BENCH_HIP_CASE") != "none") return;
  Hip hip;
  CHECK(compile(hip, "HIP", add, "vector_add").status == BENCH_ERROR_UNSUPPORTED);
  CHECK(hip.says("libhiprtc"));
  CHECK(std::string(hip.error.hint).find("libamdhip64-5") != std::string::npos);
}

TEST_CASE("a compiler named by hand that is none") {
  if (setting("BENCH_HIP_CASE") != "named") return;
  Hip hip;
  CHECK(compile(hip, "HIP", add, "vector_add").status == BENCH_ERROR_UNSUPPORTED);
  CHECK(hip.says("BENCH_HIP_HIPRTC names no usable library"));
  CHECK(hip.says("/nonexistent"));
}

TEST_CASE("a source is compiled, loaded, and its kernel found") {
  if (!setting("BENCH_HIP_CASE").empty()) return;
  Hip hip;
  const Compiled made = compile(hip, "HIP", add, "vector_add");
  REQUIRE(made.status == BENCH_OK);
  CHECK(load(hip, made.bytes, "vector_add") == BENCH_OK);
  std::string identity;
  const bench_writer_v1 writer{sizeof(bench_writer_v1), 0, &identity, append};
  CHECK(hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1)
            .compiler(hip.instance, "HIP", &writer, &hip.error) == BENCH_OK);
  CHECK(identity == "hiprtc 6.2");
}

TEST_CASE("what the compiler refuses: its first error, and its log") {
  if (!setting("BENCH_HIP_CASE").empty()) return;
  Hip hip;
  const Compiled made = compile(hip, "HIP", "#error this is no kernel\n", "vector_add");
  CHECK(made.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(hip.says("add.hip:1:1: error: this is no kernel"));
  CHECK(made.log.find("this is no kernel") != std::string::npos);
  CHECK(std::string(hip.error.vendor_name) == "HIPRTC_ERROR_COMPILATION");
  CHECK(compile(hip, "HIP", add, "vector_sub").status == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(hip.says("no kernel vector_sub"));
  CHECK(compile(hip, "HIP", add, "vector_add", "sm_90").status == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(compile(hip, "OpenCL", add, "vector_add").status == BENCH_ERROR_UNSUPPORTED);
}

TEST_CASE("code objects: of AMD's, which this device does not take; of nobody; cut off") {
  if (!setting("BENCH_HIP_CASE").empty()) return;
  Hip hip;
  const Compiled given = compile(hip, "HSACO", empty_code_object(), "vector_add");
  REQUIRE(given.status == BENCH_OK);
  CHECK(load(hip, given.bytes, "vector_add") == BENCH_ERROR_INCOMPATIBLE);
  CHECK(hip.says("does not run on this device, which is gfx-sm_90"));
  CHECK(std::string(hip.error.vendor_name) == "hipErrorInvalidImage");
  CHECK(load(hip, empty_code_object(), "vector_add") == BENCH_ERROR_INCOMPATIBLE);
  CHECK(compile(hip, "HSACO", "rubbish", "vector_add").status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(load(hip, "rubbish", "vector_add") == BENCH_ERROR_INVALID_ARGUMENT);
  const Compiled made = compile(hip, "HIP", add, "vector_add");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{23}, made.bytes.size() - 1})
    CHECK(load(hip, made.bytes.substr(0, size), "vector_add") == BENCH_ERROR_INVALID_ARGUMENT);
}
