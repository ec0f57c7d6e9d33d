// SPDX-License-Identifier: Apache-2.0
// The memory behind a call's tensors: copies of what launches change, put back before each window
// and after the tune; zeroing; bytes for comparisons. Everything goes through the plugin, over each
// tensor's storage span, so that gaps between strided rows come back too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "measure/engine.hpp"
#include "tune/tuner_options.hpp"

namespace bench::tune {

class TunerArguments {
 public:
  /// `device` as the arguments name it. Looks only: nothing is allocated.
  TunerArguments(const measure::Target &target, bench_device_v1 device, const TunerOptions &options,
                 const bench_argument_v1 *const *arguments, const bench_stream_v1 *stream);
  ~TunerArguments();
  TunerArguments(const TunerArguments &) = delete;  // owns memory
  TunerArguments &operator=(const TunerArguments &) = delete;

  /// Copies what must be put back. Throws Failure: no memory functions, no memory.
  void save();
  /// Something is put back or zeroed before each window.
  bool changes_memory() const;
  /// Puts saved contents back and zeroes, in stream order.
  void reset(const bench_stream_v1 &stream);
  /// The same, and waits for it: the end of a tune.
  void finish();

  /// Positions of tensors: outputs, and those whose role the caller left open.
  std::vector<std::size_t> outputs() const;
  std::vector<std::size_t> unmarked() const;
  const std::string &name(std::size_t argument) const;
  const bench_argument_v1 &argument(std::size_t at) const { return *views_[at].argument; }
  /// Fills an OUT argument with bytes that no kernel writes by chance.
  void poison(std::size_t argument);
  /// All bytes of the span, or samples of it spread over the whole.
  std::vector<std::byte> read(std::size_t argument) const;
  std::vector<std::byte> sample(std::size_t argument) const;
  /// Bytes that saved copies hold on the device and on the host.
  std::uint64_t device_bytes() const { return device_bytes_; }
  std::uint64_t host_bytes() const { return host_bytes_; }

 private:
  struct View {
    const bench_argument_v1 *argument = nullptr;
    bool tensor = false, on_host = false, restored = false, zeroed = false;
    void *base = nullptr;
    std::uint64_t offset = 0, size = 0;  // of the storage span, from `base`
    void *copy = nullptr;                // on the device
    std::vector<std::byte> host_copy;    // where the device has no room for one
    bool saved = false;
  };
  void check(bench_status status, const bench_error_v1 &error, const char *where) const;
  void fetch(const View &view, std::uint64_t from, std::uint64_t size, std::byte *to) const;
  void fill(View &view, std::uint8_t value, const bench_stream_v1 &stream);
  void put_back(View &view, const bench_stream_v1 &stream);
  void need_memory_functions() const;
  const bench_stream_v1 &stream() const;

  const measure::Target target_;
  const TunerOptions &options_;
  std::vector<View> views_;
  mutable bench_stream_v1 stream_{};
  mutable bool owns_stream_ = false;
  std::uint64_t device_bytes_ = 0, host_bytes_ = 0;
};

}  // namespace bench::tune
