// SPDX-License-Identifier: Apache-2.0
// The CUDA plugin over the machine's own driver, and that driver beside it, as a framework in the
// same process would use it.
#pragma once
#include <bench/ext/capture.h>
#include <bench/ext/gate.h>
#include <bench/ext/graph.h>
#include <cuda.h>
#include <dlfcn.h>

#include <string>

namespace silicon {

#define SILICON_TEXT2(name) #name
#define SILICON_TEXT(name) SILICON_TEXT2(name)
/// A function of the driver, named as the headers' macros name it.
#define CUDA(name) \
  (reinterpret_cast<decltype(&::name)>(::dlsym(silicon::driver(), SILICON_TEXT(name))))

inline void *driver() {
  static void *const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

constexpr bench_device_v1 first_device{BENCH_DEVICE_CUDA, 0};

/// One instance of the plugin, for all tests of a program.
struct Plugin {
  const bench_plugin_api_v1 *api = nullptr;
  bench_instance_v1 *instance = nullptr;
  const bench_ext_gate_v1 *gates = nullptr;
  const bench_ext_graph_v1 *graphs = nullptr;
  const bench_ext_capture_v1 *captures = nullptr;
  std::uint32_t device_count = 0;

  Plugin() {
    void *library = ::dlopen(BENCH_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    api = entry(nullptr, nullptr);
    if (api->open(nullptr, nullptr, &instance, nullptr) != BENCH_OK) return;
    gates = extension<bench_ext_gate_v1>(BENCH_EXT_GATE_V1);
    graphs = extension<bench_ext_graph_v1>(BENCH_EXT_GRAPH_V1);
    captures = extension<bench_ext_capture_v1>(BENCH_EXT_CAPTURE_V1);
    api->device_list(instance, nullptr, 0, &device_count, nullptr);
  }
  template <typename Table>
  const Table *extension(const char *id) const {
    return static_cast<const Table *>(api->get_extension(instance, id));
  }
};
inline Plugin &plugin() {
  static Plugin self;
  return self;
}

/// A call's status and, for a failed check, its story.
struct Failure : bench_error_v1 {
  Failure() : bench_error_v1{} { struct_size = sizeof(bench_error_v1); }
  std::string text() const {
    return std::string(where) + ": " + what + " (" + vendor_name + "; " + hint + ")";
  }
};

inline bench_stream_v1 stream_of(std::uint32_t kind, CUstream handle = nullptr) {
  return {sizeof(bench_stream_v1), kind, 0, 0, handle, nullptr, nullptr};
}
inline CUstream handle_of(const bench_stream_v1 &stream) {
  if (stream.kind == BENCH_STREAM_DEFAULT) return CU_STREAM_LEGACY;
  if (stream.kind == BENCH_STREAM_PER_THREAD) return CU_STREAM_PER_THREAD;
  return static_cast<CUstream>(stream.handle);
}

/// The framework's side: the primary context, current on this thread, with two kernels.
struct Framework {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction spin = nullptr, crash = nullptr;

  Framework() {
    CUDA(cuDevicePrimaryCtxRetain)(&context, 0);
    CUDA(cuCtxPushCurrent)(context);
    CUDA(cuModuleLoadData)(&module, ptx);
    CUDA(cuModuleGetFunction)(&spin, module, "spin");
    CUDA(cuModuleGetFunction)(&crash, module, "crash");
  }
  ~Framework() {
    CUcontext popped = nullptr;
    CUDA(cuModuleUnload)(module);
    CUDA(cuCtxPopCurrent)(&popped);
    CUDA(cuDevicePrimaryCtxRelease)(0);
  }
  Framework(const Framework &) = delete;
  Framework &operator=(const Framework &) = delete;
  int launch(CUstream stream, std::uint64_t duration_ns = 1000) const {
    void *arguments[] = {&duration_ns};
    return CUDA(cuLaunchKernel)(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }

  static constexpr const char *ptx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 duration)
{
  .reg .pred %p1;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [duration];
  mov.u64 %rd2, %globaltimer;
again:
  mov.u64 %rd3, %globaltimer;
  sub.u64 %rd4, %rd3, %rd2;
  setp.lt.u64 %p1, %rd4, %rd1;
  @%p1 bra again;
  ret;
}
.visible .entry crash()
{
  .reg .b64 %rd1;
  mov.u64 %rd1, 64;
  st.global.u64 [%rd1], %rd1;
  ret;
}
)";
};

}  // namespace silicon
