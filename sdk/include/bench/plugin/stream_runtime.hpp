// SPDX-License-Identifier: Apache-2.0
// The T1 primitives of plugin_v1.h for runtimes of CUDA's kind: streams, events, device memory, one
// current device per thread. A plugin writes a `Runtime` (what its driver's calls are named) and
// takes its table's functions from here. Header-only, C++17.
//
// Runtime has
//   Stream, Event, Reader, Graph, Executable: handles, cheap to copy. Status: 0 is success.
//     bench_instance_v1 is derived from StreamInstance<Runtime>.
//   check_device(instance, device): throws Error, NO_DEVICE, for one that is not there
//   Scope(instance, device, stream or nullptr), Scope(instance, device, ContextKey): makes the
//     device and the context current and this thread's capture mode harmless; gives all back when
//     it ends. key(): identifies the context
//   check_context(device): throws Error where the current context is another device's
//   check(Status, const char *function): throws Error, DEVICE_LOST for sticky errors
//   stream_of(const bench_stream_v1 &): a Stream; throws Error for one that it cannot use
//   waits_for_others(Stream): whether its work implicitly waits for that of other streams
//   recording(Stream, std::uint32_t *state): BENCH_CAPTURE_*; never synchronises
//   device_recording(std::uint32_t *state): the same, for what synchronize_device() would break
//   create_stream(Stream *), destroy_stream, synchronize_stream, synchronize_device()
//   query_stream(Stream): 0 if nothing is left to do
//   create_event(Event *), destroy_event, record_event(Event, Stream), query_event(Event),
//     is_pending(Status), synchronize_event(Event), elapsed_ms(float *, Event, Event)
//   allocate(void **, size), release(void *), copy(void *, const void *, size, direction, Stream),
//     fill(void *, value, size, Stream)
//   flush_bytes(instance, device), unpin_cache(): frees lines that a program made to persist
//   make_reader(Reader *), drop_reader(Reader), read(Reader, void *, size, Stream): reads the
//     buffer so that its lines end up clean in the last-level cache
// and what stream_extensions.hpp names, where those extensions are offered.
#pragma once
#include <bench/ext/capture.h>

#include <atomic>
#include <bench/plugin/stream_instance.hpp>
#include <string>

namespace bench::plugin {

/// Static functions for a bench_plugin_api_v1.
template <typename Runtime>
struct StreamApi {
  using Instance = StreamInstance<Runtime>;
  using Scope = typename Runtime::Scope;

  struct Event {
    typename Runtime::Event handle;
    const void *context;
    std::atomic<bool> recorded{false};
  };
  static Event &event_of(bench_event_v1 *event) { return *reinterpret_cast<Event *>(event); }

  /// guarded(), for calls that reach the driver: a lost device stays lost and is not asked again.
  template <typename Body>
  static bench_status call(bench_instance_v1 *instance, bench_device_v1 device, const char *where,
                           bench_error_v1 *error, Body &&body) {
    Instance &owner = *instance;
    const bench_status status = guarded(error, where, [&] {
      owner.check_process();
      Runtime::check_device(*instance, device);
      if (owner.device(device.id).lost.load(std::memory_order_relaxed))
        throw Error(BENCH_ERROR_DEVICE_LOST, "the device was lost by an earlier error",
                    "start a new process: its context cannot be revived");
      body();
    });
    if (status == BENCH_ERROR_DEVICE_LOST) owner.device(device.id).lost = true;
    return status;
  }
  static bool alive(bench_instance_v1 *instance, bench_device_v1 device) {
    Instance &owner = *instance;
    if (device.id < 0 || device.id >= Instance::most_devices) return false;
    return Instance::in_driver_process() && !owner.device(device.id).lost.load();
  }
  /// A wait for a stream that somebody records would break the recording.
  static void refuse_recording(typename Runtime::Stream stream) {
    std::uint32_t state = BENCH_CAPTURE_NONE;
    Runtime::recording(stream, &state);
    if (state != BENCH_CAPTURE_NONE)
      throw Error(BENCH_ERROR_BUSY, "the stream is being captured into a graph",
                  "wait until the capture has ended, or use another stream");
  }
  /// So would work on the default stream, which would have to wait for what is only recorded.
  static typename Runtime::Stream stream_for_work(const bench_stream_v1 &stream) {
    const auto handle = Runtime::stream_of(stream);
    if (Runtime::waits_for_others(handle)) refuse_recording(handle);
    return handle;
  }

  static bench_status stream_create(bench_instance_v1 *instance, bench_device_v1 device,
                                    bench_stream_v1 *stream, bench_error_v1 *error) {
    return call(instance, device, "stream_create", error, [&] {
      const Scope scope(*instance, device, nullptr);
      typename Runtime::Stream handle{};
      Instance &owner = *instance;
      auto &idle = owner.device(device.id).idle_streams;
      // A used one, if there is: each further one that becomes busy may change how fast the driver
      // launches on all of them.
      if (!idle.empty()) {
        handle = idle.back();
        idle.pop_back();
      } else {
        if constexpr (requires { Runtime::settle(*instance, device); })
          Runtime::settle(*instance, device);
        Runtime::check(Runtime::create_stream(&handle), "create a stream");
      }
      stream->kind = BENCH_STREAM_PLUGIN_OWNED;
      stream->handle = reinterpret_cast<void *>(handle);
      if (BENCH_HAS(stream, context)) stream->context = const_cast<void *>(scope.key());
    });
  }
  static void stream_destroy(bench_instance_v1 *instance, bench_device_v1 device,
                             bench_stream_v1 *stream) {
    if (!stream || !stream->handle || !alive(instance, device)) return;
    guarded(nullptr, "stream_destroy", [&] {
      const Scope scope(*instance, device, stream);
      const auto handle = Runtime::stream_of(*stream);
      Instance &owner = *instance;
      // What still works, or is being recorded, is nobody's to use again.
      if (Runtime::query_stream(handle) == 0)
        owner.device(device.id).idle_streams.push_back(handle);
      else
        Runtime::destroy_stream(handle);
    });
  }
  /// For close(): ends what stream_destroy and flush_release kept.
  static void release_kept(bench_instance_v1 *instance, bench_device_v1 device) {
    Instance &owner = *instance;
    if (!alive(instance, device)) return;
    auto &state = owner.device(device.id);
    if (state.flushes.empty() && state.idle_streams.empty()) return;
    guarded(nullptr, "close", [&] {
      const Scope scope(*instance, device, nullptr);
      for (const auto &flush : state.flushes) {
        // What is left of another context is its owner's, who may have ended it meanwhile.
        if (flush.context != scope.key()) continue;
        if (flush.memory) Runtime::release(flush.memory);
        if (flush.reads) Runtime::drop_reader(flush.reader);
      }
      state.flushes.clear();
      for (const auto handle : state.idle_streams) Runtime::destroy_stream(handle);
      state.idle_streams.clear();
    });
  }
  static bench_status stream_synchronize(bench_instance_v1 *instance, bench_device_v1 device,
                                         const bench_stream_v1 *stream, bench_error_v1 *error) {
    return call(instance, device, "stream_synchronize", error, [&] {
      const Scope scope(*instance, device, stream);
      const auto handle = Runtime::stream_of(*stream);
      refuse_recording(handle);
      Runtime::check(Runtime::synchronize_stream(handle), "wait for a stream");
    });
  }
  static bench_status device_synchronize(bench_instance_v1 *instance, bench_device_v1 device,
                                         bench_error_v1 *error) {
    return call(instance, device, "device_synchronize", error, [&] {
      const Scope scope(*instance, device, nullptr);
      std::uint32_t state = BENCH_CAPTURE_NONE;
      Runtime::device_recording(&state);
      if (state != BENCH_CAPTURE_NONE)
        throw Error(BENCH_ERROR_BUSY, "a stream of the device is being captured into a graph",
                    "wait until the capture has ended");
      Runtime::check(Runtime::synchronize_device(), "wait for the device");
    });
  }

  static bench_status event_create(bench_instance_v1 *instance, bench_device_v1 device,
                                   const bench_stream_v1 *stream, bench_event_v1 **event,
                                   bench_error_v1 *error) {
    *event = nullptr;
    return call(instance, device, "event_create", error, [&] {
      const Scope scope(*instance, device, stream);
      Runtime::check_context(device);
      typename Runtime::Event handle{};
      Runtime::check(Runtime::create_event(&handle), "create an event");
      *event = reinterpret_cast<bench_event_v1 *>(new Event{handle, scope.key()});
    });
  }
  static void event_destroy(bench_instance_v1 *instance, bench_device_v1 device,
                            bench_event_v1 *event) {
    if (!event) return;
    if (alive(instance, device)) {
      guarded(nullptr, "event_destroy", [&] {
        const Scope scope(*instance, device, ContextKey{event_of(event).context});
        Runtime::destroy_event(event_of(event).handle);
      });
    }
    delete &event_of(event);
  }
  static bench_status event_record(bench_instance_v1 *instance, bench_device_v1 device,
                                   bench_event_v1 *event, const bench_stream_v1 *stream,
                                   bench_error_v1 *error) {
    return call(instance, device, "event_record", error, [&] {
      const Scope scope(*instance, device, stream);
      if (scope.key() != event_of(event).context)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the event is of another context than the stream",
                    "create it for this stream");
      Runtime::check(Runtime::record_event(event_of(event).handle, stream_for_work(*stream)),
                     "record an event");
      event_of(event).recorded.store(true, std::memory_order_relaxed);
    });
  }
  static void require_recorded(bench_event_v1 *event) {
    if (!event_of(event).recorded.load(std::memory_order_relaxed))
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the event was never recorded",
                  "call event_record first");
  }
  static bench_status event_query(bench_instance_v1 *instance, bench_device_v1 device,
                                  bench_event_v1 *event, bench_error_v1 *error) {
    bool pending = false;
    const bench_status status = call(instance, device, "event_query", error, [&] {
      require_recorded(event);
      const Scope scope(*instance, device, ContextKey{event_of(event).context});
      const auto answer = Runtime::query_event(event_of(event).handle);
      pending = Runtime::is_pending(answer);
      if (!pending) Runtime::check(answer, "ask for an event");
    });
    return status == BENCH_OK && pending ? BENCH_ERROR_BUSY : status;
  }
  static bench_status event_synchronize(bench_instance_v1 *instance, bench_device_v1 device,
                                        bench_event_v1 *event, bench_error_v1 *error) {
    return call(instance, device, "event_synchronize", error, [&] {
      require_recorded(event);
      const Scope scope(*instance, device, ContextKey{event_of(event).context});
      Runtime::check(Runtime::synchronize_event(event_of(event).handle), "wait for an event");
    });
  }
  static bench_status event_elapsed(bench_instance_v1 *instance, bench_device_v1 device,
                                    bench_event_v1 *start, bench_event_v1 *stop, double *elapsed_ns,
                                    std::uint32_t *sample_flags, bench_error_v1 *error) {
    return call(instance, device, "event_elapsed", error, [&] {
      require_recorded(start);
      require_recorded(stop);
      const Scope scope(*instance, device, ContextKey{event_of(start).context});
      float elapsed_ms = 0.0f;
      Runtime::check(
          Runtime::elapsed_ms(&elapsed_ms, event_of(start).handle, event_of(stop).handle),
          "read the time between two events");
      constexpr double ns_per_ms = 1e6;
      *elapsed_ns = static_cast<double>(elapsed_ms) * ns_per_ms;
      *sample_flags = *elapsed_ns < 0.0    ? BENCH_SAMPLE_NEGATIVE
                      : *elapsed_ns == 0.0 ? BENCH_SAMPLE_ZERO
                                           : 0u;
    });
  }

  static bench_status memory_allocate(bench_instance_v1 *instance, bench_device_v1 device,
                                      const bench_stream_v1 *stream, std::uint64_t size,
                                      void **memory, bench_error_v1 *error) {
    *memory = nullptr;
    return call(instance, device, "memory_allocate", error, [&] {
      if (size == 0)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "0 bytes were asked for", "ask for at least one");
      const Scope scope(*instance, device, stream);
      Runtime::check_context(device);
      auto result = Runtime::allocate(memory, size);
      if (result != 0 && free_idle_flushes(instance, device))
        result = Runtime::allocate(memory, size);
      Runtime::check(result, ("allocate " + std::to_string(size) + " bytes").c_str());
    });
  }
  static void memory_free(bench_instance_v1 *instance, bench_device_v1 device, void *memory) {
    if (!memory || !alive(instance, device)) return;
    guarded(nullptr, "memory_free", [&] {
      const Scope scope(*instance, device, nullptr);
      Runtime::release(memory);
    });
  }
  static bench_status memory_copy(bench_instance_v1 *instance, bench_device_v1 device,
                                  void *destination, std::uint64_t destination_offset,
                                  const void *source, std::uint64_t source_offset,
                                  std::uint64_t size, std::uint32_t direction,
                                  const bench_stream_v1 *stream, bench_error_v1 *error) {
    return call(instance, device, "memory_copy", error, [&] {
      if (direction < BENCH_COPY_TO_DEVICE || direction > BENCH_COPY_ON_DEVICE)
        throw Error(BENCH_ERROR_UNSUPPORTED, "direction " + std::to_string(direction),
                    "use one of BENCH_COPY_*");
      const Scope scope(*instance, device, stream);
      const auto handle = stream_for_work(*stream);
      const bool waits = direction != BENCH_COPY_ON_DEVICE;
      if (waits) refuse_recording(handle);
      Runtime::check(
          Runtime::copy(static_cast<char *>(destination) + destination_offset,
                        static_cast<const char *>(source) + source_offset, size, direction, handle),
          "copy");
      // The host's side may be reused, or read, on return.
      if (waits) Runtime::check(Runtime::synchronize_stream(handle), "wait for a copy");
    });
  }
  static bench_status memory_set(bench_instance_v1 *instance, bench_device_v1 device, void *memory,
                                 std::uint64_t offset, std::uint8_t value, std::uint64_t size,
                                 const bench_stream_v1 *stream, bench_error_v1 *error) {
    return call(instance, device, "memory_set", error, [&] {
      const Scope scope(*instance, device, stream);
      Runtime::check(Runtime::fill(static_cast<char *>(memory) + offset, value, size,
                                   stream_for_work(*stream)),
                     "fill");
    });
  }

  static typename Instance::Flush *find_flush(bench_instance_v1 *instance, bench_device_v1 device,
                                              const void *context) {
    Instance &owner = *instance;
    for (auto &flush : owner.device(device.id).flushes)
      if (flush.context == context) return &flush;
    return nullptr;
  }
  /// What nobody uses now is worth less than what somebody asks for. True: there was some.
  static bool free_idle_flushes(bench_instance_v1 *instance, bench_device_v1 device) {
    Instance &owner = *instance;
    bool freed = false;
    for (auto &flush : owner.device(device.id).flushes) {
      if (flush.users > 0 || !flush.memory) continue;
      Runtime::release(flush.memory);
      flush.memory = nullptr;
      freed = true;
    }
    return freed;
  }
  static bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1 device,
                                    const bench_stream_v1 *stream, std::uint64_t *flushed_bytes,
                                    bench_error_v1 *error) {
    return call(instance, device, "flush_prepare", error, [&] {
      const Scope scope(*instance, device, stream);
      Runtime::check_context(device);
      Runtime::unpin_cache();
      if (auto *known = find_flush(instance, device, scope.key())) {
        if (!known->memory)
          Runtime::check(Runtime::allocate(&known->memory, known->size),
                         "allocate the flush buffer");
        ++known->users;
        *flushed_bytes = known->size;
        return;
      }
      Instance &owner = *instance;
      auto &flushes = owner.device(device.id).flushes;
      flushes.reserve(flushes.size() + 1);  // what cannot be kept must not be allocated
      typename Instance::Flush flush{
          scope.key(), nullptr, Runtime::flush_bytes(*instance, device), {}, false, 0, 1};
      Runtime::check(Runtime::allocate(&flush.memory, flush.size), "allocate the flush buffer");
      flush.reads = Runtime::make_reader(&flush.reader) == 0;
      flushes.push_back(flush);
      *flushed_bytes = flush.size;
    });
  }
  static void flush_release(bench_instance_v1 *instance, bench_device_v1 device,
                            const bench_stream_v1 *stream) {
    if (!alive(instance, device)) return;
    guarded(nullptr, "flush_release", [&] {
      const Scope scope(*instance, device, stream);
      auto *known = find_flush(instance, device, scope.key());
      if (!known || known->users == 0 || --known->users > 0) return;
      // Buffer and reader stay. On an H200 a process that frees and allocates the buffer for each
      // measurement launches every node of a graph 170 ns more slowly from the fourth one on, and
      // to load the reader's code takes longer than many a measurement. But not in a context that
      // may end before this instance does.
      const Scope own(*instance, device, nullptr);
      if (own.key() == scope.key()) return;
      const Scope other(*instance, device, ContextKey{scope.key()});
      if (known->memory) Runtime::release(known->memory);
      if (known->reads) Runtime::drop_reader(known->reader);
      Instance &owner = *instance;
      auto &flushes = owner.device(device.id).flushes;
      flushes.erase(flushes.begin() + (known - flushes.data()));
    });
  }
  static bench_status flush(bench_instance_v1 *instance, bench_device_v1 device,
                            const bench_stream_v1 *stream, std::uint32_t mode,
                            bench_error_v1 *error) {
    return call(instance, device, "flush", error, [&] {
      const Scope scope(*instance, device, stream);
      auto *flush = find_flush(instance, device, scope.key());
      if (!flush || flush->users == 0)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "nothing was prepared for this stream's context",
                    "call flush_prepare first");
      const auto handle = stream_for_work(*stream);
      // Another value each time, so that no line holds already what is written to it.
      if (mode == BENCH_FLUSH_WRITE)
        Runtime::check(Runtime::fill(flush->memory, ++flush->value, flush->size, handle),
                       "flush by writing");
      else if (mode == BENCH_FLUSH_READ && flush->reads)
        Runtime::check(Runtime::read(flush->reader, flush->memory, flush->size, handle),
                       "flush by reading");
      else
        throw Error(BENCH_ERROR_UNSUPPORTED, "flush mode " + std::to_string(mode),
                    "use BENCH_FLUSH_WRITE");
    });
  }
};

}  // namespace bench::plugin
