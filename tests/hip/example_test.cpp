// SPDX-License-Identifier: Apache-2.0
// The examples' HIP problems, compiled by the real hiprtc, which needs no device: for wavefronts of
// 64 and of 32 lanes. They are the CUDA problems in another language.
#include <bench/ext/kernel.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "hip_device.hpp"

using nlohmann::json;

namespace {

const std::string examples = BENCH_TEST_SOURCE_DIR "/examples/";
const char *const names[] = {"gemm", "conv2d", "reduce", "softmax"};

std::string read_all(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

json problem(const std::string &name, const char *language) {
  return json::parse(read_all(examples + name + "/" + name + "_" + language + ".json"));
}

bench_status append(void *user, const void *bytes, std::uint64_t size) {
  static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
  return BENCH_OK;
}

bench_status compile(Hip &hip, const std::string &file, const std::string &kernel,
                     const json &parameters, const char *architecture, std::string &image) {
  std::vector<std::string> texts;
  for (const json &parameter : parameters) {
    texts.push_back(parameter["Name"]);
    texts.push_back(parameter["Default"].dump());
  }
  std::vector<const char *> keys, values;
  for (std::size_t i = 0; i < texts.size(); i += 2) {
    keys.push_back(texts[i].c_str());
    values.push_back(texts[i + 1].c_str());
  }
  const std::string text = read_all(file);
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = "HIP";
  source.path = file.c_str();
  source.text = text.data();
  source.text_size = text.size();
  source.name = kernel.c_str();
  source.architecture = architecture;
  source.definition_names = keys.data();
  source.definition_values = values.data();
  source.definition_count = static_cast<std::uint32_t>(keys.size());
  std::string log;
  const bench_writer_v1 bytes{sizeof(bench_writer_v1), 0, &image, append};
  const bench_writer_v1 said{sizeof(bench_writer_v1), 0, &log, append};
  const bench_status status = hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1)
                                  .compile(hip.instance, &source, &bytes, &said, &hip.error);
  INFO(log);
  CHECK(status == BENCH_OK);
  return status;
}

}  // namespace

TEST_CASE("the HIP problems are the CUDA problems") {
  for (const char *name : names) {
    CAPTURE(name);
    json hip = problem(name, "hip"), cuda = problem(name, "cuda");
    CHECK(hip["KernelSpecification"]["Language"] == "HIP");
    hip["KernelSpecification"]["Language"] = "CUDA";
    hip["General"]["BenchmarkName"] = cuda["General"]["BenchmarkName"];
    CHECK(hip == cuda);
  }
}

TEST_CASE("hiprtc takes each kernel and reference, and names what an image has") {
  Hip hip;
  std::string identity;
  const bench_writer_v1 writer{sizeof(bench_writer_v1), 0, &identity, append};
  if (hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1)
          .compiler(hip.instance, "HIP", &writer, &hip.error) != BENCH_OK) {
    std::fprintf(stderr, "skipped: %s (%s)\n", hip.error.what, hip.error.hint);
    std::exit(77);
  }
  for (const char *name : names) {
    CAPTURE(name);
    const json document = problem(name, "hip");
    const json &kernel = document["KernelSpecification"];
    const json &reference = document["x-bench"]["ReferenceKernel"];
    const json &parameters = document["ConfigurationSpace"]["TuningParameters"];
    for (const char *architecture : {"gfx90a", "gfx1030"}) {
      CAPTURE(architecture);
      for (const json *one : {&kernel, &reference}) {
        std::string image;
        compile(hip, examples + name + "/" + (*one)["KernelFile"].get<std::string>(),
                (*one)["KernelName"], parameters, architecture, image);
        CHECK(image.find("\x7f"
                         "ELF") != std::string::npos);
      }
    }
  }
  // The names come from the code object's own table.
  const std::string text =
      "extern \"C\" __global__ void one() {}\nextern \"C\" __global__ void two() {}\n";
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = "HIP";
  source.text = text.data();
  source.text_size = text.size();
  source.name = "three";
  source.architecture = "gfx90a";
  CHECK(hip.extension<bench_ext_kernel_v1>(BENCH_EXT_KERNEL_V1)
            .compile(hip.instance, &source, nullptr, nullptr, &hip.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(hip.says("the source has no kernel three; it has one, two"));
}
