// SPDX-License-Identifier: Apache-2.0
// bench.gate/1, bench.graph/1 and bench.capture/1 for runtimes of CUDA's kind; see
// stream_runtime.hpp.
//
// Runtime has also
//   device_type: the class's number in bench_device_v1
//   make_word(std::uint32_t **host, void **device), drop_word(host): a word of pinned host memory
//     that all contexts of the device see
//   wait_word(Stream, void *device_address, std::uint32_t value): the stream waits until the word
//     is value or beyond, cyclically
//   can_wait(instance, device): throws Error, UNSUPPORTED, where it cannot
//   can_record(const bench_stream_v1 &), begin_recording(Stream), end_recording(Stream, Graph *),
//     count_nodes(Graph, std::uint64_t *), instantiate(Executable *, Graph, Stream),
//     drop_graph(Graph), launch(Executable, Stream), drop_executable(Executable)
#pragma once
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>

#include <algorithm>
#include <bench/plugin/stream_runtime.hpp>
#include <memory>

namespace bench::plugin {

template <typename Runtime>
struct StreamExtensions {
  using Api = StreamApi<Runtime>;
  using Instance = StreamInstance<Runtime>;
  using Scope = typename Runtime::Scope;

  // ---- Gate: a word in host memory that the stream waits for; no kernel spins for it. ----
  // The word only ever counts up, cyclically, and it outlives its gate: a stream may still have to
  // read it, and to wait for that would wait for the whole device, and break another thread's
  // capture. The next gate takes it over; release() frees it.

  struct Gate {
    typename Instance::Word word;
    // How often it was closed. The device compares cyclically: 2^32 closings do not open it early.
    std::atomic<std::uint32_t> closed;
  };
  static Gate &gate_of(bench_gate_v1 *gate) { return *reinterpret_cast<Gate *>(gate); }

  static bench_status gate_create(bench_instance_v1 *instance, bench_device_v1 device,
                                  const bench_stream_v1 *stream, bench_gate_v1 **gate,
                                  bench_error_v1 *error) {
    *gate = nullptr;
    return Api::call(instance, device, "gate create", error, [&] {
      Runtime::can_wait(*instance, device);
      const Scope scope(*instance, device, stream);
      Runtime::check_context(device);
      auto made = std::make_unique<Gate>();
      made->word = take_word(instance, device);
      made->closed.store(__atomic_load_n(made->word.host, __ATOMIC_ACQUIRE));
      *gate = reinterpret_cast<bench_gate_v1 *>(made.release());
    });
  }
  static typename Instance::Word take_word(bench_instance_v1 *instance, bench_device_v1 device) {
    Instance &owner = *instance;
    auto &words = owner.device(device.id).words;
    if (!words.empty()) {
      const auto known = words.back();
      words.pop_back();
      return known;
    }
    words.reserve(1);  // room for what gate_destroy gives back
    // Of the context that this instance holds: a stream's own may be gone before close().
    const Scope scope(*instance, device, nullptr);
    typename Instance::Word made{};
    Runtime::check(Runtime::make_word(&made.host, &made.device), "allocate the gate's word");
    __atomic_store_n(made.host, 0u, __ATOMIC_RELEASE);
    return made;
  }
  static void gate_open(bench_instance_v1 *, bench_device_v1, bench_gate_v1 *gate) {
    // The driver does not map its memory into a child.
    if (!Instance::in_driver_process()) return;
    Gate &self = gate_of(gate);
    const std::uint32_t target = self.closed.load(std::memory_order_acquire);
    std::uint32_t now = __atomic_load_n(self.word.host, __ATOMIC_ACQUIRE);
    // A watchdog that read its target before the owner closed and opened again must not turn it
    // back.
    while (static_cast<std::int32_t>(target - now) > 0 &&
           !__atomic_compare_exchange_n(self.word.host, &now, target, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
  }
  static void gate_destroy(bench_instance_v1 *instance, bench_device_v1 device,
                           bench_gate_v1 *gate) {
    if (!gate) return;
    gate_open(instance, device, gate);
    Instance &owner = *instance;
    guarded(nullptr, "gate destroy",
            [&] { owner.device(device.id).words.push_back(gate_of(gate).word); });
    delete &gate_of(gate);
  }
  static bench_status gate_enqueue(bench_instance_v1 *instance, bench_device_v1 device,
                                   bench_gate_v1 *gate, const bench_stream_v1 *stream,
                                   bench_error_v1 *error) {
    return Api::call(instance, device, "gate enqueue", error, [&] {
      Gate &self = gate_of(gate);
      const Scope scope(*instance, device, stream);
      const auto handle = Api::stream_for_work(*stream);
      const std::uint32_t next = self.closed.load(std::memory_order_relaxed) + 1;
      // Counted first: a watchdog that opens now opens this closing too, and nothing hangs.
      self.closed.store(next, std::memory_order_release);
      Runtime::check(Runtime::wait_word(handle, self.word.device, next),
                     "let a stream wait for the gate");
    });
  }
  /// To be called by close(), while the contexts are still held: frees what gates have left.
  static void release(bench_instance_v1 *instance) {
    for (std::int32_t id = 0; id < Instance::most_devices; ++id) {
      const bench_device_v1 device{Runtime::device_type, id};
      Instance &owner = *instance;
      auto &words = owner.device(id).words;
      if (words.empty() || !Api::alive(instance, device)) continue;
      guarded(nullptr, "gate release", [&] {
        const Scope scope(*instance, device, nullptr);
        for (const auto &word : words) Runtime::drop_word(word.host);
      });
      words.clear();
    }
  }

  // ---- Graph ----

  struct Graph {
    typename Runtime::Executable executable;
    const void *context;
  };
  static Graph &graph_of(bench_graph_v1 *graph) { return *reinterpret_cast<Graph *>(graph); }

  static bench_status graph_begin(bench_instance_v1 *instance, bench_device_v1 device,
                                  const bench_stream_v1 *stream, bench_stream_v1 *recording,
                                  bench_error_v1 *error) {
    return Api::call(instance, device, "graph begin", error, [&] {
      const Scope scope(*instance, device, stream);
      bench_stream_v1 target = *stream;
      target.struct_size = recording->struct_size;
      // CUDA does not tell the context of a stream whose recording was broken: without this, such a
      // one could not be ended, and a framework's own stream stayed unusable.
      target.context = const_cast<void *>(scope.key());
      if (Runtime::can_record(*stream)) {
        Api::refuse_recording(Runtime::stream_of(*stream));
        Runtime::check(Runtime::begin_recording(Runtime::stream_of(*stream)), "begin a capture");
        *recording = target;
        return;
      }
      Instance &owner = *instance;
      auto &own = owner.device(device.id).recordings;
      own.reserve(own.size() + 1);
      typename Runtime::Stream handle{};
      Runtime::check(Runtime::create_stream(&handle), "create a stream to record on");
      const auto status = Runtime::begin_recording(handle);
      if (status != 0) Runtime::destroy_stream(handle);
      Runtime::check(status, "begin a capture");
      own.push_back(handle);
      target.kind = BENCH_STREAM_PLUGIN_OWNED;
      target.handle = reinterpret_cast<void *>(handle);
      *recording = target;
    });
  }
  static bench_status graph_end(bench_instance_v1 *instance, bench_device_v1 device,
                                const bench_stream_v1 *recording, bench_graph_v1 **graph,
                                std::uint64_t *nodes, bench_error_v1 *error) {
    if (graph) *graph = nullptr;
    return Api::call(instance, device, "graph end", error, [&] {
      const Scope scope(*instance, device, recording);
      const auto stream = Runtime::stream_of(*recording);
      typename Runtime::Graph recorded{};
      const auto ended = Runtime::end_recording(stream, &recorded);
      Instance &owner = *instance;
      auto &own = owner.device(device.id).recordings;
      const auto finish = [&] {
        if (recorded) Runtime::drop_graph(recorded);
        const auto made = std::find(own.begin(), own.end(), stream);
        if (made == own.end()) return;
        own.erase(made);
        Runtime::destroy_stream(stream);
      };
      try {
        check_recorded(ended);
        std::uint64_t count = 0;
        Runtime::check(Runtime::count_nodes(recorded, &count), "count what was captured");
        if (nodes) *nodes = count;
        if (graph) {
          typename Runtime::Executable executable{};
          check_recorded(Runtime::instantiate(&executable, recorded, stream));
          *graph = reinterpret_cast<bench_graph_v1 *>(new Graph{executable, scope.key()});
        }
      } catch (...) {
        finish();
        throw;
      }
      finish();
    });
  }
  /// What cannot be recorded is no fault of the device: the caller measures in another way.
  static void check_recorded(typename Runtime::Status status) {
    try {
      Runtime::check(status, "end a capture");
    } catch (Error &error) {
      if (error.status != BENCH_ERROR_DEVICE_LOST && error.status != BENCH_ERROR_OUT_OF_RESOURCES)
        error.status = BENCH_ERROR_UNSUPPORTED;
      throw;
    }
  }
  static bench_status graph_launch(bench_instance_v1 *instance, bench_device_v1 device,
                                   bench_graph_v1 *graph, const bench_stream_v1 *stream,
                                   bench_error_v1 *error) {
    return Api::call(instance, device, "graph launch", error, [&] {
      const Scope scope(*instance, device, stream);
      Runtime::check(Runtime::launch(graph_of(graph).executable, Api::stream_for_work(*stream)),
                     "launch a graph");
    });
  }
  static void graph_destroy(bench_instance_v1 *instance, bench_device_v1 device,
                            bench_graph_v1 *graph) {
    if (!graph) return;
    if (Api::alive(instance, device)) {
      guarded(nullptr, "graph destroy", [&] {
        const Scope scope(*instance, device, ContextKey{graph_of(graph).context});
        Runtime::drop_executable(graph_of(graph).executable);
      });
    }
    delete &graph_of(graph);
  }

  // ---- Capture ----

  static bench_status capture_query(bench_instance_v1 *instance, bench_device_v1 device,
                                    const bench_stream_v1 *stream, std::uint32_t *state,
                                    bench_error_v1 *error) {
    return Api::call(instance, device, "capture query", error, [&] {
      const Scope scope(*instance, device, stream);
      Runtime::recording(Runtime::stream_of(*stream), state);
    });
  }

  /// `max_launches`: see bench_ext_gate_v1.
  static constexpr bench_ext_gate_v1 gate_table(std::uint32_t max_launches) {
    return {sizeof(bench_ext_gate_v1),
            max_launches,
            gate_create,
            gate_destroy,
            gate_enqueue,
            gate_open};
  }
  static constexpr bench_ext_graph_v1 graph_table() {
    return {sizeof(bench_ext_graph_v1), 0, graph_begin, graph_end, graph_launch, graph_destroy};
  }
  static constexpr bench_ext_capture_v1 capture_table() {
    return {sizeof(bench_ext_capture_v1), 0, capture_query};
  }
};

}  // namespace bench::plugin
