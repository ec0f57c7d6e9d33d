// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <array>

namespace engine {

Engine::Engine(const bench::Context &context) {
  bench::TunerOptions options;
  options.name = "engine/1";
  for (const std::int64_t block : {32, 64, 128, 256})
    for (const std::int64_t unroll : {1, 4}) {
      choices_.push_back({block, unroll});
      options.configs.push_back({{"block", block}, {"unroll", unroll}});
    }
  options.argument_names = {"kernel", "out", "rows", "inner", "columns"};
  // The device is part of every key.
  options.key_names = {"kernel", "rows", "inner", "columns"};
  tuner_ = bench::Tuner::create(context, options).value();
}

void Engine::fill(bench::Arguments &arguments, const Backend &backend,
                  const Operation &operation) const {
  arguments.set("kernel", operation.kernel)
      .set("out",
           bench::tensor(operation.out, {operation.rows, operation.columns}, backend.device())
               .role(BENCH_ROLE_OUT))
      .set("rows", operation.rows)
      .set("inner", operation.inner)
      .set("columns", operation.columns);
}

void Engine::run(Backend &backend, const Operation &operation) {
  bench::Arguments arguments(tuner_);
  fill(arguments, backend, operation);
  const auto launch = [&](const bench::ConfigView &config, const bench_stream_v1 *stream) {
    backend.launch(operation, choices_[config.index()], stream);
  };
  bench::CallOptions call;
  // A launch in place changes its own input, but takes as long for any numbers.
  call.flags = backend.launch_flags() | BENCH_CALLABLE_REPEATABLE;
  call.stream = backend.stream();
  const std::uint64_t index = tuner_.lookup(arguments, launch, call).value();
  backend.launch(operation, choices_[index], backend.stream());
}

void Engine::run_layer(Backend &backend, const float *x, const float *w, const float *bias,
                       float *y, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  // A tune launches a kernel many times: each step's input is made again after the step before it
  // was tuned, so that what gelu and norm get is what the layer means. On a hit nothing is tuned.
  const std::array<Operation, 3> steps{{{linear, x, w, y, rows, inner, columns},
                                        {gelu, y, bias, y, rows, 0, columns},
                                        {norm, y, nullptr, y, rows, 0, columns}}};
  for (std::size_t last = 0; last < steps.size(); ++last) {
    bench::Arguments arguments(tuner_);
    fill(arguments, backend, steps[last]);
    if (tuner_.lookup(arguments)) continue;
    run(backend, steps[last]);
  }
  for (const Operation &step : steps) run(backend, step);
}

std::string Engine::explain(const Backend &backend, std::int64_t rows, std::int64_t inner,
                            std::int64_t columns) {
  std::string text;
  for (const char *kernel : {linear, gelu, norm}) {
    const Operation operation{kernel, nullptr, nullptr, nullptr, rows, kernel == linear ? inner : 0,
                              columns};
    bench::Arguments arguments(tuner_);
    fill(arguments, backend, operation);
    const Choice &choice = choices_[tuner_.lookup(arguments).value()];
    const std::string report = tuner_.report_json(arguments).value();
    const bool stored = report.find("\"from_store\":true") != std::string::npos;
    text += std::string(kernel) + ": block " + std::to_string(choice.block) + ", unroll " +
            std::to_string(choice.unroll) + (stored ? " (from the store)\n" : " (measured)\n");
  }
  return text;
}

}  // namespace engine
