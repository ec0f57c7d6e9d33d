// SPDX-License-Identifier: Apache-2.0
// The caller's callable with what a tune does around each launch, outside the timed window: hooks,
// and arguments that are put back. Timed inside, as elsewhere, a clone would be part of every
// sample and would warm the cache after its flush.
#pragma once
#include "bench/bench.h"
#include "tune/tuner_arguments.hpp"

namespace bench::tune {

class TunerCallable {
 public:
  TunerCallable(const bench_callable_v1 &inner, const bench_tune_callbacks_v1 *callbacks,
                TunerArguments &arguments);
  TunerCallable(const TunerCallable &) = delete;  // raw() points to it
  TunerCallable &operator=(const TunerCallable &) = delete;

  const bench_callable_v1 &raw() const { return callable_; }

 private:
  static bench_status launch(void *user, const bench_config_v1 *config,
                             const bench_stream_v1 *stream, bench_error_v1 *error);
  static bench_status prepare(void *user, const bench_config_v1 *config,
                              const bench_stream_v1 *stream, bench_error_v1 *error);
  static bench_status restore(void *user, const bench_config_v1 *config,
                              const bench_stream_v1 *stream, bench_error_v1 *error);
  static bench_status wait(void *user, const bench_config_v1 *config, const bench_stream_v1 *stream,
                           bench_error_v1 *error);
  /// The post hook of the launch before, if it is still owed.
  bench_status settle(const bench_stream_v1 *stream, bench_error_v1 *error);

  const bench_callable_v1 inner_;
  const bench_tune_callbacks_v1 *callbacks_;
  TunerArguments &arguments_;
  bench_callable_v1 callable_;
  const bench_config_v1 *owed_ = nullptr;
};

}  // namespace bench::tune
