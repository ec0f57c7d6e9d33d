// SPDX-License-Identifier: Apache-2.0
// How a test steers the software driver: it opens the driver's file itself (the loader opens the
// same one) and writes into this struct. Defaults can be set by environment variables, named beside
// the members, for programs that a test only starts.
#pragma once
#include <cstddef>
#include <cstdint>

namespace level_zero_driver {

/// A kernel of host code. A module's entry points select registered ones by name: no SPIR-V is
/// interpreted.
struct HostKernel {
  const char *name;
  std::uint32_t argument_count;
  /// `arguments` point to the values; those of local memory to a pointer to it.
  void (*run)(const void *const *arguments, const std::uint32_t (&grid)[3],
              const std::uint32_t (&block)[3]);
  std::uint64_t (*cost_ns)(const std::uint32_t (&grid)[3], const std::uint32_t (&block)[3]);
};

struct Control {
  std::uint32_t devices = 1;            // BENCH_ZE_DEVICES; the second one is integrated
  std::uint32_t sub_devices = 0;        // BENCH_ZE_SUB_DEVICES, of each device
  std::uint32_t api_version = 0x10003;  // 1.3
  std::uint32_t timestamp_bits = 36;    // BENCH_ZE_TIMESTAMP_BITS
  std::uint32_t kernel_timestamp_bits = 32;
  std::uint64_t timer_hz = 12'500'000;
  std::uint64_t first_tick = 1'000'000;  // what the counter reads at virtual time 0
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t host_cost_ns = 0;     // virtual time that each append takes the host
  std::uint32_t backwards_ticks = 0;  // each read of the counter is so much lower than the last
  std::uint32_t init_result = 0;      // BENCH_ZE_INIT_RESULT: what zeInit returns
  const char *printed = nullptr;      // BENCH_ZE_PRINT: what zeInit prints to stdout
  bool bandwidth_known = true;
  bool memory_free_extension = true;

  // Faults.
  std::uint32_t append_result = 0;        // what each append to a list returns, instead of working
  std::int32_t lost_device = -1;          // index of a device that is gone
  std::int64_t lost_after_launches = -1;  // the device of this launch is gone, counted from now
  bool build_fails = false;
  bool build_fails_late = false;       // success, and a log that tells of failure
  bool never_signals = false;          // events that the device signals stay unsignalled
  std::int64_t allocations_left = -1;  // then out of memory; -1 = no limit

  // What was seen.
  std::uint64_t launches = 0, fills = 0, read_bytes = 0, filled_bytes = 0, module_builds = 0;
  std::int64_t objects = 0;      // handles and allocations that live
  std::uint64_t violations = 0;  // of rules that hardware punishes later, in silence
  char violation[128] = {};      // the last one
  std::uint64_t constant_count = 0, last_constant = 0;
  char build_flags[128] = {};
  std::int32_t sysman_device = -1;  // whose clocks were asked for last

  // Filled by the driver.
  void (*register_kernel)(const HostKernel &kernel) = nullptr;
  std::uint64_t (*now_ns)() = nullptr;  // the host's virtual clock
  void (*advance)(std::uint64_t ns) = nullptr;
};

/// The driver exports it as `bench_level_zero_control`.
using ControlFunction = Control *(*)();

}  // namespace level_zero_driver
