// SPDX-License-Identifier: Apache-2.0
// The kernels on an NVIDIA GPU. Driver and compiler are opened at run time: the program is built,
// and runs on the CPU, where neither is.
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

#include "engine.hpp"

namespace engine {
namespace {

constexpr const char *source = R"(
typedef long long index;
extern "C" __global__ void engine_linear(const float *x, const float *w, float *y, index rows, index inner,
                                         index columns) {
  const index c = blockIdx.x * (index)BLOCK + threadIdx.x;
  const index first = blockIdx.y * (index)UNROLL;
  if (c >= columns) return;
  float sums[UNROLL] = {};
  for (index k = 0; k < inner; ++k) {
    const float weight = w[k * columns + c];
#pragma unroll
    for (int r = 0; r < UNROLL; ++r)
      if (first + r < rows) sums[r] += x[(first + r) * inner + k] * weight;
  }
#pragma unroll
  for (int r = 0; r < UNROLL; ++r)
    if (first + r < rows) y[(first + r) * columns + c] = sums[r];
}
extern "C" __global__ void engine_gelu(const float *, const float *bias, float *y, index rows, index,
                                       index columns) {
  const index c = blockIdx.x * (index)BLOCK + threadIdx.x;
  const index first = blockIdx.y * (index)UNROLL;
  if (c >= columns) return;
#pragma unroll
  for (int r = 0; r < UNROLL; ++r) {
    if (first + r >= rows) return;
    const float x = y[(first + r) * columns + c] + bias[c];
    y[(first + r) * columns + c] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
  }
}
extern "C" __global__ void engine_norm(const float *, const float *, float *y, index rows, index, index columns) {
  __shared__ float parts[BLOCK];
  for (int r = 0; r < UNROLL; ++r) {
    const index row = blockIdx.y * (index)UNROLL + r;
    if (row >= rows) return;
    float *values = y + row * columns;
    float sums[2] = {};
    for (int pass = 0; pass < 2; ++pass) {
      float sum = 0;
      for (index c = threadIdx.x; c < columns; c += BLOCK) {
        const float d = values[c] - (pass ? sums[0] / columns : 0.0f);
        sum += pass ? d * d : d;
      }
      parts[threadIdx.x] = sum;
      __syncthreads();
      for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
      }
      sums[pass] = parts[0];
      __syncthreads();
    }
    const float mean = sums[0] / columns, scale = rsqrtf(sums[1] / columns + 1e-5f);
    for (index c = threadIdx.x; c < columns; c += BLOCK) values[c] = (values[c] - mean) * scale;
    __syncthreads();
  }
}
)";

#define ENGINE_TEXT2(name) #name
#define ENGINE_TEXT(name) ENGINE_TEXT2(name)
/// A function of a library, named as the headers' macros name it.
#define FIND(library, name) reinterpret_cast<decltype(&::name)>(::dlsym(library, ENGINE_TEXT(name)))

void check(int result, const char *what) {
  if (result == 0) return;
  throw std::runtime_error(std::string(what) + " failed with " + std::to_string(result));
}

class Cuda final : public Backend {
 public:
  Cuda(void *driver, void *compiler) : driver_(driver), compiler_(compiler) {
    check(FIND(driver_, cuInit)(0), "cuInit");
    CUcontext context = nullptr;
    check(FIND(driver_, cuDevicePrimaryCtxRetain)(&context, 0), "cuDevicePrimaryCtxRetain");
    check(FIND(driver_, cuCtxPushCurrent)(context), "cuCtxPushCurrent");
    check(FIND(driver_, cuStreamCreate)(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    handle_.struct_size = sizeof handle_;
    handle_.kind = BENCH_STREAM_NATIVE;
    handle_.handle = stream_;
  }
  bench::Device device() const override { return bench::cuda(); }
  float *allocate(std::size_t count) override {
    CUdeviceptr memory = 0;
    check(FIND(driver_, cuMemAlloc)(&memory, count * sizeof(float)), "cuMemAlloc");
    return reinterpret_cast<float *>(memory);
  }
  void upload(float *to, const std::vector<float> &from) override {
    check(FIND(driver_, cuMemcpyHtoDAsync)(reinterpret_cast<CUdeviceptr>(to), from.data(),
                                           from.size() * sizeof(float), stream_),
          "cuMemcpyHtoDAsync");
    check(FIND(driver_, cuStreamSynchronize)(stream_), "cuStreamSynchronize");
  }
  std::vector<float> download(const float *from, std::size_t count) override {
    std::vector<float> values(count);
    check(FIND(driver_, cuMemcpyDtoHAsync)(values.data(), reinterpret_cast<CUdeviceptr>(from),
                                           count * sizeof(float), stream_),
          "cuMemcpyDtoHAsync");
    check(FIND(driver_, cuStreamSynchronize)(stream_), "cuStreamSynchronize");
    return values;
  }
  void compile(const std::vector<Choice> &choices) override {
    int major = 0, minor = 0;
    const auto attribute = FIND(driver_, cuDeviceGetAttribute);
    check(attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), "the architecture");
    check(attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), "the architecture");
    const std::string target =
        "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
    for (const Choice &choice : choices) compile(choice, target);
  }
  void launch(const Operation &op, const Choice &choice, const bench_stream_v1 *stream) override {
    const auto function = functions_.at({op.kernel, {choice.block, choice.unroll}});
    // The tuner names the stream where it records or gates; the engine's own otherwise.
    const auto on = stream ? static_cast<CUstream>(stream->handle) : stream_;
    std::int64_t rows = op.rows, inner = op.inner, columns = op.columns;
    const float *in = op.in, *parameters = op.parameters;
    float *out = op.out;
    void *arguments[] = {&in, &parameters, &out, &rows, &inner, &columns};
    // A block of norm takes whole rows.
    const auto blocks = op.kernel == norm ? 1 : (columns + choice.block - 1) / choice.block;
    check(FIND(driver_, cuLaunchKernel)(
              function, static_cast<unsigned>(blocks),
              static_cast<unsigned>((rows + choice.unroll - 1) / choice.unroll), 1,
              static_cast<unsigned>(choice.block), 1, 1, 0, on, arguments, nullptr),
          op.kernel);
  }
  std::uint32_t launch_flags() const override { return BENCH_CALLABLE_CAPTURABLE; }
  const bench_stream_v1 *stream() const override { return &handle_; }

 private:
  void compile(const Choice &choice, const std::string &target) {
    nvrtcProgram program = nullptr;
    check(FIND(compiler_, nvrtcCreateProgram)(&program, source, "engine.cu", 0, nullptr, nullptr),
          "nvrtcCreateProgram");
    const std::string block = "-DBLOCK=" + std::to_string(choice.block);
    const std::string unroll = "-DUNROLL=" + std::to_string(choice.unroll);
    const char *options[] = {target.c_str(), block.c_str(), unroll.c_str()};
    check(FIND(compiler_, nvrtcCompileProgram)(program, 3, options), "nvrtcCompileProgram");
    std::size_t size = 0;
    check(FIND(compiler_, nvrtcGetCUBINSize)(program, &size), "nvrtcGetCUBINSize");
    std::string image(size, '\0');
    check(FIND(compiler_, nvrtcGetCUBIN)(program, image.data()), "nvrtcGetCUBIN");
    FIND(compiler_, nvrtcDestroyProgram)(&program);
    CUmodule module = nullptr;  // for the life of the program
    check(FIND(driver_, cuModuleLoadDataEx)(&module, image.data(), 0, nullptr, nullptr),
          "cuModuleLoadDataEx");
    for (const char *kernel : {linear, gelu, norm}) {
      CUfunction function = nullptr;
      check(FIND(driver_, cuModuleGetFunction)(&function, module, kernel), "cuModuleGetFunction");
      functions_[{kernel, {choice.block, choice.unroll}}] = function;
    }
  }

  void *driver_, *compiler_;
  CUstream stream_ = nullptr;
  bench_stream_v1 handle_{};
  std::map<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>, CUfunction> functions_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda(std::string &reason) {
  void *driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return reason = ::dlerror(), nullptr;
  void *compiler = nullptr;
  // ENGINE_NVRTC names the file where it is not on the library path.
  const char *given = std::getenv("ENGINE_NVRTC");
  for (const char *name : {given ? given : "libnvrtc.so.13", "libnvrtc.so.13", "libnvrtc.so.12",
                           "/usr/local/cuda/lib64/libnvrtc.so"})
    if (!compiler) compiler = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!compiler) return reason = ::dlerror(), nullptr;
  try {
    return std::make_unique<Cuda>(driver, compiler);
  } catch (const std::exception &failure) {
    return reason = failure.what(), nullptr;
  }
}

}  // namespace engine
