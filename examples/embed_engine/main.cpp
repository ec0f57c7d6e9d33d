// SPDX-License-Identifier: Apache-2.0
// embed_engine [STORE]: a layer on the CPU, and on a GPU if there is one, by one engine with one
// tuner. A second run with the same store measures nothing.
#include <cmath>
#include <cstdio>

#include "engine.hpp"

namespace {

constexpr std::int64_t rows = 32, inner = 128, columns = 256;
constexpr float tolerance = 1e-3f;

std::vector<float> numbers(std::size_t count, float scale) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = scale * (float((i * 2654435761u) % 1000u) / 500.0f - 1.0f);
  return values;
}

std::vector<float> run_on(engine::Engine &engine, engine::Backend &backend) {
  float *x = backend.allocate(rows * inner), *w = backend.allocate(inner * columns);
  float *bias = backend.allocate(columns), *y = backend.allocate(rows * columns);
  backend.upload(x, numbers(rows * inner, 1.0f));
  backend.upload(w, numbers(inner * columns, 0.1f));
  backend.upload(bias, numbers(columns, 0.5f));
  backend.compile(engine.choices());
  engine.run_layer(backend, x, w, bias, y, rows, inner, columns);
  std::fputs(engine.explain(backend, rows, inner, columns).c_str(), stdout);
  return backend.download(y, rows * columns);
}

int run(const char *store) {
  bench::ContextOptions options;
  if (store) options.store_path = store;
  const bench::Context context = bench::Context::create(options).value();
  engine::Engine engine(context);
  std::puts("cpu");
  const auto cpu = engine::make_cpu();
  const std::vector<float> expected = run_on(engine, *cpu);
  std::string reason;
  const auto cuda = engine::make_cuda(reason);
  if (!cuda) {
    std::printf("cuda: none here: %s\n", reason.c_str());
    return 0;
  }
  std::puts("cuda");
  const std::vector<float> found = run_on(engine, *cuda);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::fabs(found[i] - expected[i]) <= tolerance) continue;
    std::printf("element %zu: %g on the GPU, %g on the CPU\n", i, double(found[i]),
                double(expected[i]));
    return 1;
  }
  std::puts("both agree");
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return run(argc > 1 ? argv[1] : nullptr);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "embed_engine: %s\n", failure.what());
    return 1;
  }
}
