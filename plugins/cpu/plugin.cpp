// SPDX-License-Identifier: Apache-2.0
// The plugin's table: streams and events of a device that works on the calling thread.
#include <time.h>

#include "cpu.hpp"

namespace bench_cpu {
namespace {

std::int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

bench_status open(const bench_host_v1 *, const bench_options_v1 *, bench_instance_v1 **instance,
                  bench_error_v1 *error) {
  return guarded(error, "open", [&] { *instance = new bench_instance_v1; });
}

void close(bench_instance_v1 *instance) {
  flush_release(instance, {}, nullptr);
  delete instance;
}

bench_status stream_create(bench_instance_v1 *, bench_device_v1 device, bench_stream_v1 *stream,
                           bench_error_v1 *error) {
  return guarded(error, "stream_create", [&] {
    check_device(device);
    if (BENCH_HAS(stream, kind)) stream->kind = BENCH_STREAM_PLUGIN_OWNED;
  });
}

void stream_destroy(bench_instance_v1 *, bench_device_v1, bench_stream_v1 *) {}

// Everything has been done when the call that asked for it returned.
bench_status stream_synchronize(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                                bench_error_v1 *) {
  return BENCH_OK;
}
bench_status device_synchronize(bench_instance_v1 *, bench_device_v1, bench_error_v1 *) {
  return BENCH_OK;
}

bench_status event_create(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                          bench_event_v1 **event, bench_error_v1 *error) {
  *event = nullptr;
  return guarded(error, "event_create", [&] {
    check_device(device);
    *event = new bench_event_v1{0};
  });
}

void event_destroy(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event) {
  delete event;
}

bench_status event_record(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                          const bench_stream_v1 *, bench_error_v1 *) {
  event->time_ns = now_ns();
  return BENCH_OK;
}

bench_status check_recorded(const bench_event_v1 *event, const char *where, bench_error_v1 *error) {
  if (event->time_ns != 0) return BENCH_OK;
  return bench::plugin::fill(error, where,
                             Error(BENCH_ERROR_INVALID_ARGUMENT, "the event was never recorded",
                                   "call event_record first"));
}

bench_status event_query(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                         bench_error_v1 *error) {
  return check_recorded(event, "event_query", error);
}
bench_status event_synchronize(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                               bench_error_v1 *error) {
  return check_recorded(event, "event_synchronize", error);
}

bench_status event_elapsed(bench_instance_v1 *, bench_device_v1, bench_event_v1 *start,
                           bench_event_v1 *stop, double *elapsed_ns, std::uint32_t *sample_flags,
                           bench_error_v1 *error) {
  if (const bench_status status = check_recorded(start, "event_elapsed", error); status != BENCH_OK)
    return status;
  if (const bench_status status = check_recorded(stop, "event_elapsed", error); status != BENCH_OK)
    return status;
  *elapsed_ns = static_cast<double>(stop->time_ns - start->time_ns);
  *sample_flags = *elapsed_ns < 0    ? BENCH_SAMPLE_NEGATIVE
                  : *elapsed_ns == 0 ? BENCH_SAMPLE_ZERO
                                     : 0u;
  return BENCH_OK;
}

const void *get_extension(bench_instance_v1 *, const char *id) {
  if (std::strcmp(id, BENCH_EXT_KERNEL_V1) == 0) return &kernel_extension;
  if (std::strcmp(id, BENCH_EXT_CPU_V1) == 0) return &cpu_extension;
  return nullptr;
}

const bench_class_v1 cpu_class = {
    sizeof(bench_class_v1), BENCH_DEVICE_CPU, "cpu", nullptr, nullptr, 0, 0};
const bench_class_v1 *const classes[] = {&cpu_class};

const bench_plugin_api_v1 api = {
    sizeof(bench_plugin_api_v1),
    BENCH_ABI_MINOR,
    0,
    0,
    "org.bench.cpu",
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
    get_extension,
};

}  // namespace

void check_device(bench_device_v1 device) {
  if (device.type == BENCH_DEVICE_CPU && device.id == device_id) return;
  throw Error(BENCH_ERROR_NO_DEVICE,
              "device {" + std::to_string(device.type) + ", " + std::to_string(device.id) +
                  "} is not of this plugin",
              "it has one device, cpu:0 = {1, 0}");
}

}  // namespace bench_cpu

BENCH_PLUGIN_NOTE("org.bench.cpu", "0.1.0", "bench", "\"cpu\"", "", 0);

extern "C" BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *,
                                                                   bench_error_v1 *) {
  return &bench_cpu::api;
}
