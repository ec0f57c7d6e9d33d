// SPDX-License-Identifier: Apache-2.0
// Uses everything that bench.hpp offers, to be compiled in every mode that it promises.
#include <bench/bench.hpp>

namespace {

int lines = 0;

std::uint64_t use_all(float *x, std::int64_t n) {
  bench::ContextOptions context_options;
  context_options.plugin_paths = {"/opt/plugins"};
  bench::Result<bench::Context> made = bench::Context::create(context_options);
  if (!made) {
    lines += int(made.error().line().size());
    return 0;
  }
  const bench::Context context = std::move(made).value();
  const bench::Tuner tuner =
      bench::Tuner::create(context,
                           {"kernel/1",
                            {{{"tile", 8}, {"mode", "nt"}, {"fast", true}, {"ratio", 0.5}}},
                            {"x", "n", "mask"},
                            {"n"}})
          .value();
  bench::Arguments arguments(tuner);
  arguments.set("n", n)
      .set("x", bench::tensor(x, {n, 2}, bench::device("npu", 1)).role(BENCH_ROLE_INOUT))
      .set("mask", nullptr);
  bench::CallOptions options;
  options.flags = BENCH_CALLABLE_REPEATABLE;
  options.prepare = [&](const bench::ConfigView &, const bench_stream_v1 *) { x[0] = 0; };
  const auto with_stream = [&](const bench::ConfigView &config, const bench_stream_v1 *) {
    x[0] += float(config.integer("tile") + std::int64_t(config.real("ratio")));
    return BENCH_OK;
  };
  const auto with_config = [&](const bench::ConfigView &config) {
    lines += config.text("mode")[0];
  };
  const auto alone = [&] { x[0] += 1; };
  std::uint64_t sum = tuner.lookup(arguments).value_or(0);
  sum += tuner.lookup(arguments, with_stream, options).value();
  if (!tuner.run(arguments, with_config).ok()) ++sum;
  const bench::Result<bench_device_v1> device = context.device("npu:1");
  if (device.ok()) (void)context.do_bench({BENCH_DEVICE_CPU, 0}, alone);
  sum += tuner.report_json(arguments).value().size() + context.devices_json().value().size();
  return sum;
}

}  // namespace

// Reached by nobody: that the file compiles and links is the test.
extern "C" std::uint64_t bench_test_header_use(float *x, std::int64_t n);
extern "C" std::uint64_t bench_test_header_use(float *x, std::int64_t n) {
  return use_all(x, n);
}
