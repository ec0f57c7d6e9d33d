// SPDX-License-Identifier: Apache-2.0
// The kernels on the CPU: columns in tiles of `block`, `unroll` rows at a time.
#include <algorithm>
#include <cmath>

#include "engine.hpp"

namespace engine {
namespace {

constexpr float epsilon = 1e-5f;  // below a row's variance

void run_linear(const Operation &op, const Choice &choice) {
  for (std::int64_t row = 0; row < op.rows; row += choice.unroll)
    for (std::int64_t tile = 0; tile < op.columns; tile += choice.block) {
      const std::int64_t last_row = std::min(op.rows, row + choice.unroll);
      const std::int64_t last = std::min(op.columns, tile + choice.block);
      for (std::int64_t r = row; r < last_row; ++r)
        std::fill(op.out + r * op.columns + tile, op.out + r * op.columns + last, 0.0f);
      for (std::int64_t k = 0; k < op.inner; ++k)
        for (std::int64_t r = row; r < last_row; ++r) {
          const float x = op.in[r * op.inner + k];
          for (std::int64_t c = tile; c < last; ++c)
            op.out[r * op.columns + c] += x * op.parameters[k * op.columns + c];
        }
    }
}

void run_gelu(const Operation &op) {
  for (std::int64_t r = 0; r < op.rows; ++r)
    for (std::int64_t c = 0; c < op.columns; ++c) {
      float &y = op.out[r * op.columns + c];
      const float x = y + op.parameters[c];
      y = 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
    }
}

void run_norm(const Operation &op) {
  for (std::int64_t r = 0; r < op.rows; ++r) {
    float *row = op.out + r * op.columns;
    float mean = 0, variance = 0;
    for (std::int64_t c = 0; c < op.columns; ++c) mean += row[c];
    mean /= float(op.columns);
    for (std::int64_t c = 0; c < op.columns; ++c) variance += (row[c] - mean) * (row[c] - mean);
    const float scale = 1.0f / std::sqrt(variance / float(op.columns) + epsilon);
    for (std::int64_t c = 0; c < op.columns; ++c) row[c] = (row[c] - mean) * scale;
  }
}

class Cpu final : public Backend {
 public:
  bench::Device device() const override { return bench::cpu(); }
  float *allocate(std::size_t count) override {
    memory_.push_back(std::make_unique<float[]>(count));
    return memory_.back().get();
  }
  void upload(float *to, const std::vector<float> &from) override {
    std::copy(from.begin(), from.end(), to);
  }
  std::vector<float> download(const float *from, std::size_t count) override {
    return {from, from + count};
  }
  void compile(const std::vector<Choice> &) override {}
  void launch(const Operation &op, const Choice &choice, const bench_stream_v1 *) override {
    if (op.kernel == linear)
      run_linear(op, choice);
    else if (op.kernel == gelu)
      run_gelu(op);
    else
      run_norm(op);
  }
  std::uint32_t launch_flags() const override { return BENCH_CALLABLE_SYNCHRONOUS; }
  const bench_stream_v1 *stream() const override { return nullptr; }

 private:
  std::vector<std::unique_ptr<float[]>> memory_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu() {
  return std::make_unique<Cpu>();
}

}  // namespace engine
