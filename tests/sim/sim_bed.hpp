// SPDX-License-Identifier: Apache-2.0
// A folder with a problem for the sim plugin, its devices and a store, and a context that sees no
// other plugin.
#pragma once
#include <bench/bench.h>
#include <dirent.h>
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "temp_dir.hpp"

namespace bench::test {

using nlohmann::json;

/// MODE chooses what the program does; `modes` is T1's list of its values.
inline json sim_problem(const std::string &modes, int standard, const std::string &type = "float") {
  return {{"ConfigurationSpace",
           {{"TuningParameters",
             {{{"Name", "MODE"}, {"Type", "int"}, {"Values", modes}, {"Default", standard}}}}}},
          {"KernelSpecification",
           {{"Language", "sim"},
            {"KernelName", "fill"},
            {"KernelFile", "kernel.sim"},
            {"GlobalSize", {{"X", "1"}}},
            {"Arguments",
             {{{"Name", "y"},
               {"Type", type},
               {"MemoryType", "Vector"},
               {"AccessType", "WriteOnly"},
               {"Size", 256},
               {"Output", 1}}}}}},
          {"x-bench",
           {{"ReferenceKernel", {{"KernelName", "plain"}, {"KernelFile", "reference.sim"}}}}}};
}

struct SimTune {
  bench_status status = BENCH_OK;
  bench_error_v1 error{};
  std::string text;
  json document;
  json extras() const { return document["x-bench"]; }
  std::string state(const std::string &name, const json &value) const {
    for (const auto &row : document["x-bench"]["candidates"]) {
      if (row["configuration"][name] == value) return row["state"];
    }
    return "absent";
  }
  int winner() const {
    const json winner = extras()["winner"];
    return winner.is_null() ? -1 : winner["configuration"]["MODE"].get<int>();
  }
};

class SimBed {
 public:
  SimBed(const json &problem, const std::string &program, const json &device = json::object())
      : file(folder.write("problem.json", problem.dump())) {
    folder.write("kernel.sim", program);
    folder.write("reference.sim", "time = 50000\nelements = 256\n");
    const auto devices = folder.write("devices.json", json{{"devices", {device}}}.dump());
    ::setenv("BENCH_SIM_DEVICES", devices.c_str(), 1);
    const char *paths[] = {BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_sim.so"};
    store_ = (folder.path() / "store.db").string();
    bench_context_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT | BENCH_CONTEXT_ALLOW_WORLD_WRITABLE;
    options.plugin_paths = paths;
    options.plugin_path_count = 1;
    options.store_path = store_.c_str();
    bench_error_v1 error{};
    error.struct_size = sizeof error;
    const bench_status status = bench_context_create(&options, &context, &error);
    REQUIRE_MESSAGE(status == BENCH_OK, error.what);
  }
  ~SimBed() { bench_context_destroy(context); }
  SimBed(const SimBed &) = delete;  // owns the context
  SimBed &operator=(const SimBed &) = delete;

  SimTune tune(std::int64_t max_time_ns = 0, std::uint32_t flags = 0,
               const std::function<void(bench_problem_options_v1 &)> &change = {}) {
    bench_problem_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = flags;
    options.max_time_ns = max_time_ns;
    options.candidate_timeout_ns = timeout_ns;
    options.compile_jobs = 1;
    if (change) change(options);
    SimTune result;
    result.error.struct_size = sizeof result.error;
    bench_writer_v1 writer{};
    writer.struct_size = sizeof writer;
    writer.user = &result.text;
    writer.write = [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
      static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
      return BENCH_OK;
    };
    result.status = bench_problem_tune(context, file.c_str(), &options, &writer, &result.error);
    if (!result.text.empty()) result.document = json::parse(result.text);
    return result;
  }

  /// Real time, after which a worker is killed: only what hangs may meet it, however busy the
  /// machine is.
  std::int64_t timeout_ns = 60'000'000'000;
  TempDir folder;
  std::filesystem::path file;
  bench_context *context = nullptr;

 private:
  std::string store_;
};

inline int child_processes() {
  int count = 0;
  const std::string own = std::to_string(::getpid());
  DIR *proc = ::opendir("/proc");
  while (const dirent *entry = ::readdir(proc)) {
    std::ifstream stat(std::string("/proc/") + entry->d_name + "/stat");
    std::string pid, name, state, parent;
    if (stat >> pid >> name >> state >> parent) count += parent == own;
  }
  ::closedir(proc);
  return count;
}

}  // namespace bench::test
