// SPDX-License-Identifier: Apache-2.0
// A driver of CUDA's kind that only keeps books, for bench::plugin::StreamApi: what was called,
// what is alive, what is being captured.
#pragma once
#include <bench/plugin/stream_extensions.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fake {

constexpr int success = 0, pending = 1, illegal_address = 2, no_memory = 3, unrecordable = 4;
constexpr std::int32_t class_type = BENCH_DEVICE_CUDA;

struct State {
  std::vector<std::string> calls;
  std::map<void *, std::uint32_t> recording;  // by stream
  std::set<void *> streams, words, executables, memory;
  int readers = 0;
  std::vector<std::uint8_t> fills;
  std::uint32_t waited_for = 0;  // the value of the last wait_word
  int next_status = success;     // of the next call that can fail
  int contexts_pushed = 0;
  float elapsed_ms = 1.0f;
  bool event_pending = false;
  bool stream_busy = false;
  std::intptr_t last_handle = 0x100;

  bool called(const std::string &name) const {
    return std::find(calls.begin(), calls.end(), name) != calls.end();
  }
};
inline State &state() {
  static State self;
  return self;
}

/// A stream that waits for all others, as CUDA's legacy default stream.
inline void *const default_stream = reinterpret_cast<void *>(1);
inline void *const primary = reinterpret_cast<void *>(0xc0);

struct Runtime {
  using Stream = void *;
  using Event = void *;
  using Graph = void *;
  using Executable = void *;
  using Reader = int;
  using Status = int;
  static constexpr std::int32_t device_type = class_type;

  static Status call(const char *name) {
    state().calls.push_back(name);
    return std::exchange(state().next_status, success);
  }
  static void *handle() { return reinterpret_cast<void *>(++state().last_handle); }

  class Scope {
   public:
    Scope(bench_instance_v1 &, bench_device_v1, const bench_stream_v1 *stream)
        : Scope(stream && stream->context ? stream->context : primary) {}
    Scope(bench_instance_v1 &, bench_device_v1, bench::plugin::ContextKey key)
        : Scope(const_cast<void *>(key.context)) {}
    ~Scope() { --state().contexts_pushed; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    const void *key() const { return context_; }

   private:
    explicit Scope(void *context) : context_(context) { ++state().contexts_pushed; }
    void *context_;
  };

  static void check(Status status, const char *what) {
    using bench::plugin::Error;
    if (status == success) return;
    const int meaning = status == illegal_address ? BENCH_ERROR_DEVICE_LOST
                        : status == no_memory     ? BENCH_ERROR_OUT_OF_RESOURCES
                                                  : BENCH_ERROR_INTERNAL;
    throw Error(meaning, std::string("cannot ") + what, "", status, "FAKE");
  }
  static void check_device(bench_instance_v1 &, bench_device_v1 device) {
    if (device.type != class_type || device.id > 1)
      throw bench::plugin::Error(BENCH_ERROR_NO_DEVICE, "no such device", "");
  }
  static void check_context(bench_device_v1) {}
  static Stream stream_of(const bench_stream_v1 &stream) {
    return stream.kind == BENCH_STREAM_DEFAULT ? default_stream : stream.handle;
  }
  static bool waits_for_others(Stream stream) { return stream == default_stream; }
  static void recording(Stream stream, std::uint32_t *result) {
    // The default stream cannot be captured, but is bound to those that are.
    *result = BENCH_CAPTURE_NONE;
    for (const auto &[captured, status] : state().recording)
      if (captured == stream || stream == default_stream) *result = status;
  }
  static void device_recording(std::uint32_t *result) { recording(default_stream, result); }
  static Status create_stream(Stream *stream) {
    *stream = handle();
    state().streams.insert(*stream);
    return call("create_stream");
  }
  static Status destroy_stream(Stream stream) {
    state().streams.erase(stream);
    return call("destroy_stream");
  }
  static Status query_stream(Stream) { return state().stream_busy ? pending : success; }
  static Status synchronize_stream(Stream) { return call("synchronize_stream"); }
  static Status synchronize_device() { return call("synchronize_device"); }
  static Status create_event(Event *event) {
    *event = handle();
    return call("create_event");
  }
  static Status destroy_event(Event) { return call("destroy_event"); }
  static Status record_event(Event, Stream) { return call("record_event"); }
  static Status query_event(Event) { return state().event_pending ? pending : call("query_event"); }
  static bool is_pending(Status status) { return status == pending; }
  static Status synchronize_event(Event) { return call("synchronize_event"); }
  static Status elapsed_ms(float *elapsed, Event, Event) {
    *elapsed = state().elapsed_ms;
    return call("elapsed_ms");
  }
  static Status allocate(void **memory, std::uint64_t) {
    const Status status = call("allocate");
    *memory = status == success ? handle() : nullptr;
    if (*memory) state().memory.insert(*memory);
    return status;
  }
  static Status release(void *memory) {
    state().memory.erase(memory);
    return call("release");
  }
  static Status copy(void *, const void *, std::uint64_t, std::uint32_t, Stream) {
    return call("copy");
  }
  static Status fill(void *, std::uint8_t value, std::uint64_t, Stream) {
    state().fills.push_back(value);
    return call("fill");
  }
  static std::uint64_t flush_bytes(bench_instance_v1 &, bench_device_v1) { return 1 << 20; }
  static void unpin_cache() { call("unpin_cache"); }
  static Status make_reader(Reader *) {
    ++state().readers;
    return success;
  }
  static Status drop_reader(Reader) {
    --state().readers;
    return call("drop_reader");
  }
  static Status read(Reader, void *, std::uint64_t, Stream) { return call("read"); }

  static void can_wait(bench_instance_v1 &, bench_device_v1 device) {
    if (device.id == 1)
      throw bench::plugin::Error(BENCH_ERROR_UNSUPPORTED, "this one cannot wait", "");
  }
  static Status make_word(std::uint32_t **host, void **device) {
    *host = new std::uint32_t{0};
    *device = *host;
    state().words.insert(*host);
    return call("make_word");
  }
  static Status drop_word(std::uint32_t *host) {
    state().words.erase(host);
    delete host;
    return call("drop_word");
  }
  static Status wait_word(Stream, void *, std::uint32_t value) {
    state().waited_for = value;
    return call("wait_word");
  }
  static bool can_record(const bench_stream_v1 &stream) {
    return stream.kind != BENCH_STREAM_DEFAULT;
  }
  static Status begin_recording(Stream stream) {
    const Status status = call("begin_recording");
    if (status == success) state().recording[stream] = BENCH_CAPTURE_ACTIVE;
    return status;
  }
  static Status end_recording(Stream stream, Graph *graph) {
    const bool broken = state().recording[stream] == BENCH_CAPTURE_BROKEN;
    state().recording.erase(stream);
    *graph = broken ? nullptr : handle();
    return broken ? unrecordable : call("end_recording");
  }
  static Status count_nodes(Graph, std::uint64_t *count) {
    *count = 7;
    return call("count_nodes");
  }
  static Status instantiate(Executable *executable, Graph, Stream) {
    const Status status = call("instantiate");
    *executable = status == success ? handle() : nullptr;
    if (*executable) state().executables.insert(*executable);
    return status;
  }
  static Status drop_graph(Graph) { return call("drop_graph"); }
  static Status launch(Executable, Stream) { return call("launch"); }
  static Status drop_executable(Executable executable) {
    state().executables.erase(executable);
    return call("drop_executable");
  }
};

using Api = bench::plugin::StreamApi<Runtime>;
using Extensions = bench::plugin::StreamExtensions<Runtime>;

}  // namespace fake

struct bench_instance_v1 : bench::plugin::StreamInstance<fake::Runtime> {};

namespace fake {

/// An instance over a driver that nobody has used yet, and what a test needs at hand.
struct Fixture {
  Fixture() { state() = State{}; }
  ~Fixture() { Extensions::release(&instance); }
  Fixture(const Fixture &) = delete;
  Fixture &operator=(const Fixture &) = delete;
  bench_instance_v1 instance;
  bench_device_v1 device{class_type, 0};
  bench_error_v1 error{sizeof(bench_error_v1), 0, 0, "", "", "", ""};
  bench_stream_v1 stream = make_stream(BENCH_STREAM_NATIVE, reinterpret_cast<void *>(0x20));
  bench_stream_v1 legacy = make_stream(BENCH_STREAM_DEFAULT, nullptr);

  static bench_stream_v1 make_stream(std::uint32_t kind, void *handle) {
    return {sizeof(bench_stream_v1), kind, 0, 0, handle, nullptr, nullptr};
  }
};

}  // namespace fake
