// SPDX-License-Identifier: Apache-2.0
// The table of the sim plugin: devices that exist in a file only, under a virtual clock. Reads no
// real time.
#include <cmath>

#include "sim.hpp"

using namespace bench_sim;

namespace {

// A query takes host time, or a loop around it would never see the work end.
constexpr double query_ns = 100.0;

bench_status open(const bench_host_v1 *, const bench_options_v1 *options,
                  bench_instance_v1 **instance, bench_error_v1 *error) {
  *instance = nullptr;
  return guarded(error, "open", [&] {
    auto made = std::make_unique<bench_instance_v1>();
    for (std::uint32_t i = 0; options && i < options->count; ++i) {
      if (std::strcmp(options->keys[i], "devices") == 0) made->where = options->values[i];
    }
    *instance = made.release();
  });
}

void close(bench_instance_v1 *instance) {
  delete instance;
}

bench_status stream_create(bench_instance_v1 *instance, bench_device_v1 number,
                           bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_create", [&] {
    Device &device = enter(instance, number);
    stream->kind = BENCH_STREAM_PLUGIN_OWNED;
    stream->handle = *device.streams.insert(new Stream).first;
  });
}

void stream_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_stream_v1 *stream) {
  if (!stream || !stream->handle) return;
  guarded(nullptr, "stream_destroy", [&] {
    auto *handle = static_cast<Stream *>(stream->handle);
    if (device_of(instance, number).streams.erase(handle)) delete handle;
  });
}

bench_status stream_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                                const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_synchronize", [&] {
    Device &device = enter(instance, number);
    synchronize(instance, device, stream_of(device, stream));
  });
}

bench_status device_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                                bench_error_v1 *error) {
  return guarded(error, "device_synchronize", [&] {
    Device &device = enter(instance, number);
    synchronize(instance, device, device.own);
    for (Stream *stream : device.streams) synchronize(instance, device, *stream);
  });
}

bench_status event_create(bench_instance_v1 *instance, bench_device_v1 number,
                          const bench_stream_v1 *stream, bench_event_v1 **event,
                          bench_error_v1 *error) {
  *event = nullptr;
  return guarded(error, "event_create", [&] {
    stream_of(enter(instance, number), stream);
    *event = new bench_event_v1;
  });
}

void event_destroy(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event) {
  delete event;
}

bench_status event_record(bench_instance_v1 *instance, bench_device_v1 number,
                          bench_event_v1 *event, const bench_stream_v1 *stream,
                          bench_error_v1 *error) {
  return guarded(error, "event_record", [&] {
    Device &device = enter(instance, number);
    event->stream = &stream_of(device, stream);
    instance->spend(device.settings.cost.event_ns);
    enqueue(instance, device, *event->stream, {Operation::event, nullptr, event});
  });
}

void check_recorded(const bench_event_v1 *event) {
  if (!event->stream)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "an event that was never recorded",
                "call event_record first");
}

bench_status event_query(bench_instance_v1 *instance, bench_device_v1, bench_event_v1 *event,
                         bench_error_v1 *error) {
  bool pending = false;
  const bench_status status = guarded(error, "event_query", [&] {
    check_recorded(event);
    instance->spend(query_ns);
    pending = !event->recorded || event->never || instance->host_ns.load() < event->at_ns;
  });
  return status == BENCH_OK && pending ? BENCH_ERROR_BUSY : status;
}

bench_status event_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                               bench_event_v1 *event, bench_error_v1 *error) {
  return guarded(error, "event_synchronize", [&] {
    Device &device = enter(instance, number);
    check_recorded(event);
    pass_gate(instance, device, *event->stream);
    if (device.lost)
      throw Error(BENCH_ERROR_DEVICE_LOST, "the simulated device was lost in this work",
                  "start a new process");
    if (event->never) hang_for_ever();
    instance->wait_until(event->at_ns);
    instance->spend(device.settings.cost.synchronize_ns);
  });
}

/// What the device's counter shows at a time.
double counter(const Settings &settings, double at_ns) {
  const auto &timer = settings.timer;
  if (timer.frozen) return 0.0;
  at_ns *= 1.0 + timer.drift;
  if (timer.resolution_ns > 0.0)
    at_ns = std::floor(at_ns / timer.resolution_ns) * timer.resolution_ns;
  return timer.wrap_ns > 0.0 ? std::fmod(at_ns, timer.wrap_ns) : at_ns;
}

bench_status event_elapsed(bench_instance_v1 *instance, bench_device_v1 number,
                           bench_event_v1 *start, bench_event_v1 *stop, double *elapsed_ns,
                           std::uint32_t *sample_flags, bench_error_v1 *error) {
  return guarded(error, "event_elapsed", [&] {
    Device &device = enter(instance, number);
    const auto &timer = device.settings.timer;
    check_recorded(start);
    check_recorded(stop);
    ++device.elapsed_calls;
    *sample_flags = 0;
    double elapsed = counter(device.settings, stop->at_ns) - counter(device.settings, start->at_ns);
    if (timer.wrap_ns > 0.0 && elapsed < 0.0) {
      elapsed += timer.wrap_ns;
      *sample_flags = BENCH_SAMPLE_WRAPPED;
    }
    if (timer.negative_every && device.elapsed_calls % timer.negative_every == 0)
      elapsed = -elapsed;
    else if (timer.zero_every && device.elapsed_calls % timer.zero_every == 0)
      elapsed = 0.0;
    if (elapsed < 0.0) *sample_flags |= BENCH_SAMPLE_NEGATIVE;
    if (elapsed == 0.0) *sample_flags |= BENCH_SAMPLE_ZERO;
    *elapsed_ns = elapsed;
  });
}

const bench_class_v1 sim_class = {
    sizeof sim_class, BENCH_DEVICE_EXT, "sim", nullptr, nullptr, 0, 0};
const bench_class_v1 *const classes[] = {&sim_class};

const bench_plugin_api_v1 api = {
    sizeof(bench_plugin_api_v1),
    BENCH_ABI_MINOR,
    0,
    0,
    "org.bench.sim",
    "0.1.0",
    "bench",
    classes,
    1,
    0,
    open,
    close,
    device_list,
    device_info,
    nullptr,  // the core's engine measures
    BENCH_PLUGIN_T1(),
    extension,
};

}  // namespace

BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *, bench_error_v1 *) {
  return &api;
}

// Nothing is opened; what closes the list early is "env": what was found under one value of the
// variable must not be remembered for another.
BENCH_PLUGIN_NOTE("org.bench.sim", "0.1.0", "bench", "\"sim\"", "],\"env\":[\"BENCH_SIM_DEVICES\"",
                  0);
