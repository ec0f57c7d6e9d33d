// SPDX-License-Identifier: Apache-2.0
// Memory, modules, and the host functions that stand for kernels.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>

#include "binary.hpp"
#include "fake_cuda.hpp"

namespace fake_cuda {
namespace {

constexpr double launch_ns = 2000;

CUresult add(const Operation &operation) {
  const auto *a = reinterpret_cast<const float *>(operation.arguments[0]);
  const auto *b = reinterpret_cast<const float *>(operation.arguments[1]);
  auto *c = reinterpret_cast<float *>(operation.arguments[2]);
  const auto count = static_cast<std::int32_t>(operation.arguments[3]);
  for (std::int32_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
  return CUDA_SUCCESS;
}
/// As add, but blocks of 512 reach beyond their memory.
CUresult add_or_die(const Operation &operation) {
  return operation.block == 512 ? CUDA_ERROR_ILLEGAL_ADDRESS : add(operation);
}
CUresult add_or_misalign(const Operation &operation) {
  return operation.block == 512 ? CUDA_ERROR_MISALIGNED_ADDRESS : add(operation);
}
CUresult add_or_fail(const Operation &operation) {
  return operation.block == 512 ? CUDA_ERROR_LAUNCH_FAILED : add(operation);
}
CUresult add_or_nan(const Operation &operation) {
  const CUresult result = add(operation);
  if (operation.block == 512)
    reinterpret_cast<float *>(operation.arguments[2])[3] = std::numeric_limits<float>::quiet_NaN();
  return result;
}
CUresult add_wrong(const Operation &operation) {
  const CUresult result = add(operation);
  reinterpret_cast<float *>(operation.arguments[2])[3] += 1;
  return result;
}

// What examples/embed_engine compiles, by the same arithmetic.
struct EngineArguments {
  const float *in, *parameters;
  float *out;
  std::int64_t rows, inner, columns;
  explicit EngineArguments(const Operation &operation) {
    const auto &values = operation.arguments;
    in = reinterpret_cast<const float *>(values[0]);
    parameters = reinterpret_cast<const float *>(values[1]);
    out = reinterpret_cast<float *>(values[2]);
    rows = static_cast<std::int64_t>(values[3]);
    inner = static_cast<std::int64_t>(values[4]);
    columns = static_cast<std::int64_t>(values[5]);
  }
};
CUresult engine_linear(const Operation &operation) {
  const EngineArguments a(operation);
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t c = 0; c < a.columns; ++c) {
      float sum = 0;
      for (std::int64_t k = 0; k < a.inner; ++k)
        sum += a.in[r * a.inner + k] * a.parameters[k * a.columns + c];
      a.out[r * a.columns + c] = sum;
    }
  return CUDA_SUCCESS;
}
CUresult engine_gelu(const Operation &operation) {
  const EngineArguments a(operation);
  for (std::int64_t i = 0; i < a.rows * a.columns; ++i) {
    const float x = a.out[i] + a.parameters[i % a.columns];
    a.out[i] = 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
  }
  return CUDA_SUCCESS;
}
CUresult engine_norm(const Operation &operation) {
  const EngineArguments a(operation);
  for (std::int64_t r = 0; r < a.rows; ++r) {
    float *row = a.out + r * a.columns, mean = 0, variance = 0;
    for (std::int64_t c = 0; c < a.columns; ++c) mean += row[c] / static_cast<float>(a.columns);
    for (std::int64_t c = 0; c < a.columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / static_cast<float>(a.columns);
    for (std::int64_t c = 0; c < a.columns; ++c)
      row[c] = (row[c] - mean) / std::sqrt(variance + 1e-5f);
  }
  return CUDA_SUCCESS;
}

const Kernel kernels[] = {
    {"engine_linear", engine_linear, 6, launch_ns},
    {"engine_gelu", engine_gelu, 6, launch_ns},
    {"engine_norm", engine_norm, 6, launch_ns},
    {"vector_add", add, 4, launch_ns},
    {"vector_add_reference", add, 4, launch_ns},
    {"vector_add_or_die", add_or_die, 4, launch_ns},
    {"vector_add_wrong", add_wrong, 4, launch_ns},
    {"vector_add_or_misalign", add_or_misalign, 4, launch_ns},
    {"vector_add_or_fail", add_or_fail, 4, launch_ns},
    {"vector_add_or_nan", add_or_nan, 4, launch_ns},
    {"vector_add_or_hang", add, 4, launch_ns, 512},
    {"vector_add_or_save", add, 4, launch_ns, 0, 300, 512},
    {"illegal_address", [](const Operation &) { return CUDA_ERROR_ILLEGAL_ADDRESS; }, 0, launch_ns},
    {"misaligned", [](const Operation &) { return CUDA_ERROR_MISALIGNED_ADDRESS; }, 0, launch_ns},
    {"launch_failed", [](const Operation &) { return CUDA_ERROR_LAUNCH_FAILED; }, 0, launch_ns},
    {"crash", [](const Operation &) { return CUDA_ERROR_ILLEGAL_ADDRESS; }, 0, launch_ns},
    {"endless", nullptr, 0, launch_ns, 1},
};

struct Module {
  std::vector<std::string> names;
  std::uint64_t symbol[8] = {};  // a global named "table"
};

std::size_t &size_of(void *memory) {
  return *reinterpret_cast<std::size_t *>(static_cast<char *>(memory) - 256);
}

}  // namespace

const Kernel *find_kernel(const std::string &name) {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name) return &kernel;
  static std::map<std::string, std::unique_ptr<Kernel>> others;
  auto &slot = others[name];
  if (!slot) slot = std::make_unique<Kernel>(Kernel{name, nullptr, 0, launch_ns});
  return slot.get();
}

}  // namespace fake_cuda

using namespace fake_cuda;

#define ENTER()                               \
  const std::lock_guard lock(driver().mutex); \
  if (const CUresult entered = enter(); entered != CUDA_SUCCESS) return entered
#define ENTER_UNSAFE() \
  ENTER();             \
  if (const CUresult broken = break_captures(); broken != CUDA_SUCCESS) return broken

FAKE_CUDA_API cuMemAlloc(CUdeviceptr *memory, std::size_t size) {
  ENTER_UNSAFE();
  if (driver().allocated + size > static_cast<std::size_t>(setting("memory", 1L << 30)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  // 256 bytes before, for the size: what is returned stays aligned to 256.
  void *raw = std::aligned_alloc(256, (size + 511) / 256 * 256);
  void *given = static_cast<char *>(raw) + 256;
  size_of(given) = size;
  driver().allocated += size;
  *memory = reinterpret_cast<CUdeviceptr>(given);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuMemFree(CUdeviceptr memory) {
  ENTER_UNSAFE();
  void *given = reinterpret_cast<void *>(memory);
  driver().allocated -= size_of(given);
  std::free(static_cast<char *>(given) - 256);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuMemHostAlloc(void **memory, std::size_t size, unsigned int) {
  ENTER_UNSAFE();
  *memory = std::calloc(1, size);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuMemFreeHost(void *memory) {
  ENTER_UNSAFE();
  std::free(memory);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuMemHostGetDevicePointer(CUdeviceptr *device, void *memory, unsigned int) {
  ENTER();
  *device = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

namespace {
CUresult copy(CUdeviceptr destination, const void *source, std::size_t size, CUstream stream) {
  ENTER();
  Operation operation{Operation::copy};
  operation.memory = reinterpret_cast<void *>(destination);
  operation.source = source;
  operation.size = size;
  return enqueue(stream, std::move(operation));
}
}  // namespace

FAKE_CUDA_API cuMemcpyHtoDAsync(CUdeviceptr destination, const void *source, std::size_t size,
                                CUstream stream) {
  return copy(destination, source, size, stream);
}
FAKE_CUDA_API cuMemcpyDtoHAsync(void *destination, CUdeviceptr source, std::size_t size,
                                CUstream stream) {
  return copy(reinterpret_cast<CUdeviceptr>(destination), reinterpret_cast<const void *>(source),
              size, stream);
}
FAKE_CUDA_API cuMemcpyDtoDAsync(CUdeviceptr destination, CUdeviceptr source, std::size_t size,
                                CUstream stream) {
  return copy(destination, reinterpret_cast<const void *>(source), size, stream);
}
FAKE_CUDA_API cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t size,
                              CUstream stream) {
  ENTER();
  Operation operation{Operation::fill};
  operation.memory = reinterpret_cast<void *>(memory);
  operation.value = value;
  operation.size = size;
  return enqueue(stream, std::move(operation));
}

FAKE_CUDA_API cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int, CUjit_option *,
                                 void **) {
  ENTER_UNSAFE();
  // The driver knows an image's size from the image; PTX ends in NUL, a cubin's tables lie within
  // this.
  constexpr std::size_t most_cubin_bytes = 1 << 14;
  const auto *bytes = static_cast<const char *>(image);
  const bool is_elf = std::memcmp(bytes,
                                  "\x7f"
                                  "ELF",
                                  4) == 0;
  std::string text;
  if (is_elf) {
    // Sections come last in what the compiler writes: their table's end is the image's.
    std::uint64_t sections = 0;
    std::uint16_t count = 0;
    std::memcpy(&sections, bytes + 40, 8);
    std::memcpy(&count, bytes + 60, 2);
    const std::size_t size = sections + std::size_t{count} * 64;
    if (size > most_cubin_bytes * 64) return CUDA_ERROR_INVALID_IMAGE;
    text.assign(bytes, size);
  } else {
    text = bytes;
  }
  if (bench_cuda::image_kind(text) == bench_cuda::ImageKind::unknown)
    return CUDA_ERROR_INVALID_IMAGE;
  if (text.find(".target sm_999") != std::string::npos) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  auto *made = new Module;
  made->names = bench_cuda::kernel_names(text);
  *module = reinterpret_cast<CUmodule>(made);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
FAKE_CUDA_API cuModuleUnload(CUmodule module) {
  ENTER_UNSAFE();
  delete reinterpret_cast<Module *>(module);
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER();
  for (const std::string &known : reinterpret_cast<Module *>(module)->names) {
    if (known != name) continue;
    *function = reinterpret_cast<CUfunction>(const_cast<Kernel *>(find_kernel(known)));
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
FAKE_CUDA_API cuModuleGetGlobal(CUdeviceptr *memory, std::size_t *size, CUmodule module,
                                const char *name) {
  ENTER();
  if (std::strcmp(name, "table") != 0) return CUDA_ERROR_NOT_FOUND;
  auto *own = reinterpret_cast<Module *>(module);
  *memory = reinterpret_cast<CUdeviceptr>(own->symbol);
  *size = sizeof own->symbol;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction) {
  ENTER();
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
           : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                                : 0;
  return CUDA_SUCCESS;
}
/// The known kernels take pointers and, last, an int.
FAKE_CUDA_API cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t *offset,
                                 std::size_t *size) {
  ENTER();
  const auto count =
      static_cast<std::size_t>(reinterpret_cast<const Kernel *>(function)->arguments);
  if (index >= count) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *size = index + 1 == count ? 4 : 8;
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  ENTER();
  return CUDA_SUCCESS;
}
FAKE_CUDA_API cuLaunchKernel(CUfunction function, unsigned int grid, unsigned int, unsigned int,
                             unsigned int block, unsigned int, unsigned int, unsigned int,
                             CUstream stream, void **arguments, void **) {
  ENTER();
  if (const long at = setting("lost", 0); at && ++driver().launches >= at)
    driver().sticky = CUDA_ERROR_LAUNCH_FAILED;
  Operation operation{Operation::kernel};
  operation.function = reinterpret_cast<const Kernel *>(function);
  operation.grid = grid;
  operation.block = block;
  for (int i = 0; i < operation.function->arguments; ++i) {
    std::uint64_t value = 0;
    // The last of the known kernels' arguments is an int.
    std::memcpy(&value, arguments[i], i + 1 == operation.function->arguments ? 4 : 8);
    operation.arguments.push_back(value);
  }
  return enqueue(stream, std::move(operation));
}
