// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 in software: what the CUDA plugin calls, with the rules that it relies on. Streams
// have virtual clocks and do their work when somebody looks; a stream that waits for a word really
// waits; captures break as the real ones do. Kernels are host functions, found by name
// (kernels.cpp).
//
// BENCH_FAKE_CUDA scripts it, as "name=value,...":
//   devices=N   version=11040   init=CODE (of cuInit)   memory=BYTES   gate=0 (no stream memory
//   operations) queue=N     operations that a stream holds before the next one blocks (1024)
//   negative=K  every K-th elapsed time is negative      zero=K   every K-th is 0
//   event_error=K  the K-th cuEventRecord under this script fails with CUDA_ERROR_INVALID_HANDLE
//   lost=K      from the K-th launch on every call fails with CUDA_ERROR_LAUNCH_FAILED
#pragma once
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define FAKE_CUDA_API extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI

namespace fake_cuda {

/// A number of BENCH_FAKE_CUDA, else `otherwise`.
long setting(const char *name, long otherwise);

struct Context {
  int device = 0;
  int references = 0;
};

struct Event {
  bool recorded = false, done = false, captured = false;
  double at_ns = 0;
};

struct Kernel;

struct Operation {
  enum Kind { kernel, wait, event, fill, copy } kind;
  Event *target = nullptr;
  const std::uint32_t *word = nullptr;  // wait
  std::uint32_t value = 0;
  void *memory = nullptr;  // fill, copy
  const void *source = nullptr;
  std::size_t size = 0;
  const Kernel *function = nullptr;
  std::uint32_t block = 0, grid = 0;
  std::vector<std::uint64_t> arguments = {};
  bool in_graph = false;  // a graph takes one place in the queue, however much it holds
};

struct Graph {
  std::vector<Operation> operations;
};

struct Stream {
  Context *context;
  bool blocking;  // waits for the legacy stream, and it for this one
  std::deque<Operation> queue;
  double now_ns = 0;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id capturing;
  Graph *recording = nullptr;
};

struct Driver {
  std::recursive_mutex mutex;
  bool started = false;
  CUresult sticky = CUDA_SUCCESS;
  std::set<Stream *> streams;
  long launches = 0, elapsed_reads = 0, event_records = 0;
  std::size_t allocated = 0;
  double joules[8] = {};  // that the kernels of each device took
};
Driver &driver();

/// The current context of the calling thread; NULL if there is none.
Context *current();
/// Whether a call may go on: started, with a context, and not after a sticky error.
CUresult enter();
/// What allocates or waits breaks captures, by the modes of both threads.
CUresult break_captures();
Stream &stream_of(CUstream handle);
/// Puts an operation on a stream, or into its recording.
CUresult enqueue(CUstream handle, Operation operation);
/// Does what nothing holds back any more.
void advance(Stream &stream);
/// Does all, waiting for real where a word is not there yet.
CUresult finish(Stream &stream);

/// A host function that stands for a kernel, or a no-op for names that none stands for.
struct Kernel {
  std::string name;
  CUresult (*run)(const Operation &operation);
  int arguments;  // 8-byte values to copy at the launch
  double duration_ns;
  std::uint32_t endless_block = 0;  // never ends with blocks this large or larger; 0: always ends
  double watts = 300;
  // With blocks this large or larger it is quicker, and takes more power for it; 0: never.
  std::uint32_t hungry_block = 0;
  bool is_hungry(std::uint32_t block) const { return hungry_block && block >= hungry_block; }
  double takes_ns(std::uint32_t block) const {
    return is_hungry(block) ? 0.6 * duration_ns : duration_ns;
  }
  double takes_watts(std::uint32_t block) const { return is_hungry(block) ? 2 * watts : watts; }
};
/// For the life of the process.
const Kernel *find_kernel(const std::string &name);

}  // namespace fake_cuda
