// SPDX-License-Identifier: Apache-2.0
// Whole tunes on the cpu plugin, with candidates that do everything a kernel must not do.
#include <bench/bench.h>
#include <dirent.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "temp_dir.hpp"

using bench::test::TempDir;
using nlohmann::json;

namespace {

// What a mode of the kernel does; the first is the slow default, the second the one that must win.
constexpr const char *kernel = R"(
#include <stdlib.h>
void scale(const float *x, float *y, float a) {
#if MODE == 0
  for (int k = 0; k < 40; ++k) for (int i = 0; i < N; ++i) { volatile float v = a * x[i]; y[i] = v; }
#elif MODE == 1
  for (int i = 0; i < N; ++i) y[i] = a * x[i];
#elif MODE == 2
  *(volatile int *)0 = 1;
#elif MODE == 3
  for (;;) { volatile int spin = 0; (void)spin; }
#elif MODE == 4
  for (int i = 0; i < N + 1; ++i) y[i] = a * x[i];
#elif MODE == 5
  for (int i = 0; i < N; ++i) y[i] = 0.0f / (a - a);
#elif MODE == 6
  this is no C++
#elif MODE == 7
  for (int i = 0; i < N - 1; ++i) y[i] = a * x[i];
#elif MODE == 8
  exit(0);
#elif MODE == 9
  abort();
#elif MODE == 10
  for (int i = 0; i < N; ++i) { y[i] = a * x[i]; ((float *)x)[0] = 7; }
#elif MODE == 11
  for (int i = 0; i < N; ++i) y[i] = a * x[N - 1 - i];
#endif
}
)";
constexpr const char *reference =
    "void plain(const float *x, float *y, float a) { for (int i = 0; i < N; ++i) y[i] = a * x[i]; "
    "}\n";

json problem(const std::string &modes, int standard) {
  return {{"ConfigurationSpace",
           {{"TuningParameters",
             {{{"Name", "MODE"}, {"Type", "int"}, {"Values", modes}, {"Default", standard}},
              {{"Name", "N"}, {"Type", "int"}, {"Values", "[4096]"}, {"Default", 4096}}}}}},
          {"KernelSpecification",
           {{"Language", "C++"},
            {"KernelName", "scale"},
            {"KernelFile", "kernel.cpp"},
            {"GlobalSize", {{"X", "1"}}},
            {"Arguments",
             {{{"Name", "x"},
               {"Type", "float"},
               {"MemoryType", "Vector"},
               {"AccessType", "ReadOnly"},
               {"Size", "max(N)"},
               {"FillType", "Random"},
               {"FillValue", 1.0}},
              {{"Name", "y"},
               {"Type", "float"},
               {"MemoryType", "Vector"},
               {"AccessType", "WriteOnly"},
               {"Size", "max(N)"},
               {"Output", 1}},
              {{"Name", "a"},
               {"Type", "float"},
               {"MemoryType", "Scalar"},
               {"AccessType", "ReadOnly"},
               {"FillValue", 2.5}}}}}},
          {"x-bench",
           {{"ReferenceKernel", {{"KernelName", "plain"}, {"KernelFile", "reference.cpp"}}}}}};
}

struct Tune {
  bench_status status = BENCH_OK;
  bench_error_v1 error{};
  std::string text;
  json document;
  json extras() const { return document["x-bench"]; }
  /// Which of the right ones is faster is a matter of real time, and not this test's:
  /// tune_race_test has it on scripted time. A wrong one never wins.
  bool right_winner() const {
    const json winner = extras()["winner"];
    if (winner.is_null()) return false;
    const int mode = winner["configuration"]["MODE"];
    return (mode == 0 || mode == 1) && state(mode) == "measured";
  }
  std::string state(int mode) const {
    for (const auto &row : document["x-bench"]["candidates"]) {
      if (row["configuration"]["MODE"] == mode) return row["state"];
    }
    return "absent";
  }
};

/// A folder with a problem, a store of its own, and a context that sees the cpu plugin alone.
class Bed {
 public:
  explicit Bed(const json &document) : file(folder.write("problem.json", document.dump())) {
    folder.write("kernel.cpp", kernel);
    folder.write("reference.cpp", reference);
    reopen((folder.path() / "store.db").string());
  }
  ~Bed() { bench_context_destroy(context); }
  void reopen(const std::string &store) {
    bench_context_destroy(context);
    store_path = store;
    const char *paths[] = {BENCH_TEST_BINARY_DIR "/lib/bench/plugins-1/libbench_cpu.so"};
    bench_context_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT | BENCH_CONTEXT_ALLOW_WORLD_WRITABLE;
    options.plugin_paths = paths;
    options.plugin_path_count = 1;
    options.store_path = store_path.c_str();
    bench_error_v1 error{};
    error.struct_size = sizeof error;
    const bench_status status = bench_context_create(&options, &context, &error);
    REQUIRE_MESSAGE(status == BENCH_OK, error.what);
  }
  Tune tune(std::uint32_t flags = 0, std::int32_t (*should_stop)(void *) = nullptr) {
    bench_problem_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = flags;
    options.candidate_timeout_ns = 1'000'000'000;
    options.should_stop = should_stop;
    Tune result;
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
  TempDir folder;
  std::filesystem::path file;
  std::string store_path;
  bench_context *context = nullptr;
};

int child_processes() {
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

}  // namespace

TEST_CASE("every way to go wrong costs the candidate alone, with its own end state") {
  Bed bed(problem("list(range(0, 12))", 0));
  const Tune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.state(0) == "measured");
  CHECK(tune.state(1) == "measured");
  CHECK(tune.state(2) == "crashed");
  CHECK(tune.state(3) == "timeout");
  CHECK(tune.state(4) == "wrong-output");  // one element past the end
  CHECK(tune.state(5) == "non-finite");
  CHECK(tune.state(6) == "compile-failed");
  CHECK(tune.state(7) == "non-finite");  // one element left out: poison shows
  CHECK(tune.state(8) == "crashed");     // exit(0) is no success
  CHECK(tune.state(9) == "crashed");
  CHECK(tune.state(10) == "wrong-output");  // wrote to its input
  CHECK(tune.state(11) == "wrong-output");
  CHECK(tune.right_winner());
  CHECK(tune.extras()["winner"]["median_ns"].get<double>() > 0);
  CHECK(tune.extras()["default"]["configuration"]["MODE"] == 0);
  CHECK(tune.extras()["measured"] == 2);
  CHECK(tune.extras()["space"]["valid"] == 12);
  CHECK(child_processes() == 0);
}

TEST_CASE("failures carry what, where and what to do") {
  Bed bed(problem("[1, 2, 3, 4, 6]", 1));
  const Tune tune = bed.tune();
  for (const auto &row : tune.document["x-bench"]["candidates"]) {
    if (row["state"] == "measured") continue;
    const std::string error = row["error"];
    CHECK_MESSAGE(error.find(": ") != std::string::npos, error);  // where: what
    CHECK_MESSAGE(error.find(" (") != std::string::npos, error);  // (what to do)
  }
  for (const auto &row : tune.document["x-bench"]["candidates"]) {
    if (row["configuration"]["MODE"] == 4)
      CHECK(row["error"].get<std::string>().find("after its last element") != std::string::npos);
    if (row["configuration"]["MODE"] == 6)
      CHECK(row["error"].get<std::string>().find("kernel.cpp") != std::string::npos);
  }
}

TEST_CASE("the second run measures nothing and says so; another kernel text is another problem") {
  Bed bed(problem("[0, 1]", 0));
  const Tune first = bed.tune();
  CHECK(first.extras()["from_store"] == false);
  const Tune second = bed.tune();
  CHECK(second.extras()["from_store"] == true);
  CHECK(second.extras()["measured"] == 0);
  CHECK(second.extras()["winner"]["configuration"] == first.extras()["winner"]["configuration"]);
  CHECK(bed.tune(BENCH_PROBLEM_FRESH).extras()["from_store"] == false);
  CHECK(bed.tune(BENCH_PROBLEM_NO_STORE).extras()["from_store"] == false);
  bed.folder.write("kernel.cpp", std::string(kernel) + "// another\n");
  CHECK(bed.tune().extras()["from_store"] == false);
}

TEST_CASE("nothing valid is its own status, with a count for each reason") {
  Bed bed(problem("[2, 6]", 2));
  const Tune tune = bed.tune();
  CHECK(tune.status == BENCH_ERROR_NO_VALID_CONFIG);
  CHECK(tune.extras()["winner"].is_null());
  CHECK(std::string(tune.error.what).find("1 crashed") != std::string::npos);
  CHECK(std::string(tune.error.what).find("1 compile-failed") != std::string::npos);
}

TEST_CASE("a default that crashes leaves the others to win") {
  Bed bed(problem("[1, 2]", 2));
  const Tune tune = bed.tune();
  REQUIRE(tune.status == BENCH_OK);
  CHECK(tune.right_winner());
}

TEST_CASE("a store that cannot be written or read costs the keeping, not the result") {
  Bed bed(problem("[0, 1]", 0));
  bed.folder.write("file", "no folder");
  bed.reopen((bed.folder.path() / "file" / "store.db").string());
  const Tune unwritable = bed.tune();
  CHECK(unwritable.status == BENCH_OK);
  CHECK(unwritable.right_winner());
  CHECK(unwritable.extras()["notes"].dump().find("kept") != std::string::npos);
  bed.reopen(bed.folder.write("damaged.db", std::string(5000, 'x')).string());
  CHECK(bed.tune().status == BENCH_OK);
}

TEST_CASE("stopping keeps what there is and says so") {
  Bed bed(problem("[0, 1]", 0));
  const Tune tune = bed.tune(0, [](void *) -> std::int32_t { return 1; });
  CHECK(tune.status == BENCH_ERROR_CANCELLED);
  CHECK(tune.extras()["stop_reason"] == "cancelled");
  CHECK(child_processes() == 0);
}

TEST_CASE("without a reference the default's outputs are the reference, and the note says it") {
  json document = problem("[0, 1, 11]", 0);
  document.erase("x-bench");
  Bed bed(document);
  const Tune tune = bed.tune();
  CHECK(tune.state(11) == "wrong-output");
  CHECK(tune.right_winner());
  CHECK(tune.extras()["notes"].dump().find("no reference is declared") != std::string::npos);
}

TEST_CASE("a reference that crashes or does not compile ends the tune with its name") {
  Bed bed(problem("[0, 1]", 0));
  bed.folder.write("reference.cpp",
                   "void plain(const float *, float *, float) { *(volatile int *)0 = 1; }\n");
  Tune tune = bed.tune();
  CHECK(tune.status == BENCH_ERROR_CALLABLE_FAILED);
  CHECK(std::string(tune.error.where).find("ReferenceKernel") != std::string::npos);
  bed.folder.write("reference.cpp", "no code");
  tune = bed.tune();
  CHECK(tune.status == BENCH_ERROR_COMPILE_FAILED);
  CHECK(std::string(tune.error.where).find("ReferenceKernel") != std::string::npos);
}

TEST_CASE("a language that no device here compiles is told in words") {
  json document = problem("[0, 1]", 0);
  document["KernelSpecification"]["Language"] = "CUDA";
  Bed bed(document);
  const Tune dry = bed.tune(BENCH_PROBLEM_DRY_RUN);
  CHECK(dry.status == BENCH_OK);
  CHECK(dry.extras()["device_reason"].get<std::string>().find("CUDA") != std::string::npos);
  CHECK(dry.extras()["space"]["raw"] == 2);
  const Tune real = bed.tune();
  CHECK(real.status == BENCH_ERROR_UNSUPPORTED);
  // With a driverless plugin its reason, without one the file that is missing: both name cuda.
  CHECK(std::string(real.error.what).find("cuda") != std::string::npos);
}
