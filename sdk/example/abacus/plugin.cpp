// SPDX-License-Identifier: Apache-2.0
// A plugin of tier T1 with bench.kernel/1 for an invented device that works on the calling thread:
// the core's engine measures it, and `bench tune add.json` tunes a kernel in its own language.
#include <bench/plugin.h>

#include <cstdlib>

#include "abacus.hpp"

BENCH_PLUGIN_NOTE("com.example.abacus", "0.1.0", "abacus", "\"abacus\"", "", 0);

struct bench_event_v1 {
  int64_t time_ns = 0;
};

using namespace abacus;

namespace {

bench_status open(const bench_host_v1 *host, const bench_options_v1 *, bench_instance_v1 **instance,
                  bench_error_v1 *error) {
  *instance = nullptr;
  return guarded(error, "open", [&] { *instance = new bench_instance_v1{{}, host}; });
}

void close(bench_instance_v1 *instance) {
  delete instance;
}

bench_status device_list(bench_instance_v1 *, bench_device_v1 *devices, uint32_t capacity,
                         uint32_t *count, bench_error_v1 *) {
  if (capacity > 0) devices[0] = {BENCH_DEVICE_EXT, 0};
  *count = 1;
  return BENCH_OK;
}

bench_status device_info(bench_instance_v1 *, bench_device_v1 device, bench_device_info_v1 *info,
                         bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    check(device);
    bench_device_info_v1 full{};
    full.device = device;
    full.compute_units = 1;
    full.flags = BENCH_DEVICE_FLAG_SYNCHRONOUS;  // launches run on the calling thread
    bench::plugin::copy_text(full.class_name, "abacus");
    bench::plugin::copy_text(full.name, "abacus device");
    bench::plugin::copy_text(full.vendor, "abacus");
    bench::plugin::copy_text(full.architecture, "abacus");
    bench::plugin::store_info(info, full);
  });
}

bench_status stream_create(bench_instance_v1 *, bench_device_v1 device, bench_stream_v1 *stream,
                           bench_error_v1 *error) {
  return guarded(error, "stream_create", [&] {
    check(device);
    stream->kind = BENCH_STREAM_PLUGIN_OWNED;
  });
}
void stream_destroy(bench_instance_v1 *, bench_device_v1, bench_stream_v1 *) {}
// Launches run on the calling thread: everything is done when its call has returned.
void check_stream(const bench_stream_v1 *stream) {
  if (stream && stream->class_kind != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED, "abacus has no kinds of handles", "pass class_kind 0");
}
bench_status stream_synchronize(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *stream,
                                bench_error_v1 *error) {
  return guarded(error, "stream_synchronize", [&] { check_stream(stream); });
}
bench_status device_synchronize(bench_instance_v1 *, bench_device_v1, bench_error_v1 *) {
  return BENCH_OK;
}

bench_status event_create(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                          bench_event_v1 **event, bench_error_v1 *error) {
  *event = nullptr;
  return guarded(error, "event_create", [&] {
    check(device);
    *event = new bench_event_v1;
  });
}
void event_destroy(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event) {
  delete event;
}
bench_status event_record(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                          const bench_stream_v1 *, bench_error_v1 *) {
  event->time_ns = bench_now_ns();
  return BENCH_OK;
}
void check_recorded(const bench_event_v1 *event) {
  if (event->time_ns == 0)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the event was never recorded",
                "call event_record first");
}
bench_status event_query(bench_instance_v1 *, bench_device_v1, bench_event_v1 *event,
                         bench_error_v1 *error) {
  return guarded(error, "event_query", [&] { check_recorded(event); });
}
bench_status event_synchronize(bench_instance_v1 *instance, bench_device_v1 device,
                               bench_event_v1 *event, bench_error_v1 *error) {
  return event_query(instance, device, event, error);
}
bench_status event_elapsed(bench_instance_v1 *, bench_device_v1, bench_event_v1 *start,
                           bench_event_v1 *stop, double *elapsed_ns, uint32_t *flags,
                           bench_error_v1 *error) {
  return guarded(error, "event_elapsed", [&] {
    check_recorded(start);
    check_recorded(stop);
    *elapsed_ns = static_cast<double>(stop->time_ns - start->time_ns);
    *flags = *elapsed_ns < 0 ? BENCH_SAMPLE_NEGATIVE : *elapsed_ns == 0 ? BENCH_SAMPLE_ZERO : 0u;
  });
}

bench_status memory_allocate(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                             uint64_t size, void **memory, bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "memory_allocate", [&] {
    check(device);
    if (size == 0) throw Error(BENCH_ERROR_INVALID_ARGUMENT, "size is 0", "ask for a byte or more");
    const uint64_t alignment = 256;
    if (size < (uint64_t{1} << 46))
      *memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (!*memory) throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no beads are left", "ask for less");
  });
}
void memory_free(bench_instance_v1 *, bench_device_v1, void *memory) {
  std::free(memory);
}
bench_status memory_copy(bench_instance_v1 *, bench_device_v1, void *destination, uint64_t to,
                         const void *source, uint64_t from, uint64_t size, uint32_t direction,
                         const bench_stream_v1 *, bench_error_v1 *error) {
  return guarded(error, "memory_copy", [&] {
    if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE)
      throw Error(BENCH_ERROR_UNSUPPORTED, "unknown direction", "use BENCH_COPY_*");
    std::memmove(static_cast<char *>(destination) + to, static_cast<const char *>(source) + from,
                 size);
  });
}
bench_status memory_set(bench_instance_v1 *, bench_device_v1, void *memory, uint64_t offset,
                        uint8_t value, uint64_t size, const bench_stream_v1 *, bench_error_v1 *) {
  std::memset(static_cast<char *>(memory) + offset, value, size);
  return BENCH_OK;
}
// More than the last-level cache of the machines that have one.
constexpr size_t line_bytes = 64;
constexpr size_t flush_bytes = 64u << 20;

bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 device,
                           const bench_stream_v1 *, uint64_t *bytes, bench_error_v1 *error) {
  return guarded(error, "flush_prepare", [&] {
    check(device);
    instance->flushed.resize(flush_bytes);
    *bytes = instance->flushed.size();
  });
}
void flush_release(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *) {}
bench_status flush(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *,
                   uint32_t mode, bench_error_v1 *error) {
  return guarded(error, "flush", [&] {
    if (mode != BENCH_FLUSH_WRITE && mode != BENCH_FLUSH_READ)
      throw Error(BENCH_ERROR_UNSUPPORTED, "unknown flush mode", "use BENCH_FLUSH_*");
    if (instance->flushed.empty())
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "flush without flush_prepare", "call it first");
    volatile char *bytes = instance->flushed.data();
    for (size_t at = 0; at < instance->flushed.size(); at += line_bytes) {
      if (mode == BENCH_FLUSH_WRITE)
        bytes[at] = 1;
      else
        (void)bytes[at];
    }
  });
}

const void *get_extension(bench_instance_v1 *, const char *id) {
  return std::strcmp(id, BENCH_EXT_KERNEL_V1) == 0 ? &kernel_table : nullptr;
}

constexpr bench_class_v1 device_class = {
    sizeof(bench_class_v1), BENCH_DEVICE_EXT, "abacus", nullptr, nullptr, 0, 0};
constexpr const bench_class_v1 *classes[] = {&device_class};

const bench_plugin_api_v1 api = {sizeof api,
                                 BENCH_ABI_MINOR,
                                 0,
                                 0,
                                 "com.example.abacus",
                                 "0.1.0",
                                 "abacus",
                                 classes,
                                 1,
                                 0,
                                 open,
                                 close,
                                 device_list,
                                 device_info,
                                 nullptr,  // the core's engine measures
                                 BENCH_PLUGIN_T1(),
                                 get_extension};

}  // namespace

const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *, bench_error_v1 *) {
  return &api;
}
