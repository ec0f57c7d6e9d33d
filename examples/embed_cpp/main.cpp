// SPDX-License-Identifier: Apache-2.0
// Embeds the tuner in C++: which tile transposes a matrix the fastest, and does the answer hold for
// another size?
#include <bench/bench.hpp>
#include <cstdio>
#include <vector>

namespace {

void transpose(const float *in, float *out, std::int64_t n, std::int64_t tile) {
  for (std::int64_t row = 0; row < n; row += tile)
    for (std::int64_t column = 0; column < n; column += tile)
      for (std::int64_t i = row; i < n && i < row + tile; ++i)
        for (std::int64_t j = column; j < n && j < column + tile; ++j)
          out[j * n + i] = in[i * n + j];
}

int tune() {
  const bench::Context context = bench::Context::create().value();
  bench::TunerOptions options;
  options.name = "transpose/1";
  for (const int tile : {4, 8, 16, 32, 64, 4096}) options.configs.push_back({{"tile", tile}});
  options.default_config = 5;  // a tile larger than the matrix: no tiling
  options.argument_names = {"in", "out", "n"};
  options.key_names = {"n"};
  const bench::Tuner tuner = bench::Tuner::create(context, options).value();

  for (const std::int64_t n : {256, 1024}) {
    std::vector<float> in(std::size_t(n * n)), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i % 1000);
    bench::Arguments arguments(tuner);
    arguments.set("in", bench::tensor(in.data(), {n, n}, bench::cpu()))
        .set("out", bench::tensor(out.data(), {n, n}, bench::cpu()).role(BENCH_ROLE_OUT))
        .set("n", n);
    const auto launch = [&](const bench::ConfigView &config) {
      transpose(in.data(), out.data(), n, config.integer("tile"));
    };
    const bench::CallOptions call{BENCH_CALLABLE_SYNCHRONOUS | BENCH_CALLABLE_REPEATABLE};
    tuner.run(arguments, launch, call).value();
    const std::uint64_t best = tuner.lookup(arguments).value();
    std::printf("n = %lld: tile %lld\n", static_cast<long long>(n),
                static_cast<long long>(options.configs[best][0].second.raw.integer));
    if (out[std::size_t(n)] != in[1]) return 1;
  }
  return 0;
}

}  // namespace

int main() {
  try {
    return tune();
  } catch (const bench::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
