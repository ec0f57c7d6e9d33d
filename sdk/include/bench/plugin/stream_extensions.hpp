// SPDX-License-Identifier: Apache-2.0
// bench.gate/1, bench.graph/1 and bench.capture/1 for runtimes of CUDA's kind; see
// stream_runtime.hpp.
//
// Runtime has also
//   make_word(std::uint32_t **host, void **device), drop_word(host): a word of pinned host memory
//   that the device sees wait_word(Stream, void *device_address, std::uint32_t value): the stream
//   waits until the word is value or beyond, cyclically can_wait(instance, device): throws Error,
//   UNSUPPORTED, where it cannot begin_recording(Stream), end_recording(Stream, Graph *),
//   count_nodes(Graph, std::uint64_t *), instantiate(Executable *, Graph, Stream),
//   drop_graph(Graph), launch(Executable, Stream), drop_executable(Executable); can_record(const
//   bench_stream_v1 &)
#pragma once
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>

#include <bench/plugin/stream_runtime.hpp>

namespace bench::plugin {

template <typename Runtime>
struct StreamExtensions {
  using Api = StreamApi<Runtime>;
  using Scope = typename Runtime::Scope;

  // ---- Gate: a word in host memory that the stream waits for; no kernel spins for it. ----

  struct Gate {
    std::uint32_t *word;
    void *address;
    const void *context;
    // How often it was closed. The device compares cyclically: 2^32 closings do not open it early.
    std::atomic<std::uint32_t> closed{0};
  };
  static Gate &gate_of(bench_gate_v1 *gate) { return *reinterpret_cast<Gate *>(gate); }

  static bench_status gate_create(bench_instance_v1 *instance, bench_device_v1 device,
                                  const bench_stream_v1 *stream, bench_gate_v1 **gate,
                                  bench_error_v1 *error) {
    *gate = nullptr;
    return Api::call(instance, device, "gate create", error, [&] {
      Runtime::can_wait(*instance, device);
      const Scope scope(*instance, device, stream);
      std::uint32_t *word = nullptr;
      void *address = nullptr;
      Runtime::check(Runtime::make_word(&word, &address), "allocate the gate's word");
      __atomic_store_n(word, 0u, __ATOMIC_RELEASE);
      *gate = reinterpret_cast<bench_gate_v1 *>(new Gate{word, address, scope.key()});
    });
  }
  static void gate_open(bench_instance_v1 *, bench_device_v1, bench_gate_v1 *gate) {
    Gate &self = gate_of(gate);
    __atomic_store_n(self.word, self.closed.load(std::memory_order_acquire), __ATOMIC_RELEASE);
  }
  static void gate_destroy(bench_instance_v1 *instance, bench_device_v1 device,
                           bench_gate_v1 *gate) {
    if (!gate) return;
    Gate &self = gate_of(gate);
    gate_open(instance, device, gate);
    // A stream may still have to read the word: it goes only when the device is done.
    if (Api::alive(instance, device)) {
      guarded(nullptr, "gate destroy", [&] {
        const Scope scope(*instance, device, ContextKey{self.context});
        Runtime::synchronize_device();
        Runtime::drop_word(self.word);
      });
    }
    delete &self;
  }
  static bench_status gate_enqueue(bench_instance_v1 *instance, bench_device_v1 device,
                                   bench_gate_v1 *gate, const bench_stream_v1 *stream,
                                   bench_error_v1 *error) {
    return Api::call(instance, device, "gate enqueue", error, [&] {
      Gate &self = gate_of(gate);
      const Scope scope(*instance, device, stream);
      const std::uint32_t next = self.closed.load(std::memory_order_relaxed) + 1;
      // Counted first: a watchdog that opens now opens this closing too, and nothing hangs.
      self.closed.store(next, std::memory_order_release);
      Runtime::check(Runtime::wait_word(Runtime::stream_of(*stream), self.address, next),
                     "let a stream wait for the gate");
    });
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
      const bool own = !Runtime::can_record(*stream);
      if (own) {
        typename Runtime::Stream handle{};
        Runtime::check(Runtime::create_stream(&handle), "create a stream to record on");
        target.kind = BENCH_STREAM_PLUGIN_OWNED;
        target.handle = reinterpret_cast<void *>(handle);
        target.context = const_cast<void *>(scope.key());
      } else {
        Api::refuse_recording(Runtime::stream_of(*stream));
      }
      const auto status = Runtime::begin_recording(Runtime::stream_of(target));
      if (status != 0 && own) Runtime::destroy_stream(Runtime::stream_of(target));
      Runtime::check(status, "begin a capture");
      // Until end(): whose stream it is. A default stream has no handle to compare with.
      target.reserved = own ? recording_on_own : 0;
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
      const auto finish = [&] {
        if (recorded) Runtime::drop_graph(recorded);
        if (recording->reserved == recording_on_own) Runtime::destroy_stream(stream);
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
      Runtime::check(Runtime::launch(graph_of(graph).executable, Runtime::stream_of(*stream)),
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

  static constexpr std::uint32_t recording_on_own = 0x6f776e;  // "own"

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
