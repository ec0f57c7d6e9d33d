// SPDX-License-Identifier: Apache-2.0
// Verification that cannot be fooled, on real kernels: every mutant of a right kernel is caught in
// every type, and right ones, written in many ways, are not.
#include "cpu_bed.hpp"
#include "sim_bed.hpp"

using bench::test::cpu_problem;
using bench::test::CpuBed;
using bench::test::CpuTune;

namespace {

struct Type {
  const char *name;  // of the problem file
  const char *cpp;
  bool real = false;
};

const std::vector<Type> types = {
    {"uint8", "unsigned char"}, {"int64", "long"},          {"double", "double", true},
    {"bool", "bool"},           {"half", "_Float16", true}, {"float", "float", true},
    {"int8", "signed char"},    {"int16", "short"},         {"uint16", "unsigned short"},
    {"int32", "int"},           {"uint32", "unsigned"},     {"uint64", "unsigned long"}};
constexpr std::size_t quick_types = 3;

struct Mutant {
  const char *name;
  const char *body;
  bool real_only = false;
};

const std::vector<Mutant> mutants = {
    {"off by one", "for (int i = 0; i < N - 1; ++i) y[i] = f(x[i + 1]); y[N - 1] = f(x[N - 1]);"},
    {"off by one at the end", "for (int i = 0; i < N - 1; ++i) y[i] = f(x[i]);"},
    {"off by one at the beginning", "for (int i = 1; i < N; ++i) y[i] = f(x[i]);"},
    {"partial write", "for (int i = 0; i < N; ++i) if (i % 97 != 5) y[i] = f(x[i]);"},
    {"one byte past the end", "right(x, y); ((unsigned char *)y)[N * sizeof(T)] ^= 0x55;"},
    {"the guard's own byte past the end",
     "right(x, y); ((unsigned char *)y)[N * sizeof(T)] = 0xA5;"},
    {"one byte before the beginning", "right(x, y); ((unsigned char *)y)[-1] ^= 1;"},
    {"accumulates in place", "for (int i = 0; i < N; ++i) y[i] = y[i] + f(x[i]);"},
    {"accumulates from launch to launch",
     "static T sum = 0; right(x, y); for (int i = 0; i < 64; ++i) y[i] = (T)(y[i] + sum); sum = "
     "(T)(sum + 50);"},
    // Both wait for each other between write and read, as they may: who was last varies.
    {"race of threads",
     "static volatile T shared; std::atomic<int> met[32] = {};"
     "const auto half = [&](int from) { for (int i = from; i < N; i += 2) { shared = f(x[i]);"
     "  if (i < 64) { ++met[i / 2]; while (met[i / 2] < 2) std::this_thread::yield(); }"
     "  y[i] = shared; } };"
     "std::thread other(half, 1); half(0); other.join();"},
    {"race with what was launched before",
     "right(x, y); static unsigned n = 0; y[n++ % 5] = f(f(x[9])); "
     "if (n % 3 == 1) right(x, y);"},
    {"writes nothing: what the candidate before has left", ""},
    {"writes at the first launch only",
     "static bool done = false; if (!done) right(x, y); done = true;"},
    {"writes into its input", "right(x, y); const_cast<T *>(x)[N / 2] = f(x[N / 2]);"},
    {"NaN", "right(x, y); y[N / 3] = (T)__builtin_nan(\"\");", true},
    {"infinity", "right(x, y); y[N / 3] = (T)__builtin_inf();", true},
};

constexpr int first_mutant = 10;

std::string prelude(const Type &type) {
  // A bool is turned over; all others are moved by three.
  const std::string f = std::string(type.name) == "bool" ? "!v" : "(T)(v + 3)";
  return "#include <atomic>\n#include <thread>\ntypedef " + std::string(type.cpp) +
         " T;\nstatic inline T f(T v) { return " + f +
         "; }\nstatic inline void right(const T *x, T *y) { for (int i = 0; i < N; ++i) y[i] = "
         "f(x[i]); }\n";
}

std::string reference_of(const Type &type) {
  return prelude(type) + "void plain(const T *x, T *y) { right(x, y); }\n";
}

void check_mutants(const Type &type) {
  const std::string type_name = type.name;
  CAPTURE(type_name);
  std::string kernel = prelude(type) +
                       "void scale(const T *x, T *y) {\n#if MODE == 0\n  right(x, y);\n"
                       "#elif MODE == 1\n  for (int i = N - 1; i >= 0; --i) y[i] = f(x[i]);\n";
  std::string modes = "[0, 1";
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (mutants[i].real_only && !type.real) continue;
    const std::string mode = std::to_string(first_mutant + static_cast<int>(i));
    modes += ", " + mode;
    kernel += "#elif MODE == " + mode + "\n  " + mutants[i].body + "\n";
  }
  CpuBed bed(cpu_problem(modes + "]", 0, type.name, 4096), kernel + "#endif\n}\n",
             reference_of(type));
  const CpuTune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.winner() < 2);
  for (const int right : {0, 1}) CHECK_MESSAGE(tune.state(right) == "measured", tune.reason(right));
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    if (mutants[i].real_only && !type.real) continue;
    const std::string mutant = mutants[i].name;
    CAPTURE(mutant);
    const std::string state = tune.state(first_mutant + static_cast<int>(i));
    CHECK_MESSAGE((state == "wrong-output" || state == "non-finite"), state);
  }
}

}  // namespace

TEST_CASE("every mutant of a real kernel is caught") {
  for (std::size_t i = 0; i < (bench::test::long_run() ? types.size() : quick_types); ++i)
    check_mutants(types[i]);
}

TEST_CASE("what a kernel leaves out is seen where the right value is that of the poison") {
  // All bits set, in an integer: minus one.
  CpuBed bed(cpu_problem("[0, 1]", 0, "int32", 512),
             "void scale(const int *, int *y) { for (int i = MODE; i < N; ++i) y[i] = -1; }\n",
             "void plain(const int *, int *y) { for (int i = 0; i < N; ++i) y[i] = -1; }\n");
  const CpuTune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  CHECK(tune.state(0) == "measured");
  CHECK(tune.state(1) == "wrong-output");
}

TEST_CASE("what the reference leaves out may be left out") {
  CpuBed bed(cpu_problem("[0, 1]", 0, "int32", 512),
             "void scale(const int *x, int *y) { for (int i = 0; i < N; i += 2) y[i] = x[i]; }\n",
             "void plain(const int *x, int *y) { for (int i = 0; i < N; i += 2) y[i] = x[i]; }\n");
  const CpuTune tune = bed.tune();
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  for (const int right : {0, 1}) CHECK_MESSAGE(tune.state(right) == "measured", tune.reason(right));
}

TEST_CASE("right kernels raise no alarm") {
  // Each steps through memory in a way of its own, some with a second thread.
  const int each = bench::test::long_run() ? 84 : 4;
  int right = 0, expected = 0;
  for (std::size_t i = 0; i < (bench::test::long_run() ? types.size() : quick_types); ++i) {
    const std::string type_name = types[i].name;
    CAPTURE(type_name);
    const std::string kernel =
        prelude(types[i]) +
        "void scale(const T *x, T *y) {\n"
        "  const int step = 1 + MODE / 4, begin = 0;\n"
        "  const auto part = [&](int from, int to) {\n"
        "    for (int s = 0; s < step; ++s)\n"
        "      for (int i = from + s; i < to; i += step) y[i] = f(x[i]);\n  };\n"
        "#if MODE % 4 == 1\n  std::thread other(part, N / 2, N); part(begin, N / 2); "
        "other.join();\n"
        "#elif MODE % 4 == 2\n  part(N / 2, N); part(begin, N / 2);\n"
        "#else\n  part(begin, N);\n#endif\n}\n";
    CpuBed bed(cpu_problem("list(range(0, " + std::to_string(each) + "))", 0, types[i].name, 1024),
               kernel, reference_of(types[i]));
    const CpuTune tune = bed.tune();
    REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
    for (int mode = 0; mode < each; ++mode) {
      right += tune.state(mode) == "measured";
      ++expected;
      if (tune.state(mode) != "measured") MESSAGE(tune.state(mode) << ": " << tune.reason(mode));
    }
  }
  CHECK(right == expected);
}
