// SPDX-License-Identifier: Apache-2.0
// A problem with real kernels for the cpu plugin; MODE chooses what a kernel does.
#pragma once
#include <bench/bench.h>
#include <doctest/doctest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "temp_dir.hpp"

namespace bench::test {

using nlohmann::json;

/// The whole matrix rather than the part that every run has time for.
inline bool long_run() {
  return ::getenv("BENCH_TEST_LONG") != nullptr;
}

struct CpuTune {
  bench_status status = BENCH_OK;
  bench_error_v1 error{};
  std::string text;
  json document;
  std::string state(int mode) const {
    for (const auto &row : document["x-bench"]["candidates"]) {
      if (row["configuration"]["MODE"] == mode) return row["state"];
    }
    return "absent";
  }
  std::string reason(int mode) const {
    for (const auto &row : document["x-bench"]["candidates"]) {
      if (row["configuration"]["MODE"] == mode) return row.value("error", "");
    }
    return "";
  }
  int winner() const {
    const json &winner = document["x-bench"]["winner"];
    return winner.is_null() ? -1 : winner["configuration"]["MODE"].get<int>();
  }
};

/// `elements` of x are read and as many of y written, both of `type`.
inline json cpu_problem(const std::string &modes, int standard, const std::string &type,
                        int elements) {
  const auto vector = [&](const char *name, const char *access) {
    return json{{"Name", name},
                {"Type", type},
                {"MemoryType", "Vector"},
                {"AccessType", access},
                {"Size", elements}};
  };
  json x = vector("x", "ReadOnly"), y = vector("y", "WriteOnly");
  x["FillType"] = "Random";
  x["FillValue"] = type == "bool"                        ? json(1)
                   : type == "float" || type == "double" ? json(1.0)
                                                         : json(100);
  y["Output"] = 1;
  return {{"ConfigurationSpace",
           {{"TuningParameters",
             {{{"Name", "MODE"}, {"Type", "int"}, {"Values", modes}, {"Default", standard}},
              {{"Name", "N"},
               {"Type", "int"},
               {"Values", "[" + std::to_string(elements) + "]"},
               {"Default", elements}}}}}},
          {"KernelSpecification",
           {{"Language", "C++"},
            {"KernelName", "scale"},
            {"KernelFile", "kernel.cpp"},
            {"CompilerOptions", {"-O1", "-pthread"}},
            {"GlobalSize", {{"X", "1"}}},
            {"Arguments", {x, y}}}},
          {"x-bench",
           {{"ReferenceKernel", {{"KernelName", "plain"}, {"KernelFile", "reference.cpp"}}}}}};
}

class CpuBed {
 public:
  CpuBed(const json &problem, const std::string &kernel, const std::string &reference)
      : file_(folder_.write("problem.json", problem.dump())) {
    folder_.write("kernel.cpp", kernel);
    folder_.write("reference.cpp", reference);
    store_ = (folder_.path() / "store.db").string();
    const char *paths[] = {BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_cpu.so"};
    bench_context_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT | BENCH_CONTEXT_ALLOW_WORLD_WRITABLE;
    options.plugin_paths = paths;
    options.plugin_path_count = 1;
    options.store_path = store_.c_str();
    bench_error_v1 error{};
    error.struct_size = sizeof error;
    const bench_status status = bench_context_create(&options, &context_, &error);
    REQUIRE_MESSAGE(status == BENCH_OK, error.what);
  }
  ~CpuBed() { bench_context_destroy(context_); }
  CpuBed(const CpuBed &) = delete;  // owns the context
  CpuBed &operator=(const CpuBed &) = delete;

  CpuTune tune(std::int64_t timeout_ns = 60'000'000'000, std::uint32_t flags = 0) {
    bench_problem_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = flags;
    options.candidate_timeout_ns = timeout_ns;
    CpuTune result;
    result.error.struct_size = sizeof result.error;
    bench_writer_v1 writer{};
    writer.struct_size = sizeof writer;
    writer.user = &result.text;
    writer.write = [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
      static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
      return BENCH_OK;
    };
    result.status = bench_problem_tune(context_, file_.c_str(), &options, &writer, &result.error);
    if (!result.text.empty()) result.document = json::parse(result.text);
    return result;
  }

 private:
  TempDir folder_;
  std::filesystem::path file_;
  std::string store_;
  bench_context *context_ = nullptr;
};

}  // namespace bench::test
