// SPDX-License-Identifier: Apache-2.0
// Arguments -> device. Every tensor votes for the device that it lives on; one device must get all
// votes. There is no fallback to another device, and no "current" one.
#pragma once
#include <cstdint>

#include "bench/bench.h"
#include "dispatch/classes.hpp"

namespace bench::dispatch {

enum class Outcome : std::uint32_t {
  elected,              ///< all votes for one device
  no_vote,              ///< no tensor on a device among the arguments
  two_devices,          ///< votes for different devices
  host_beside_device,   ///< a real host tensor beside an accelerator's
  class_only,           ///< pinned or managed memory alone: a class, but no id
  unknown_class,        ///< a tensor names a class or number that nobody knows
  ambiguous_extension,  ///< DLPack's type 12 without a name, and not exactly one plugin claims it
  malformed,            ///< a null pointer, a struct too small, a shape missing, a negative id
};

struct Verdict {
  Outcome outcome = Outcome::no_vote;
  bench_device_v1 device{};    ///< elected; class_only: its type
  std::uint32_t argument = 0;  ///< the argument that decided a failure
};

/// The hot path: no allocation, lock or system call.
Verdict count_votes(const ClassTable &classes, const bench_argument_v1 *const *arguments,
                    std::uint32_t count) noexcept;

/// Position of the first argument that is malformed; `count` if none is. For callers that name the
/// device and count no votes.
std::uint32_t find_malformed(const bench_argument_v1 *const *arguments,
                             std::uint32_t count) noexcept;

/// The elected device, or a Failure with one line per argument. `names` may be null.
bench_device_v1 elect(const ClassTable &classes, const bench_argument_v1 *const *arguments,
                      std::uint32_t count, const char *const *names);

/// Throws what count_votes found wrong.
[[noreturn]] void throw_verdict(const ClassTable &classes, const Verdict &verdict,
                                const bench_argument_v1 *const *arguments, std::uint32_t count,
                                const char *const *names);

}  // namespace bench::dispatch
