// SPDX-License-Identifier: Apache-2.0
// A sim program: what a kernel of language "sim" does and how long it takes, line by line:
//
//   # comment
//   time = 2000 + 10 * abs(block - 256)   ns of one launch
//   cold = 800                            ns more with a cold cache
//   compile = 5e7                         ns that compiling takes
//   elements = N                          how many elements each written argument gets
//   replay = space.json.gz                times of a recorded space instead of `time`
//   crash when block == 512               a fault; the names are in fault_names
#pragma once
#include <bench/ext/kernel.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench_sim {

enum Fault : std::uint32_t {
  rejected,       // at compilation: CONFIG_REJECTED
  compile_fails,  // COMPILE_FAILED
  out_of_memory,  // the launch wants more than there is
  hang,           // the device never ends the work
  hang_host,      // the launch never returns
  lost,           // the device is lost, and stays so
  crash,          // SIGSEGV
  aborts,         // SIGABRT
  exits,          // exit(3)
  leak,           // each launch keeps a sixteenth of the device's memory
  wrong,          // other values
  nan,            // one element is not a number
  partial,        // the last element is not written
  off_by_one,     // each element gets its neighbour's value
  overflow,       // one byte behind the last element is written
  accumulate,     // adds to what is there
  stale,          // writes nothing
  race,           // right on the first launch only
  fault_count,
};
extern const char *const fault_names[fault_count];

/// One configuration of a program, as it travels from compile to load.
struct Program {
  double time_ns = 0.0;
  double cold_ns = 0.0;
  double compile_ns = 0.0;
  std::uint64_t elements = 0;
  std::uint32_t faults = 0;  // bits
  std::vector<double> samples_ns;
  std::string launch_error;  // a recorded failure at run time

  bool has(Fault fault) const { return (faults >> fault & 1u) != 0; }
};

/// Throws plugin::Error: COMPILE_FAILED, CONFIG_REJECTED, as the program says.
Program compile_program(const bench_kernel_source_v1 &source);
std::string to_bytes(const Program &program, const std::string &name);
/// Throws INVALID_ARGUMENT for foreign bytes, or a kernel that is not in them.
Program from_bytes(const std::string &bytes, const std::string &name);

}  // namespace bench_sim
