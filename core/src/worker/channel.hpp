// SPDX-License-Identifier: Apache-2.0
// Framed messages between the tuner and its worker processes: a 32-bit length, then CBOR (compiled
// kernels travel as bytes, which JSON text cannot hold).
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace bench::worker {

enum class Received { message, closed, timeout };

/// One end of a socket pair. Owns the descriptor.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel &) = delete;  // the descriptor is closed once
  Channel &operator=(const Channel &) = delete;

  /// False if the other end is gone.
  bool send(const nlohmann::json &message);
  /// Waits until CLOCK_MONOTONIC `deadline_ns`; 0 = for ever. A frame that is no CBOR counts as
  /// closed: a kernel that scribbles over its worker's descriptors has ended that worker.
  Received receive(nlohmann::json &message, std::int64_t deadline_ns);
  int descriptor() const { return descriptor_; }
  void close();

 private:
  Received read_exactly(void *target, std::size_t size, std::int64_t deadline_ns);
  int descriptor_;
};

}  // namespace bench::worker
