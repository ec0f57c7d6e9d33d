// SPDX-License-Identifier: Apache-2.0
// Timing events: a global time stamp that the device writes to host memory, and a signal behind it.
// Kernel time stamps would be finer, but only whoever appends a kernel can ask for them; what a
// callable launches is opaque.
#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr std::size_t timestamp_alignment = 64;  // a cache line of its own

Error never_recorded() {
  return Error(BENCH_ERROR_INVALID_ARGUMENT, "the event was never recorded",
               "call event_record first");
}

void destroy_event(bench_event_v1 *event) {
  destroy_signal(event->signal);
  if (event->timestamp) functions().zeMemFree(event->context, event->timestamp);
  delete event;
}

/// Its time stamp, if it has happened.
std::uint64_t read(Device &device, const bench_event_v1 *event) {
  if (!event->recorded.load(std::memory_order_acquire)) throw never_recorded();
  const ze_result_t result = functions().zeEventQueryStatus(event->signal.event);
  if (result == ZE_RESULT_NOT_READY)
    throw Error(BENCH_ERROR_BUSY, "the event has not happened yet",
                "wait for it with event_synchronize");
  check(result, "zeEventQueryStatus", &device);
  return __atomic_load_n(event->timestamp, __ATOMIC_ACQUIRE);  // written by the device
}

}  // namespace

bench_status event_create(bench_instance_v1 *instance, bench_device_v1 pair,
                          const bench_stream_v1 *stream, bench_event_v1 **event,
                          bench_error_v1 *error) {
  *event = nullptr;
  return guarded(error, "event_create", [&] {
    Device &device = device_of(instance, pair);
    collect_retired(device);
    if (device.global.ns_per_tick <= 0)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the driver tells no resolution of the device's timer",
                  "measure with the host's clock, or update the driver");
    const Target target = resolve(device, stream);
    auto made = std::make_unique<bench_event_v1>();
    made->context = target.context;
    made->timestamp = nullptr;
    made->signal = make_signal(device, target.context);
    ze_host_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    void *memory = nullptr;
    const ze_result_t result = functions().zeMemAllocHost(
        target.context, &description, sizeof(std::uint64_t), timestamp_alignment, &memory);
    if (result != ZE_RESULT_SUCCESS) destroy_signal(made->signal);
    check(result, "zeMemAllocHost", &device);
    made->timestamp = static_cast<std::uint64_t *>(memory);
    *made->timestamp = 0;
    *event = made.release();
  });
}

void event_destroy(bench_instance_v1 *instance, bench_device_v1 pair, bench_event_v1 *event) {
  guarded(nullptr, "event_destroy", [&] {
    if (!event) return;
    Device &device = listed_device(instance, pair);
    collect_retired(device);
    const bool pending = event->recorded.load() && !device.lost.load() &&
                         functions().zeEventQueryStatus(event->signal.event) == ZE_RESULT_NOT_READY;
    if (!pending) return destroy_event(event);
    Retired retired;
    retired.until.push_back(event->signal);
    event->signal = {};
    retired.destroy = [event] { destroy_event(event); };
    device.retired.push_back(std::move(retired));
  });
}

bench_status event_record(bench_instance_v1 *instance, bench_device_v1 pair, bench_event_v1 *event,
                          const bench_stream_v1 *stream, bench_error_v1 *error) {
  const char *function = "";
  ze_result_t result = ZE_RESULT_SUCCESS;
  Device *device = nullptr;
  const bench_status status = guarded(error, "event_record", [&] {
    const Functions &ze = functions();
    device = &device_of(instance, pair);
    const Target target = resolve(*device, stream);
    if (target.context != event->context)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the event is of another context than the stream",
                  "create the event for a stream of this context");
    if (target.recording) {
      target.recording->broken = "an event cannot be recorded twice by one graph";
      throw Error(BENCH_ERROR_UNSUPPORTED, "a timing event in a recording",
                  "record events before and after the graph's launch");
    }
    if (event->recorded.load(std::memory_order_relaxed)) {
      if (ze.zeEventQueryStatus(event->signal.event) == ZE_RESULT_NOT_READY)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the event was recorded and has not happened yet",
                    "wait for it, or use another event");
      function = "zeEventHostReset";
      result = ze.zeEventHostReset(event->signal.event);
    }
    // What precedes is done when the clock is read, and what follows starts after that: the list
    // itself may run all of it at once.
    if (result == ZE_RESULT_SUCCESS) {
      function = "zeCommandListAppendBarrier";
      result = order(target);
    }
    if (result == ZE_RESULT_SUCCESS) {
      function = "zeCommandListAppendWriteGlobalTimestamp";
      result = ze.zeCommandListAppendWriteGlobalTimestamp(target.list, event->timestamp, nullptr, 0,
                                                          nullptr);
    }
    if (result == ZE_RESULT_SUCCESS) {
      function = "zeCommandListAppendBarrier";
      result = ze.zeCommandListAppendBarrier(target.list, event->signal.event, 0, nullptr);
    }
    if (result == ZE_RESULT_SUCCESS) event->recorded.store(true, std::memory_order_release);
  });
  return status != BENCH_OK ? status : report(result, function, device, "event_record", error);
}

bench_status event_query(bench_instance_v1 *instance, bench_device_v1 pair, bench_event_v1 *event,
                         bench_error_v1 *error) {
  return guarded(error, "event_query", [&] {
    Device &device = device_of(instance, pair);
    if (!event->recorded.load(std::memory_order_acquire)) throw never_recorded();
    const ze_result_t result = functions().zeEventQueryStatus(event->signal.event);
    check(result, "zeEventQueryStatus", &device);
  });
}

bench_status event_synchronize(bench_instance_v1 *instance, bench_device_v1 pair,
                               bench_event_v1 *event, bench_error_v1 *error) {
  return guarded(error, "event_synchronize", [&] {
    Device &device = device_of(instance, pair);
    if (!event->recorded.load(std::memory_order_acquire)) throw never_recorded();
    check(functions().zeEventHostSynchronize(event->signal.event, UINT64_MAX),
          "zeEventHostSynchronize", &device);
  });
}

bench_status event_elapsed(bench_instance_v1 *instance, bench_device_v1 pair, bench_event_v1 *start,
                           bench_event_v1 *stop, double *elapsed, std::uint32_t *sample_flags,
                           bench_error_v1 *error) {
  return guarded(error, "event_elapsed", [&] {
    Device &device = device_of(instance, pair);
    const std::uint64_t from = read(device, start), to = read(device, stop);
    *elapsed = elapsed_ns(device.global, from, to, *sample_flags);
  });
}

}  // namespace bench_xpu
