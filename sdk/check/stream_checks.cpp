// SPDX-License-Identifier: Apache-2.0
// Tier T1: streams, events, memory, flush.
#include <cmath>
#include <cstring>

#include "plugin.hpp"

namespace check {
namespace {

/// A device with a stream.
struct T1 {
  explicit T1(const Options &options) : bed(options), api(bed.plugin.api()) {
    if (!bed.plugin.has_streams()) throw NotHere("it is of tier T0");
    stream.struct_size = sizeof stream;
    bench_error_v1 error = new_error();
    require_good("stream_create",
                 api.stream_create(bed.instance.get(), bed.device, &stream, &error), error);
  }
  ~T1() { api.stream_destroy(bed.instance.get(), bed.device, &stream); }
  bench_event_v1 *event() const {
    bench_event_v1 *made = nullptr;
    bench_error_v1 error = new_error();
    require_good("event_create",
                 api.event_create(bed.instance.get(), bed.device, &stream, &made, &error), error);
    return made;
  }
  void *memory(std::uint64_t size) const {
    void *made = nullptr;
    bench_error_v1 error = new_error();
    require_good("memory_allocate",
                 api.memory_allocate(bed.instance.get(), bed.device, &stream, size, &made, &error),
                 error);
    return made;
  }
  void record(bench_event_v1 *event) const {
    bench_error_v1 error = new_error();
    require_good("event_record",
                 api.event_record(bed.instance.get(), bed.device, event, &stream, &error), error);
  }
  void copy(void *to, std::uint64_t to_offset, const void *from, std::uint64_t from_offset,
            std::uint64_t size, std::uint32_t direction) const {
    bench_error_v1 error = new_error();
    require_good("memory_copy",
                 api.memory_copy(bed.instance.get(), bed.device, to, to_offset, from, from_offset,
                                 size, direction, &stream, &error),
                 error);
  }
  void synchronize() const {
    bench_error_v1 error = new_error();
    require_good("stream_synchronize",
                 api.stream_synchronize(bed.instance.get(), bed.device, &stream, &error), error);
  }
  Bed bed;
  const bench_plugin_api_v1 &api;
  bench_stream_v1 stream{};
};

void create(const Options &options) {
  const T1 t(options);
  require(t.stream.kind == BENCH_STREAM_PLUGIN_OWNED,
          "stream_create made a stream of kind " + std::to_string(t.stream.kind));
  require(t.stream.struct_size == sizeof t.stream,
          "stream_create wrote struct_size, which is the caller's");
}

void null_destroy(const Options &options) {
  const T1 t(options);
  t.api.event_destroy(t.bed.instance.get(), t.bed.device, nullptr);
  t.api.memory_free(t.bed.instance.get(), t.bed.device, nullptr);
}

void synchronize(const Options &options) {
  const T1 t(options);
  t.synchronize();
  bench_error_v1 error = new_error();
  require_good("device_synchronize",
               t.api.device_synchronize(t.bed.instance.get(), t.bed.device, &error), error);
}

void unknown_class_kind(const Options &options) {
  const T1 t(options);
  bench_stream_v1 other = t.stream;
  other.class_kind = 0x7fff0001;
  bench_error_v1 error = new_error();
  const bench_status status =
      t.api.stream_synchronize(t.bed.instance.get(), t.bed.device, &other, &error);
  if (status == BENCH_ERROR_UNSUPPORTED) return;
  const std::string text =
      "an unknown class_kind gave " + std::to_string(status) + ", expected UNSUPPORTED (-5)";
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  require_good("device_info", t.api.device_info(t.bed.instance.get(), t.bed.device, &info, &error),
               error);
  // Launches on the calling thread use no handle that could be taken for another.
  if (info.flags & BENCH_DEVICE_FLAG_SYNCHRONOUS) throw Doubtful(text);
  throw Broken(text);
}

void elapsed(const Options &options) {
  const T1 t(options);
  bench_event_v1 *start = t.event(), *stop = t.event();
  t.record(start);
  t.record(stop);
  bench_error_v1 error = new_error();
  require_good("event_synchronize",
               t.api.event_synchronize(t.bed.instance.get(), t.bed.device, stop, &error), error);
  require_good("event_query", t.api.event_query(t.bed.instance.get(), t.bed.device, stop, &error),
               error);
  double time_ns = -1;
  std::uint32_t flags = 0;
  require_good("event_elapsed",
               t.api.event_elapsed(t.bed.instance.get(), t.bed.device, start, stop, &time_ns,
                                   &flags, &error),
               error);
  require(std::isfinite(time_ns), "event_elapsed is not finite");
  require(time_ns >= 0 || (flags & BENCH_SAMPLE_NEGATIVE),
          "event_elapsed is negative and not marked");
  require(time_ns != 0 || (flags & BENCH_SAMPLE_ZERO), "event_elapsed is zero and not marked");
  t.record(start);  // it has happened: it may be recorded again
  t.synchronize();
  t.api.event_destroy(t.bed.instance.get(), t.bed.device, start);
  t.api.event_destroy(t.bed.instance.get(), t.bed.device, stop);
}

void never_recorded(const Options &options) {
  const T1 t(options);
  bench_event_v1 *event = t.event();
  bench_error_v1 error = new_error();
  const bench_status status =
      t.api.event_synchronize(t.bed.instance.get(), t.bed.device, event, &error);
  require(status == BENCH_ERROR_INVALID_ARGUMENT,
          "waiting for an event that was never recorded gave " + std::to_string(status));
  require_error_filled("event_synchronize", status, error);
  t.api.event_destroy(t.bed.instance.get(), t.bed.device, event);
}

void pending_destroy(const Options &options) {
  const T1 t(options);
  constexpr std::uint64_t size = 1 << 20;
  void *memory = t.memory(size);
  bench_error_v1 error = new_error();
  require_good(
      "memory_set",
      t.api.memory_set(t.bed.instance.get(), t.bed.device, memory, 0, 1, size, &t.stream, &error),
      error);
  bench_event_v1 *event = t.event();
  t.record(event);
  t.api.event_destroy(t.bed.instance.get(), t.bed.device, event);
  t.api.memory_free(t.bed.instance.get(), t.bed.device, memory);
  t.synchronize();
}

void memory_size(const Options &options) {
  const T1 t(options);
  void *memory = nullptr;
  bench_error_v1 error = new_error();
  bench_status status =
      t.api.memory_allocate(t.bed.instance.get(), t.bed.device, &t.stream, 0, &memory, &error);
  require(status == BENCH_ERROR_INVALID_ARGUMENT,
          "size 0 gave " + std::to_string(status) + ", expected INVALID_ARGUMENT (-13)");
  require(memory == nullptr, "the handle is not NULL after a failure");
  constexpr std::uint64_t nobody_has = std::uint64_t(1) << 60;
  error = new_error();
  status = t.api.memory_allocate(t.bed.instance.get(), t.bed.device, &t.stream, nobody_has, &memory,
                                 &error);
  require(status == BENCH_ERROR_OUT_OF_RESOURCES,
          "2^60 bytes gave " + std::to_string(status) + ", expected OUT_OF_RESOURCES (-2)");
  require_error_filled("memory_allocate", status, error);
}

void round_trip(const Options &options) {
  const T1 t(options);
  constexpr std::uint64_t size = 4096, offset = 100;
  std::vector<unsigned char> given(size), back(size, 0);
  for (std::size_t i = 0; i < size; ++i)
    given[i] = static_cast<unsigned char>(i * 7 + options.seed);
  void *one = t.memory(size), *two = t.memory(size);
  t.copy(one, 0, given.data(), 0, size, BENCH_COPY_TO_DEVICE);
  bench_error_v1 error = new_error();
  require_good(
      "memory_set",
      t.api.memory_set(t.bed.instance.get(), t.bed.device, two, 0, 0xa5, size, &t.stream, &error),
      error);
  t.copy(two, offset, one, 2 * offset, offset, BENCH_COPY_ON_DEVICE);
  t.copy(back.data(), 0, two, 0, size, BENCH_COPY_FROM_DEVICE);
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char wanted = i >= offset && i < 2 * offset ? given[i + offset] : 0xa5;
    require(back[i] == wanted, "byte " + std::to_string(i) + " came back as " +
                                   std::to_string(back[i]) + ", expected " +
                                   std::to_string(wanted));
  }
  t.api.memory_free(t.bed.instance.get(), t.bed.device, one);
  t.api.memory_free(t.bed.instance.get(), t.bed.device, two);
}

void unknown_direction(const Options &options) {
  const T1 t(options);
  void *memory = t.memory(64);
  char host[64] = {};
  bench_error_v1 error = new_error();
  const bench_status status = t.api.memory_copy(t.bed.instance.get(), t.bed.device, memory, 0, host,
                                                0, 64, 77, &t.stream, &error);
  require(status == BENCH_ERROR_UNSUPPORTED,
          "an unknown direction gave " + std::to_string(status) + ", expected UNSUPPORTED (-5)");
  t.api.memory_free(t.bed.instance.get(), t.bed.device, memory);
}

void flush_order(const Options &options) {
  const T1 t(options);
  bench_error_v1 error = new_error();
  bench_status status =
      t.api.flush(t.bed.instance.get(), t.bed.device, &t.stream, BENCH_FLUSH_WRITE, &error);
  require(status == BENCH_ERROR_INVALID_ARGUMENT,
          "flush without flush_prepare gave " + std::to_string(status));
  std::uint64_t bytes = 0;
  error = new_error();
  require_good("flush_prepare",
               t.api.flush_prepare(t.bed.instance.get(), t.bed.device, &t.stream, &bytes, &error),
               error);
  require(bytes > 0, "flush_prepare says that a flush touches nothing");
  for (const std::uint32_t mode : {BENCH_FLUSH_WRITE, BENCH_FLUSH_READ}) {
    status = t.api.flush(t.bed.instance.get(), t.bed.device, &t.stream, mode, &error);
    if (status != BENCH_ERROR_UNSUPPORTED) require_good("flush", status, error);
  }
  t.synchronize();
  error = new_error();
  status = t.api.flush(t.bed.instance.get(), t.bed.device, &t.stream, 77, &error);
  require(status == BENCH_ERROR_UNSUPPORTED,
          "an unknown flush mode gave " + std::to_string(status) + ", expected UNSUPPORTED (-5)");
  t.api.flush_release(t.bed.instance.get(), t.bed.device, &t.stream);
}

}  // namespace

const std::vector<Check> &stream_checks() {
  static const std::vector<Check> checks = {
      {"stream.create", "stream_create makes a PLUGIN_OWNED stream.", create},
      {"stream.null_destroy", "Destroy and free accept NULL.", null_destroy},
      {"stream.synchronize", "An empty stream and its device are synchronised.", synchronize},
      {"stream.class_kind", "A handle of an unknown kind is UNSUPPORTED.", unknown_class_kind},
      {"event.elapsed", "Two events give a finite time, marked where it is negative or zero.",
       elapsed},
      {"event.never_recorded", "Waiting for an event that was never recorded is INVALID_ARGUMENT.",
       never_recorded},
      {"event.pending_destroy", "What is still in use may be destroyed.", pending_destroy},
      {"memory.size", "Size 0 and an impossible size have their own statuses, and no handle.",
       memory_size},
      {"memory.round_trip", "Copies and fills put the bytes where they belong, by their offsets.",
       round_trip},
      {"memory.direction", "An unknown direction is UNSUPPORTED.", unknown_direction},
      {"flush.order", "flush needs flush_prepare, enqueues, and refuses an unknown mode.",
       flush_order},
  };
  return checks;
}

}  // namespace check
