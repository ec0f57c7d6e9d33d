// SPDX-License-Identifier: Apache-2.0
// Every fault of a real kernel at every place of the list: the tune ends, the culprit alone is lost
// and has its own end state, a right one wins, no process is left, and a second tune of the same
// list ends as the first did. sim_faults_test has the same for faults of a device.
#include <sys/resource.h>

#include "cpu_bed.hpp"
#include "sim_bed.hpp"

using bench::test::child_processes;
using bench::test::cpu_problem;
using bench::test::CpuBed;
using bench::test::CpuTune;

namespace {

struct Fault {
  const char *name;
  const char *body;  // after the right thing was done
  std::vector<std::string> states;
};

const std::vector<Fault> faults = {
    {"segmentation fault", "*(volatile int *)0 = 1;", {"crashed"}},
    {"abort", "abort();", {"crashed"}},
    {"exit", "exit(0);", {"crashed"}},
    {"host hang", "for (;;) { volatile int spin = 0; (void)spin; }", {"timeout"}},
    // Work that was handed on and never ends: what a hang of the device is to a processor.
    {"device hang", "std::thread([] { for (;;) pause(); }).join();", {"timeout"}},
    // The process is of no use from here on, whoever comes next.
    {"sticky error", "for (int fd = 3; fd < 64; ++fd) close(fd);", {"crashed"}},
    {"out of memory",
     "volatile char *p = new char[1ull << 46]; p[0] = 1;",
     {"out-of-resources", "crashed"}},
    // Right, until no memory is left for anybody in its process.
    {"leak", "volatile char *p = new char[64 << 20]; p[0] = 1;", {"out-of-resources", "crashed"}},
    {"output corruption", "for (int i = N; i < N + 16; ++i) y[i] = 1;", {"wrong-output"}},
    {"wrong result", "y[N / 2] = 7;", {"wrong-output"}},
    {"input changed", "const_cast<float *>(x)[3] = 7;", {"wrong-output"}},
    {"hang at the second launch", "static int n = 0; if (++n > 1) for (;;) pause();", {"timeout"}},
};

std::string kernel_of(const Fault &fault, int culprit) {
  return std::string("#include <stdlib.h>\n#include <unistd.h>\n#include <thread>\n") +
         "void scale(const float *x, float *y) {\n"
         "  for (int i = 0; i < N; ++i) y[i] = 2.5f * x[i];\n"
         "#if MODE == " +
         std::to_string(culprit) + "\n" + fault.body + "\n#endif\n}\n";
}

/// Memory for the workers of this test: a leak must find its end soon.
class MemoryLimit {
 public:
  MemoryLimit() {
    ::getrlimit(RLIMIT_DATA, &before_);
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(before_.rlim_max, rlim_t{1} << 30);
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_DATA, &before_); }

 private:
  rlimit before_{};
};

void check(const Fault &fault, int culprit) {
  const std::string name = fault.name;
  CAPTURE(name);
  CAPTURE(culprit);
  const MemoryLimit limit;
  CpuBed bed(cpu_problem("[0, 1, 2]", 0, "float", 2048), kernel_of(fault, culprit),
             "void plain(const float *x, float *y) { for (int i = 0; i < N; ++i) y[i] = 2.5f * "
             "x[i]; }\n");
  const bool hangs = fault.states[0] == "timeout";
  const std::int64_t timeout_ns = hangs ? 1'000'000'000 : 60'000'000'000;
  const CpuTune tune = bed.tune(timeout_ns);
  REQUIRE_MESSAGE(tune.status == BENCH_OK, tune.error.what);
  const std::string state = tune.state(culprit);
  CHECK_MESSAGE(std::find(fault.states.begin(), fault.states.end(), state) != fault.states.end(),
                state);
  CHECK_FALSE(tune.reason(culprit).empty());
  for (int mode = 0; mode < 3; ++mode) {
    if (mode != culprit) CHECK_MESSAGE(tune.state(mode) == "measured", tune.reason(mode));
  }
  CHECK(tune.winner() != culprit);
  CHECK(tune.winner() >= 0);
  CHECK(child_processes() == 0);
}

}  // namespace

TEST_CASE("a fault of a kernel costs itself alone, wherever it stands in the list") {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (int place = 0; place < 3; ++place) {
      if (bench::test::long_run() || static_cast<std::size_t>(place) == i % 3)
        check(faults[i], place);
    }
  }
}
