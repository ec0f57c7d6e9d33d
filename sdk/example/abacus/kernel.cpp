// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: the language "beads" has one statement, `add OUT A B`; LANES beads move at once.
#include <cstdlib>
#include <cstring>

#include "abacus.hpp"

using namespace abacus;

struct bench_kernel_v1 {
  uint32_t lanes;
};

namespace {

constexpr unsigned long most_lanes = 4096;
const char *const languages[] = {"beads"};
bench_status compiler(bench_instance_v1 *, const char *language, const bench_writer_v1 *identity,
                      bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    if (std::strcmp(language, "beads") != 0)
      throw Error(BENCH_ERROR_UNSUPPORTED, "abacus compiles beads alone");
    bench::plugin::write_all(identity, std::string("beads 1"));
  });
}
bench_status compile(bench_instance_v1 *, const bench_kernel_source_v1 *source,
                     const bench_writer_v1 *binary, const bench_writer_v1 *log,
                     bench_error_v1 *error) {
  return guarded(error, "compile", [&] {
    if (source->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "an unknown requirement", "use a newer plugin");
    if (std::string(source->text, source->text_size).rfind("add OUT A B", 0) != 0) {
      bench::plugin::write_all(log, std::string("line 1: expected `add OUT A B`\n"));
      throw Error(BENCH_ERROR_COMPILE_FAILED, "the source is not beads", "see the log");
    }
    std::string lanes = "1";
    for (uint32_t i = 0; i < source->definition_count; ++i)
      if (std::strcmp(source->definition_names[i], "LANES") == 0)
        lanes = source->definition_values[i];
    bench::plugin::write_all(binary, lanes);
  });
}
bench_status load(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                  const void *binary, uint64_t size, const char *,
                  const bench_kernel_parameter_v1 *const *, uint32_t, bench_kernel_v1 **kernel,
                  bench_kernel_resources_v1 *, bench_error_v1 *error) {
  *kernel = nullptr;
  return guarded(error, "load", [&] {
    check(device);
    const std::string text(static_cast<const char *>(binary), size);
    const unsigned long lanes = std::strtoul(text.c_str(), nullptr, 10);
    if (lanes == 0 || lanes > most_lanes)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "LANES is '" + text + "'",
                  "take 1 to " + std::to_string(most_lanes));
    *kernel = new bench_kernel_v1{static_cast<uint32_t>(lanes)};
  });
}
void unload(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *kernel) {
  delete kernel;
}
bench_status launch(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *kernel,
                    const bench_kernel_launch_v1 *launch, const bench_stream_v1 *,
                    bench_error_v1 *error) {
  if (launch->required || launch->argument_count != 4)
    return bench::plugin::fill(
        error, "launch",
        Error(BENCH_ERROR_INVALID_ARGUMENT, "beads take OUT, A, B and their count",
              "mend the problem's Arguments"));
  const auto vector = [&](uint32_t i) {
    return *static_cast<float *const *>(launch->arguments[i]);
  };
  float *out = vector(0);
  const float *a = vector(1), *b = vector(2);
  const uint32_t count = *static_cast<const uint32_t *>(launch->arguments[3]);
  for (uint32_t at = 0; at < count; at += kernel->lanes) {
    for (uint32_t lane = at; lane < at + kernel->lanes && lane < count; ++lane)
      out[lane] = a[lane] + b[lane];
    asm volatile("" ::: "memory");  // a move of the beads ends here
  }
  return BENCH_OK;
}
bench_status limits(bench_instance_v1 *, bench_device_v1 device, bench_kernel_limits_v1 *,
                    bench_error_v1 *error) {
  return guarded(error, "limits", [&] { check(device); });
}
}  // namespace

const bench_ext_kernel_v1 abacus::kernel_table = {
    sizeof kernel_table, 1, languages, compiler, compile, load, unload, nullptr, launch, limits};
