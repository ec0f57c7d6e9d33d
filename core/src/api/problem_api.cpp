// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "api/handles.hpp"
#include "bench/bench.h"
#include "worker/problem_tune.hpp"

using bench::guarded;
namespace api = bench::api;

namespace {

/// The caller's options, or defaults in our own size: what a caller does not know is zero.
bench_problem_options_v1 read_options(const bench_problem_options_v1 *given, const char *where) {
  bench_problem_options_v1 options{};
  if (given) {
    api::require_size(given->struct_size,
                      offsetof(bench_problem_options_v1, seed) + sizeof(std::uint64_t),
                      "bench_problem_options_v1", where);
    // A caller of an older version has a smaller struct.
    std::memcpy(&options, given, std::min<std::size_t>(given->struct_size, sizeof options));
  }
  options.struct_size = sizeof options;
  return options;
}

}  // namespace

extern "C" {

bench_status bench_problem_tune(bench_context *context, const char *path,
                                const bench_problem_options_v1 *options,
                                const bench_writer_v1 *document, bench_error_v1 *error) {
  return guarded(error, "bench_problem_tune", [&] {
    api::require(context, "context", "bench_problem_tune");
    api::require(path, "path", "bench_problem_tune");
    api::check_writer(document, "bench_problem_tune");
    bench::worker::problem_tune(*context->registry, context->store.get(), context->log, path,
                                read_options(options, "bench_problem_tune"), *document);
  });
}

bench_status bench_problem_run(bench_context *context, const char *path, const char *configuration,
                               const bench_problem_options_v1 *options,
                               const bench_writer_v1 *document, bench_error_v1 *error) {
  return guarded(error, "bench_problem_run", [&] {
    api::require(context, "context", "bench_problem_run");
    api::require(path, "path", "bench_problem_run");
    api::check_writer(document, "bench_problem_run");
    bench::worker::problem_run(*context->registry, context->store.get(), context->log, path,
                               configuration ? configuration : "",
                               read_options(options, "bench_problem_run"), *document);
  });
}

int32_t bench_worker_main(int32_t descriptor) {
  std::int32_t code = 1;
  (void)guarded(nullptr, "bench_worker_main",
                [&] { code = bench::worker::worker_main(descriptor); });
  return code;
}

}  // extern "C"
