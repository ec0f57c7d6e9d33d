// SPDX-License-Identifier: Apache-2.0
// A small inference engine: a layer of a network from three kernels, on whatever device its memory
// is on. One tuner chooses how each kernel is launched, by kernel, shape and device.
#pragma once
#include <bench/bench.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace engine {

/// The kernels' names, as the tuner's key and the GPU's code have them.
inline constexpr const char *linear = "engine_linear";  // y = x * w
inline constexpr const char *gelu = "engine_gelu";      // y = gelu(x + bias), in place
inline constexpr const char *norm = "engine_norm";  // each row to mean 0 and variance 1, in place

/// What a kernel works on; `inner` and `in` of linear alone.
struct Operation {
  const char *kernel;
  const float *in;
  const float *parameters;  // weights or bias; none for norm
  float *out;
  std::int64_t rows, inner, columns;
};

/// How it is launched.
struct Choice {
  std::int64_t block, unroll;
};

/// A device as the engine sees it: memory, and kernels enqueued on a stream.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual bench::Device device() const = 0;
  virtual float *allocate(std::size_t count) = 0;
  virtual void upload(float *to, const std::vector<float> &from) = 0;
  virtual std::vector<float> download(const float *from, std::size_t count) = 0;
  /// Launches compile nothing: that would be in the tuner's windows.
  virtual void compile(const std::vector<Choice> &choices) = 0;
  virtual void launch(const Operation &operation, const Choice &choice,
                      const bench_stream_v1 *stream) = 0;
  /// BENCH_CALLABLE_* of its launches.
  virtual std::uint32_t launch_flags() const = 0;
  /// The stream that the engine itself launches on; NULL: none.
  virtual const bench_stream_v1 *stream() const = 0;
};

std::unique_ptr<Backend> make_cpu();
/// The first GPU; null, with the reason, where there is none.
std::unique_ptr<Backend> make_cuda(std::string &reason);

class Engine {
 public:
  explicit Engine(const bench::Context &context);
  /// One layer: norm(gelu(x * w + bias)). Tunes what it has not seen.
  void run_layer(Backend &backend, const float *x, const float *w, const float *bias, float *y,
                 std::int64_t rows, std::int64_t inner, std::int64_t columns);
  /// How each kernel is launched for these shapes, and where that comes from.
  std::string explain(const Backend &backend, std::int64_t rows, std::int64_t inner,
                      std::int64_t columns);
  const std::vector<Choice> &choices() const { return choices_; }

 private:
  void fill(bench::Arguments &arguments, const Backend &backend, const Operation &operation) const;
  void run(Backend &backend, const Operation &operation);

  std::vector<Choice> choices_;
  bench::Tuner tuner_;
};

}  // namespace engine
