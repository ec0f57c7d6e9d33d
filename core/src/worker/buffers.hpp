// SPDX-License-Identifier: Apache-2.0
// The device memory of a problem's arguments, each between two guards, so that a kernel that writes
// past its output is seen and not merely lucky.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/ext/kernel.h"
#include "problem/problem.hpp"

namespace bench::worker {

/// Where the memory lives. Functions in `api` are never NULL (the loader puts stubs in).
struct Place {
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  bench_device_v1 device{};
  bool opaque_memory = false;  // handles: nothing may be added to them
};

class Buffers {
 public:
  /// Allocates and fills. Throws Failure: out of memory (with the argument and the bytes), a
  /// missing file.
  Buffers(const Place &place, const problem::Problem &problem, const bench_stream_v1 &stream);
  ~Buffers();
  Buffers(const Buffers &) = delete;  // owns device memory
  Buffers &operator=(const Buffers &) = delete;

  /// Every argument as the problem declares it, guards whole; outputs that are only written are
  /// poisoned, so that what a kernel leaves out cannot pass. Each pass has a poison and guards of
  /// its own: what happens to be right over one pattern, or equal to it, is not over the next. From
  /// the second pass on inputs stay as they are: find_damage() has looked at them.
  void reset(unsigned pass = 0);
  /// Passes that differ.
  static constexpr unsigned patterns = 2;
  /// In/out arguments as declared again, in stream order, by a copy on the device.
  bench_status restore_written(const bench_stream_v1 &stream, bench_error_v1 *error);
  bool has_in_out() const { return has_in_out_; }

  /// Which argument was written where it must not be: a guard, or an input. Nothing if all is well.
  std::optional<std::string> find_damage();
  /// Contents of argument `index` as the device has them. Valid until the next call.
  const std::vector<std::byte> &read(std::size_t index);
  const std::vector<std::byte> &initial(std::size_t index) const { return slots_[index].initial; }

  /// Sizes of those values in bytes.
  const std::vector<std::uint64_t> &launch_sizes() const { return launch_sizes_; }
  /// Pointers to the values, in the order of the call, for bench_kernel_launch_v1. Valid until the
  /// next call with another configuration (sizes of local memory follow the configuration).
  const std::vector<const void *> &launch_arguments(const problem::Configuration &configuration);

 private:
  struct Slot {
    void *base = nullptr;    // the allocation, guards included
    void *data = nullptr;    // what the kernel gets
    std::uint64_t lead = 0;  // bytes of the guard before the data; none where memory is a handle
    void *saved = nullptr;   // in/out: initial contents on the device
    std::vector<std::byte> initial;
    std::uint64_t local_bytes = 0;
  };
  void *allocate(const problem::Argument &argument, std::uint64_t bytes);
  void upload(void *target, std::uint64_t offset, const void *source, std::uint64_t bytes);
  void set(void *target, std::uint64_t offset, std::uint8_t value, std::uint64_t bytes);
  const std::vector<std::byte> &download(const void *source, std::uint64_t offset,
                                         std::uint64_t bytes);

  const Place place_;
  const problem::Problem &problem_;
  const bench_stream_v1 stream_;
  std::vector<Slot> slots_;
  std::vector<const void *> launch_arguments_;
  std::vector<std::uint64_t> launch_sizes_;
  // Kept from read to read: fresh pages of a large output take longer than its comparison.
  std::vector<std::byte> downloaded_;
  unsigned pass_ = 0;  // of the last reset
  bool has_in_out_ = false;
};

}  // namespace bench::worker
