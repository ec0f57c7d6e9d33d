// SPDX-License-Identifier: Apache-2.0
// A CUDA program's own kernel and memory, as a framework would have them: through the driver API,
// in the device's primary context. The library sees a callable and nothing of CUDA.
#pragma once
#include <bench/bench.h>
#include <cuda.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace cuda_benchmark {

inline void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr;
  cuGetErrorName(result, &name);
  throw std::runtime_error(std::string(what) + ": " + (name ? name : "unknown"));
}

inline void check(bench_status status, const bench_error_v1 &error) {
  if (status == BENCH_OK) return;
  throw std::runtime_error(std::string(bench_status_name(status)) + " in " + error.where + ": " +
                           error.what + " (" + error.hint + ")");
}

class DeviceWork {
 public:
  static constexpr unsigned threads = 256;

  DeviceWork(const std::string &image_path, const char *kernel, int count) : count_(count) {
    check(cuInit(0), "cuInit");
    CUdevice device = 0;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    std::ifstream file(image_path, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), {});
    check(cuModuleLoadData(&module_, image.c_str()), "cuModuleLoadData");
    check(cuModuleGetFunction(&function_, module_, kernel), "cuModuleGetFunction");
    for (CUdeviceptr &one : memory_) {
      check(cuMemAlloc(&one, sizeof(float) * count), "cuMemAlloc");
      // Random bits below infinity: zeros would flatter the memory and the adders.
      check(cuMemsetD32(one, 0x3f8ccccd, count), "cuMemsetD32");
    }
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_CAPTURABLE | BENCH_CALLABLE_REPEATABLE;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                         bench_error_v1 *) -> bench_status {
      const auto &self = *static_cast<DeviceWork *>(user);
      return self.launch(static_cast<CUstream>(stream->handle)) == CUDA_SUCCESS
                 ? BENCH_OK
                 : BENCH_ERROR_CALLABLE_FAILED;
    };
  }
  DeviceWork(const DeviceWork &) = delete;  // the callable points here
  DeviceWork &operator=(const DeviceWork &) = delete;

  CUresult launch(CUstream stream) const {
    void *arguments[] = {const_cast<CUdeviceptr *>(&memory_[0]),
                         const_cast<CUdeviceptr *>(&memory_[1]),
                         const_cast<CUdeviceptr *>(&memory_[2]), const_cast<int *>(&count_)};
    return cuLaunchKernel(function_, (count_ + threads - 1) / threads, 1, 1, threads, 1, 1, 0,
                          stream, arguments, nullptr);
  }

  bench_callable_v1 callable{};

 private:
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr memory_[3] = {};
  int count_;
};

}  // namespace cuda_benchmark
