// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_callable.hpp"

#include "base/error.hpp"

namespace bench::tune {

TunerCallable::TunerCallable(const bench_callable_v1 &inner,
                             const bench_tune_callbacks_v1 *callbacks, TunerArguments &arguments)
    : inner_(inner), callbacks_(callbacks), arguments_(arguments), callable_(inner) {
  callable_.struct_size = sizeof callable_;
  const bool hooked = callbacks && (callbacks->pre_hook || callbacks->post_hook);
  if (!hooked && !arguments.changes_memory()) return;
  // Hooks belong to each launch, so a window may hold one only. Arguments that are put back are
  // different: a caller who says REPEATABLE wants them put back once a window.
  if (hooked) callable_.flags &= ~BENCH_CALLABLE_REPEATABLE;
  callable_.user = this;
  callable_.launch = launch;
  callable_.prepare = prepare;
  callable_.restore = restore;
  if (inner.wait) callable_.wait = wait;
}

bench_status TunerCallable::settle(const bench_stream_v1 *stream, bench_error_v1 *error) {
  const bench_config_v1 *config = owed_;
  owed_ = nullptr;
  if (!config || !callbacks_ || !callbacks_->post_hook) return BENCH_OK;
  return callbacks_->post_hook(callbacks_->user, config, stream, error);
}

bench_status TunerCallable::launch(void *user, const bench_config_v1 *config,
                                   const bench_stream_v1 *stream, bench_error_v1 *error) {
  auto &self = *static_cast<TunerCallable *>(user);
  self.owed_ = config;
  return self.inner_.launch(self.inner_.user, config, stream, error);
}

bench_status TunerCallable::prepare(void *user, const bench_config_v1 *config,
                                    const bench_stream_v1 *stream, bench_error_v1 *error) {
  auto &self = *static_cast<TunerCallable *>(user);
  bench_status status = self.settle(stream, error);
  if (status == BENCH_OK)
    status = guarded(error, "prepare", [&] { self.arguments_.reset(*stream); });
  if (status == BENCH_OK && self.inner_.prepare)
    status = self.inner_.prepare(self.inner_.user, config, stream, error);
  if (status == BENCH_OK && self.callbacks_ && self.callbacks_->pre_hook)
    status = self.callbacks_->pre_hook(self.callbacks_->user, config, stream, error);
  return status;
}

bench_status TunerCallable::restore(void *user, const bench_config_v1 *config,
                                    const bench_stream_v1 *stream, bench_error_v1 *error) {
  // Called after each visit: arguments are put back once, by who ends the tune.
  auto &self = *static_cast<TunerCallable *>(user);
  const bench_status settled = self.settle(stream, error);
  if (!self.inner_.restore) return settled;
  const bench_status restored = self.inner_.restore(self.inner_.user, config, stream, error);
  return settled != BENCH_OK ? settled : restored;
}

bench_status TunerCallable::wait(void *user, const bench_config_v1 *config,
                                 const bench_stream_v1 *stream, bench_error_v1 *error) {
  auto &self = *static_cast<TunerCallable *>(user);
  return self.inner_.wait(self.inner_.user, config, stream, error);
}

}  // namespace bench::tune
