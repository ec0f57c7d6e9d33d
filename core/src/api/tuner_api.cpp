// SPDX-License-Identifier: Apache-2.0
#include "api/handles.hpp"
#include "bench/bench.h"

using bench::Failure;
using bench::guarded;
namespace api = bench::api;

extern "C" {

bench_status bench_tuner_create(bench_context *context, const bench_tuner_options_v1 *options,
                                bench_tuner **tuner, bench_error_v1 *error) {
  return guarded(error, "bench_tuner_create", [&] {
    api::require(tuner, "tuner", "bench_tuner_create");
    *tuner = nullptr;
    api::require(context, "context", "bench_tuner_create");
    api::require(options, "options", "bench_tuner_create");
    const bench::tune::Surroundings surroundings{*context->registry, context->store.get(),
                                                 context->log, context->lock_folder};
    *tuner = new bench_tuner{{surroundings, *options}};
  });
}

void bench_tuner_destroy(bench_tuner *tuner) {
  delete tuner;
}

bench_status bench_tuner_lookup(bench_tuner *tuner, const bench_argument_v1 *const *arguments,
                                uint32_t count, const bench_call_v1 *call, uint64_t *index,
                                bench_error_v1 *error) {
  // The hit stands before everything that could allocate, the frame of guarded() included.
  if (tuner && index) {
    if (const bench::tune::Choice *choice = tuner->tuner.find(arguments, count)) {
      *index = choice->index;
      return BENCH_OK;
    }
  }
  return guarded(error, "bench_tuner_lookup", [&] {
    api::require(tuner, "tuner", "bench_tuner_lookup");
    api::require(index, "index", "bench_tuner_lookup");
    *index = tuner->tuner.options().default_config;
    *index = tuner->tuner.lookup(arguments, count, call);
  });
}

bench_status bench_tuner_run(bench_tuner *tuner, const bench_argument_v1 *const *arguments,
                             uint32_t count, const bench_call_v1 *call, bench_error_v1 *error) {
  return guarded(error, "bench_tuner_run", [&] {
    api::require(tuner, "tuner", "bench_tuner_run");
    tuner->tuner.run(arguments, count, call);
  });
}

bench_status bench_tuner_choose(bench_tuner *tuner, const bench_argument_v1 *const *arguments,
                                uint32_t count, uint64_t index, bench_error_v1 *error) {
  return guarded(error, "bench_tuner_choose", [&] {
    api::require(tuner, "tuner", "bench_tuner_choose");
    tuner->tuner.choose(arguments, count, index);
  });
}

bench_status bench_tuner_report_json(bench_tuner *tuner, const bench_argument_v1 *const *arguments,
                                     uint32_t count, const bench_writer_v1 *writer,
                                     bench_error_v1 *error) {
  return guarded(error, "bench_tuner_report_json", [&] {
    api::require(tuner, "tuner", "bench_tuner_report_json");
    api::check_writer(writer, "bench_tuner_report_json");
    api::write(writer, tuner->tuner.report(arguments, count), "bench_tuner_report_json");
  });
}

}  // extern "C"
