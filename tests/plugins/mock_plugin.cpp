// SPDX-License-Identifier: Apache-2.0
// A T1 plugin: two devices of the invented class "mock" under a virtual clock. Deterministic: it
// reads no real time, and takes what a script (mock_control.h) says.
#include <cmath>
#include <cstdlib>

#include "mock_state.hpp"

using namespace mock;

namespace {

constexpr double default_event_gap_ns = 500.0;
constexpr double default_event_gap_step_ns = 1.0;
constexpr double default_event_host_ns = 100.0;
constexpr double default_submit_ns = 200.0;

bench_status open(const bench_host_v1 *, const bench_options_v1 *, bench_instance_v1 **instance,
                  bench_error_v1 *error) {
  *instance = nullptr;
  return guarded(error, "open", [&] {
    *instance = new bench_instance_v1;
    for (Device &device : (*instance)->devices) {
      device.script.event_gap_ns = default_event_gap_ns;
      device.script.event_gap_step_ns = default_event_gap_step_ns;
      device.script.event_host_ns = default_event_host_ns;
      device.script.submit_ns = default_submit_ns;
      device.script.slow_factor = 1.0;
      device.script.memory_limit_bytes = 1u << 30;
    }
  });
}

void close(bench_instance_v1 *instance) {
  delete instance;
}

bench_status device_list(bench_instance_v1 *, bench_device_v1 *devices, std::uint32_t capacity,
                         std::uint32_t *count, bench_error_v1 *) {
  *count = device_count;
  for (std::uint32_t at = 0; at < capacity && at < device_count; ++at)
    devices[at] = {BENCH_DEVICE_EXT, static_cast<std::int32_t>(at)};
  return BENCH_OK;
}

bench_status device_info(bench_instance_v1 *instance, bench_device_v1 number,
                         bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    const Script &script = device_of(instance, number).script;
    bench_device_info_v1 full{};
    full.state = script.lost ? BENCH_ERROR_DEVICE_LOST : BENCH_OK;
    if (script.lost) bench::plugin::copy_text(full.reason, "lost: start a new process");
    full.device = number;
    std::memset(full.uuid, 0xb0 + number.id, sizeof full.uuid);
    bench::plugin::copy_text(full.class_name, "mock");
    bench::plugin::copy_text(full.name, "Mock device " + std::to_string(number.id));
    bench::plugin::copy_text(full.vendor, "Tests");
    bench::plugin::copy_text(full.architecture, "mock1");
    bench::plugin::copy_text(full.driver_version, "1.0");
    full.memory_bytes = script.memory_limit_bytes;
    full.last_level_cache_bytes = flush_bytes / 2;
    full.compute_units = 1;
    full.timer_resolution_ns = script.resolution_ns;
    full.timer_wrap_ns = script.wrap_ns;
    bench::plugin::store_info(info, full);
  });
}

bench_status stream_create(bench_instance_v1 *instance, bench_device_v1 number,
                           bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_create", [&] {
    Device &device = enter(instance, number, "stream_create");
    stream->kind = BENCH_STREAM_PLUGIN_OWNED;
    stream->handle = *device.streams.insert(new Stream).first;
    ++device.script.streams_alive;
  });
}

void stream_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_stream_v1 *stream) {
  if (!stream || !stream->handle) return;
  Device &device = instance->devices[number.id];
  auto *handle = static_cast<Stream *>(stream->handle);
  if (device.streams.erase(handle) == 0) std::abort();  // twice, or another device's
  delete handle;
  --device.script.streams_alive;
}

bench_status stream_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                                const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_synchronize", [&] {
    Device &device = enter(instance, number, "stream_synchronize");
    Stream &queue = stream_of(device, stream);
    check_not_recording(queue);
    pass_gate(instance, device, queue);
    instance->host_ns = std::max(instance->host_ns, queue.done_ns);
  });
}

bench_status device_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                                bench_error_v1 *error) {
  return guarded(error, "device_synchronize", [&] {
    Device &device = enter(instance, number, "device_synchronize");
    pass_gate(instance, device, device.own);
    double done = std::max(device.own.done_ns, device.stray.done_ns);
    for (Stream *stream : device.streams) {
      check_not_recording(*stream);
      pass_gate(instance, device, *stream);
      done = std::max(done, stream->done_ns);
    }
    instance->host_ns = std::max(instance->host_ns, done);
  });
}

bench_status event_create(bench_instance_v1 *instance, bench_device_v1 number,
                          const bench_stream_v1 *stream, bench_event_v1 **event,
                          bench_error_v1 *error) {
  *event = nullptr;
  return guarded(error, "event_create", [&] {
    Device &device = enter(instance, number, "event_create");
    stream_of(device, stream);
    *event = new bench_event_v1;
    ++device.script.events_alive;
  });
}

void event_destroy(bench_instance_v1 *instance, bench_device_v1 number, bench_event_v1 *event) {
  if (!event) return;
  delete event;
  --instance->devices[number.id].script.events_alive;
}

bench_status event_record(bench_instance_v1 *instance, bench_device_v1 number,
                          bench_event_v1 *event, const bench_stream_v1 *stream,
                          bench_error_v1 *error) {
  return guarded(error, "event_record", [&] {
    Device &device = enter(instance, number, "event_record");
    ++device.script.records;
    event->recorded = true;
    event->stream = &stream_of(device, stream);
    enqueue(instance, device, *event->stream, {Operation::event, 0.0, event});
    instance->host_ns += device.script.event_host_ns;
  });
}

bench_status event_query(bench_instance_v1 *instance, bench_device_v1 number, bench_event_v1 *event,
                         bench_error_v1 *error) {
  bool pending = false;
  const bench_status status = guarded(error, "event_query", [&] {
    enter(instance, number, "event_query");
    if (!event->recorded)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "an event that was never recorded", "record it");
    pending = instance->host_ns < event->at_ns;
  });
  return status == BENCH_OK && pending ? BENCH_ERROR_BUSY : status;
}

bench_status event_synchronize(bench_instance_v1 *instance, bench_device_v1 number,
                               bench_event_v1 *event, bench_error_v1 *error) {
  return guarded(error, "event_synchronize", [&] {
    Device &device = enter(instance, number, "event_synchronize");
    if (!event->recorded)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "an event that was never recorded", "record it");
    pass_gate(instance, device, *event->stream);
    instance->host_ns = std::max(instance->host_ns, event->at_ns);
  });
}

/// What the device's counter shows at a time.
double counter(const Script &script, double at_ns) {
  if (script.frozen_timer) return 0.0;
  const double steps = script.resolution_ns > 0.0
                           ? std::floor(at_ns / script.resolution_ns) * script.resolution_ns
                           : at_ns;
  return script.wrap_ns > 0.0 ? std::fmod(steps, script.wrap_ns) : steps;
}

bench_status event_elapsed(bench_instance_v1 *instance, bench_device_v1 number,
                           bench_event_v1 *start, bench_event_v1 *stop, double *elapsed_ns,
                           std::uint32_t *sample_flags, bench_error_v1 *error) {
  return guarded(error, "event_elapsed", [&] {
    Script &script = enter(instance, number, "event_elapsed").script;
    ++script.elapsed_calls;
    *sample_flags = 0;
    *elapsed_ns = counter(script, stop->at_ns) - counter(script, start->at_ns);
    if (script.wrap_ns > 0.0 && *elapsed_ns < 0.0) {
      *elapsed_ns += script.wrap_ns;
      *sample_flags = BENCH_SAMPLE_WRAPPED;
    }
    if (script.negative_every && script.elapsed_calls % script.negative_every == 0) {
      *elapsed_ns = -*elapsed_ns;
      *sample_flags = BENCH_SAMPLE_NEGATIVE;
    } else if (script.zero_every && script.elapsed_calls % script.zero_every == 0) {
      *elapsed_ns = 0.0;
      *sample_flags = BENCH_SAMPLE_ZERO;
    }
  });
}

// ---- The script's side ----

Script *script_of(bench_instance_v1 *instance, bench_device_v1 number) {
  return &instance->devices[number.id].script;
}

double now_ns(bench_instance_v1 *instance) {
  return instance->host_ns;
}

void advance_ns(bench_instance_v1 *instance, double duration_ns) {
  instance->host_ns += duration_ns;
}

bench_status work(bench_instance_v1 *instance, bench_device_v1 number,
                  const bench_stream_v1 *stream, double duration_ns, bench_error_v1 *error) {
  return guarded(error, "work", [&] {
    Device &device = enter(instance, number, "work");
    Script &script = device.script;
    ++script.works;
    instance->host_ns += script.submit_ns;
    enqueue(instance, device, stream_of(device, stream), {Operation::work, duration_ns});
  });
}

bench_status stray_work(bench_instance_v1 *instance, bench_device_v1 number, double duration_ns,
                        bench_error_v1 *error) {
  return guarded(error, "stray_work", [&] {
    Device &device = enter(instance, number, "stray_work");
    instance->host_ns += device.script.submit_ns;
    enqueue(instance, device, device.stray, {Operation::work, duration_ns});
  });
}

const void *get_extension(bench_instance_v1 *instance, const char *id) {
  static const bench_ext_test_mock_v1 control = {sizeof control, 0,    script_of, now_ns,
                                                 advance_ns,     work, stray_work};
  return std::strcmp(id, BENCH_TEST_MOCK_V1) == 0 ? &control : extension(instance, id);
}

const char *const aliases[] = {"pretend"};
const bench_class_v1 mock_class = {
    sizeof mock_class, BENCH_DEVICE_EXT, "mock", aliases, nullptr, 1, 0};
const bench_class_v1 *const classes[] = {&mock_class};

const bench_plugin_api_v1 api = [] {
  bench_plugin_api_v1 table{};
  table.struct_size = sizeof table;
  table.abi_minor = BENCH_ABI_MINOR;
  table.id = "org.bench.test.mock";
  table.version = "1.0.0";
  table.vendor = "Tests";
  table.classes = classes;
  table.class_count = 1;
  table.open = open;
  table.close = close;
  table.device_list = device_list;
  table.device_info = device_info;
  table.stream_create = stream_create;
  table.stream_destroy = stream_destroy;
  table.stream_synchronize = stream_synchronize;
  table.device_synchronize = device_synchronize;
  table.event_create = event_create;
  table.event_destroy = event_destroy;
  table.event_record = event_record;
  table.event_query = event_query;
  table.event_synchronize = event_synchronize;
  table.event_elapsed = event_elapsed;
  table.memory_allocate = memory_allocate;
  table.memory_free = memory_free;
  table.memory_copy = memory_copy;
  table.memory_set = memory_set;
  table.flush_prepare = flush_prepare;
  table.flush_release = flush_release;
  table.flush = flush;
  table.get_extension = get_extension;
  return table;
}();

}  // namespace

BENCH_EXPORT const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *, bench_error_v1 *) {
  return &api;
}

BENCH_PLUGIN_NOTE("org.bench.test.mock", "1.0.0", "Tests", "\"mock\"", "", 0);
