// SPDX-License-Identifier: Apache-2.0
#include "measure/window.hpp"

#include "base/error.hpp"
#include "measure/engine.hpp"
#include "measure/gate.hpp"

namespace bench::measure {

EventPair::EventPair(const Target &target, const bench_stream_v1 &stream, Clock &clock)
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

EventPair::~EventPair() {
  target_.api->event_destroy(target_.instance, target_.device, start_);
  target_.api->event_destroy(target_.instance, target_.device, stop_);
}

WindowFault EventPair::begin(Gate *gate, bench_sample_v1 &sample, bench_error_v1 &error) {
  sample.start_ns = clock_.now_ns();
  if (gate) {
    const bench_status status = gate->close(error);
    if (status != BENCH_OK) return {status, "gate"};
  }
  const bench_status status =
      target_.api->event_record(target_.instance, target_.device, start_, &stream_, &error);
  if (status != BENCH_OK) return abandon(gate, {status, "event_record"});
  return {};
}

WindowFault EventPair::end(Gate *gate, bench_sample_v1 &sample, bench_error_v1 &error) {
  const auto &api = *target_.api;
  bench_status status = api.event_record(target_.instance, target_.device, stop_, &stream_, &error);
  if (status != BENCH_OK) return abandon(gate, {status, "event_record"});
  enqueued_ns_ = clock_.now_ns() - sample.start_ns;
  const bool forced = gate && !gate->open();
  status = api.event_synchronize(target_.instance, target_.device, stop_, &error);
  if (status != BENCH_OK) return {status, "event_synchronize"};
  status = api.event_elapsed(target_.instance, target_.device, start_, stop_, &sample.elapsed_ns,
                             &sample.flags, &error);
  sample.end_ns = clock_.now_ns();
  return {status, "event_elapsed", false, forced};
}

WindowFault EventPair::abandon(Gate *gate, const WindowFault &fault) {
  if (gate) gate->open();
  return fault;
}

WindowFault EventWindow::run(const bench_callable_v1 *callable, const bench_config_v1 *config,
                             std::uint32_t launches, bench_sample_v1 &sample,
                             bench_error_v1 &error) {
  const bench_callback_v1 launch = callable ? callable->launch : nullptr;
  const bench_callback_v1 wait = callable && launches > 0 ? callable->wait : nullptr;
  void *const user = callable ? callable->user : nullptr;
  sample = {};
  sample.launches = launches;
  if (const WindowFault fault = events_.begin(gate_, sample, error); fault.status != BENCH_OK)
    return fault;
  // Nothing but launches between here and the second record: every instruction would be timed.
  for (std::uint32_t i = 0; i < launches; ++i) {
    const bench_status status = launch(user, config, &stream_, &error);
    if (status != BENCH_OK) return EventPair::abandon(gate_, {status, "launch", true});
  }
  if (wait) {
    const bench_status status = wait(user, config, &stream_, &error);
    if (status != BENCH_OK) return EventPair::abandon(gate_, {status, "wait", true});
  }
  return events_.end(gate_, sample, error);
}

}  // namespace bench::measure
