// SPDX-License-Identifier: Apache-2.0
#include "measure/window.hpp"

#include "base/error.hpp"
#include "measure/engine.hpp"

namespace bench::measure {

EventWindow::EventWindow(const Target &target, const bench_stream_v1 &stream, Clock &clock)
    : target_(target), stream_(stream), clock_(clock) {
  const auto &api = *target_.api;
  bench_error_v1 error = error_struct();
  bench_status status =
      api.event_create(target_.instance, target_.device, &stream_, &start_, &error);
  if (status == BENCH_OK) {
    status = api.event_create(target_.instance, target_.device, &stream_, &stop_, &error);
    // The destructor does not run for an object whose constructor throws.
    if (status != BENCH_OK) api.event_destroy(target_.instance, target_.device, start_);
  }
  if (status != BENCH_OK) throw Failure(status, error, "event_create");
}

EventWindow::~EventWindow() {
  target_.api->event_destroy(target_.instance, target_.device, start_);
  target_.api->event_destroy(target_.instance, target_.device, stop_);
}

std::uint32_t EventWindow::method(std::uint32_t launches) const {
  return launches > 1 ? BENCH_METHOD_BATCH : BENCH_METHOD_EVENT;
}

WindowFault EventWindow::run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                             std::uint32_t launches, bench_sample_v1 &sample,
                             bench_error_v1 &error) {
  const auto &api = *target_.api;
  const bench_callback_v1 launch = callable ? callable->launch : nullptr;
  const bench_callback_v1 wait = callable && launches > 0 ? callable->wait : nullptr;
  void *const user = callable ? callable->user : nullptr;
  sample = {};
  sample.launches = launches;
  sample.start_ns = clock_.now_ns();
  bench_status status =
      api.event_record(target_.instance, target_.device, start_, &stream_, &error);
  if (status != BENCH_OK) return {status, "event_record", false};
  // Nothing but launches between here and the second record: every instruction would be timed.
  for (std::uint32_t i = 0; i < launches; ++i) {
    status = launch(user, config, &stream_, &error);
    if (status != BENCH_OK) return {status, "launch", true};
  }
  if (wait) {
    status = wait(user, config, &stream_, &error);
    if (status != BENCH_OK) return {status, "wait", true};
  }
  status = api.event_record(target_.instance, target_.device, stop_, &stream_, &error);
  if (status != BENCH_OK) return {status, "event_record", false};
  status = api.event_synchronize(target_.instance, target_.device, stop_, &error);
  if (status != BENCH_OK) return {status, "event_synchronize", false};
  status = api.event_elapsed(target_.instance, target_.device, start_, stop_, &sample.elapsed_ns,
                             &sample.flags, &error);
  sample.end_ns = clock_.now_ns();
  return {status, "event_elapsed", false};
}

}  // namespace bench::measure
