// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: CUDA C++ through NVRTC, and images that were compiled elsewhere.
#include <algorithm>
#include <bench/plugin/kernel_launch.hpp>
#include <cstring>
#include <memory>

#include "binary.hpp"
#include "compiler.hpp"
#include "cuda.hpp"
#include "nvrtc.hpp"

struct bench_kernel_v1 {
  CUmodule module;
  CUfunction function;
  const void *context;
  bench::plugin::LaunchLimits limits;
};

namespace bench_cuda {
namespace {

using bench::plugin::first_error;

constexpr std::size_t jit_log_bytes = 8192;
constexpr unsigned bits_per_byte = 8;
constexpr std::size_t most_names_shown = 8;

const char *const languages[] = {"CUDA", "PTX", "CUBIN", "FATBIN"};

bool is_language(const char *given, const char *name) {
  return ::strcasecmp(given, name) == 0;
}

[[noreturn]] void unknown_language(const char *language) {
  throw Error(BENCH_ERROR_UNSUPPORTED, std::string("language ") + language,
              "the cuda plugin takes CUDA, PTX, CUBIN and FATBIN");
}

/// An image that needs no compiler.
Binary given_image(const bench_kernel_source_v1 &source) {
  Binary binary{source.name, "", std::string(source.text, source.text_size)};
  const ImageKind kind = image_kind(binary.image);
  if (kind == ImageKind::unknown || !is_language(source.language, image_kind_name(kind)))
    throw Error(BENCH_ERROR_COMPILE_FAILED,
                std::string(source.path ? source.path : "the source") + " is no " +
                    source.language + ", but " + image_kind_name(kind),
                "let Language say what the file is");
  return binary;
}

bench_status compiler(bench_instance_v1 *, const char *language, const bench_writer_v1 *identity,
                      bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    std::string text;
    if (is_language(language, "CUDA"))
      text = nvrtc().identity();
    else if (is_language(language, "PTX"))
      text = "driver JIT, CUDA " + version_text(driver().version);
    else if (is_language(language, "CUBIN") || is_language(language, "FATBIN"))
      text = "none: compiled elsewhere";
    else
      unknown_language(language);
    write_all(identity, text);
  });
}

bench_status compile(bench_instance_v1 *, const bench_kernel_source_v1 *source,
                     const bench_writer_v1 *binary, const bench_writer_v1 *log,
                     bench_error_v1 *error) {
  return guarded(error, "compile", [&] {
    if (source->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the source requires what this plugin does not know",
                  "use a newer plugin");
    std::string text;
    try {
      Binary made;
      if (is_language(source->language, "CUDA"))
        made = compile_cuda(*source, text);
      else if (is_language(source->language, "PTX") || is_language(source->language, "CUBIN") ||
               is_language(source->language, "FATBIN"))
        made = given_image(*source);
      else
        unknown_language(source->language);
      write_all(log, text);
      const auto bytes = pack(made);
      write_all(binary, bytes);
    } catch (const Error &) {
      write_all(log, text);
      throw;
    }
  });
}

bench_kernel_limits_v1 limits_of(CUdevice device) {
  const auto read = [&](CUdevice_attribute which) {
    return static_cast<std::uint32_t>(attribute(device, which));
  };
  bench_kernel_limits_v1 limits{};
  limits.struct_size = sizeof limits;
  limits.max_threads_per_block = read(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.max_block[0] = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  limits.max_block[1] = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  limits.max_block[2] = read(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  limits.max_grid[0] = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  limits.max_grid[1] = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  limits.max_grid[2] = read(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  limits.max_shared_bytes = read(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.subgroup_size = read(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  return limits;
}

std::string names_text(CUmodule module, const std::string &image) {
  std::vector<std::string> names;
  const Driver &cuda = driver();
  unsigned count = 0;
  if (cuda.cuModuleGetFunctionCount && cuda.cuModuleEnumerateFunctions && cuda.cuFuncGetName &&
      cuda.cuModuleGetFunctionCount(&count, module) == CUDA_SUCCESS && count > 0) {
    std::vector<CUfunction> functions(count);
    if (cuda.cuModuleEnumerateFunctions(functions.data(), count, module) == CUDA_SUCCESS) {
      for (CUfunction function : functions) {
        const char *name = nullptr;
        if (cuda.cuFuncGetName(&name, function) == CUDA_SUCCESS && name) names.push_back(name);
      }
    }
  }
  if (names.empty()) names = kernel_names(image);
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_names_shown; ++i)
    text += (text.empty() ? "" : ", ") + names[i];
  return text;
}

CUmodule load_module(const Binary &binary, CUdevice device) {
  std::string log(jit_log_bytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(jit_log_bytes)};
  CUmodule module = nullptr;
  // std::string ends in NUL, which PTX needs.
  const CUresult result =
      driver().cuModuleLoadDataEx(&module, binary.image.data(), 2, options, values);
  if (result == CUDA_SUCCESS) return module;
  log.resize(std::strlen(log.c_str()));
  const int status = status_of(result);
  if (status == BENCH_ERROR_COMPILE_FAILED || (status == BENCH_ERROR_INCOMPATIBLE && !log.empty()))
    throw Error(status, "the driver does not take the PTX: " + first_error(log),
                "see PTX's version and target against the driver's", result, "");
  if (status == BENCH_ERROR_INCOMPATIBLE)
    throw Error(status,
                std::string("the ") + image_kind_name(image_kind(binary.image)) +
                    (binary.architecture.empty() ? "" : " for " + binary.architecture) +
                    " does not run on this device, which is " + architecture_of(device),
                "compile it for the device's architecture, or give PTX", result,
                result == CUDA_ERROR_NO_BINARY_FOR_GPU ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
                                                       : "CUDA_ERROR_INVALID_IMAGE");
  check(result, "load the kernel's image");
  return module;
}

/// Counts and sizes of parameters where the driver (12.4 or newer) tells them.
void check_parameters(CUfunction function, const char *name,
                      const bench_kernel_parameter_v1 *const *parameters, std::uint32_t count) {
  std::vector<const bench_kernel_parameter_v1 *> passed;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parameters[i]->kind == BENCH_PARAMETER_LOCAL)
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  std::string("argument ") + parameters[i]->name +
                      " is local memory, which CUDA kernels take by their launch",
                  "declare it as SharedMemory");
    if (parameters[i]->kind != BENCH_PARAMETER_SYMBOL) passed.push_back(parameters[i]);
  }
  const Driver &cuda = driver();
  if (!cuda.cuFuncGetParamInfo) return;
  std::size_t offset = 0, size = 0, index = 0;
  for (; cuda.cuFuncGetParamInfo(function, index, &offset, &size) == CUDA_SUCCESS; ++index) {
    if (index >= passed.size()) continue;
    const auto &parameter = *passed[index];
    const std::size_t given = parameter.kind == BENCH_PARAMETER_VECTOR
                                  ? sizeof(CUdeviceptr)
                                  : parameter.dtype_bits / bits_per_byte *
                                        std::max<std::size_t>(parameter.dtype_lanes, 1);
    if (given != size)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                  std::string("argument ") + std::to_string(index) + " (" + parameter.name +
                      ") has " + std::to_string(given) + " bytes, the kernel " + name +
                      " takes one of " + std::to_string(size),
                  "let the problem's arguments follow the kernel's parameters");
  }
  if (index != passed.size())
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                std::string("the kernel ") + name + " takes " + std::to_string(index) +
                    " arguments, " + std::to_string(passed.size()) + " are given",
                "let the problem's arguments follow the kernel's parameters");
}

std::uint32_t function_attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  check(driver().cuFuncGetAttribute(&value, which, function), "read a kernel's attribute");
  return static_cast<std::uint32_t>(std::max(value, 0));
}

void tell_resources(CUfunction function, bench_kernel_resources_v1 *resources) {
  if (!resources) return;
  const auto tell = [&](std::uint32_t &member, CUfunction_attribute which) {
    const auto *end = reinterpret_cast<const char *>(&member) + sizeof member;
    if (end - reinterpret_cast<const char *>(resources) <= resources->struct_size)
      member = function_attribute(function, which);
  };
  tell(resources->registers_per_thread, CU_FUNC_ATTRIBUTE_NUM_REGS);
  tell(resources->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  tell(resources->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  tell(resources->constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  tell(resources->max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

bench_status load(bench_instance_v1 *instance, bench_device_v1 device,
                  const bench_stream_v1 *stream, const void *bytes, std::uint64_t size,
                  const char *name, const bench_kernel_parameter_v1 *const *parameters,
                  std::uint32_t parameter_count, bench_kernel_v1 **kernel,
                  bench_kernel_resources_v1 *resources, bench_error_v1 *error) {
  *kernel = nullptr;
  return StreamApi::call(instance, device, "load", error, [&] {
    const Binary binary = unpack(bytes, size);
    const Scope scope(*instance, device, stream);
    const Driver &cuda = driver();
    const CUdevice handle = device_handle(device);
    auto made = std::make_unique<bench_kernel_v1>();
    made->context = scope.key();
    made->module = load_module(binary, handle);
    try {
      const std::string &compiled_name = binary.kernel_name.empty() ? name : binary.kernel_name;
      const CUresult found =
          cuda.cuModuleGetFunction(&made->function, made->module, compiled_name.c_str());
      if (found == CUDA_ERROR_NOT_FOUND) {
        const std::string names = names_text(made->module, binary.image);
        throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                    "the image has no kernel " + compiled_name +
                        (names.empty() ? std::string() : "; it has " + names),
                    "use one of its names", found, "CUDA_ERROR_NOT_FOUND");
      }
      check(found, "find the kernel " + compiled_name);
      check_parameters(made->function, name, parameters, parameter_count);
      // Lazy loading would load the code at the first launch, which may be behind a closed gate.
      if (cuda.cuFuncLoad) check(cuda.cuFuncLoad(made->function), "load the kernel's code");
      tell_resources(made->function, resources);
      bench::plugin::LaunchLimits &limits = made->limits;
      limits.device = limits_of(handle);
      limits.max_threads =
          function_attribute(made->function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
      const std::uint32_t fixed =
          function_attribute(made->function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
      const auto all = static_cast<std::uint32_t>(limits.device.max_shared_bytes);
      limits.max_dynamic_shared = all > fixed ? all - fixed : 0;
      // Above 48 KiB a kernel has to be told; what it may is not what a launch takes.
      cuda.cuFuncSetAttribute(made->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              static_cast<int>(limits.max_dynamic_shared));
      for (std::uint32_t i = 0; i < parameter_count; ++i)
        limits.argument_count += parameters[i]->kind != BENCH_PARAMETER_SYMBOL;
    } catch (...) {
      cuda.cuModuleUnload(made->module);
      throw;
    }
    *kernel = made.release();
  });
}

void unload(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel) {
  if (!kernel) return;
  if (StreamApi::alive(instance, device)) {
    guarded(nullptr, "unload", [&] {
      const Scope scope(*instance, device, ContextKey{kernel->context});
      driver().cuModuleUnload(kernel->module);
    });
  }
  delete kernel;
}

bench_status symbol(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel,
                    const char *name, void **memory, std::uint64_t *size, bench_error_v1 *error) {
  *memory = nullptr;
  return StreamApi::call(instance, device, "symbol", error, [&] {
    const Scope scope(*instance, device, ContextKey{kernel->context});
    CUdeviceptr pointer = 0;
    std::size_t bytes = 0;
    const CUresult found = driver().cuModuleGetGlobal(&pointer, &bytes, kernel->module, name);
    if (found == CUDA_ERROR_NOT_FOUND)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, std::string("the kernel has no global ") + name,
                  "define it in the kernel's file as extern \"C\" __constant__ or __device__",
                  found, "CUDA_ERROR_NOT_FOUND");
    check(found, std::string("find the global ") + name);
    *memory = reinterpret_cast<void *>(pointer);
    *size = bytes;
  });
}

bench_status launch(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel,
                    const bench_kernel_launch_v1 *launch, const bench_stream_v1 *stream,
                    bench_error_v1 *error) {
  return StreamApi::call(instance, device, "launch", error, [&] {
    bench::plugin::check_launch(kernel->limits, *launch);
    const Scope scope(*instance, device, stream);
    Runtime::check(
        driver().cuLaunchKernel(kernel->function, launch->grid[0], launch->grid[1], launch->grid[2],
                                launch->block[0], launch->block[1], launch->block[2],
                                launch->shared_bytes, Runtime::stream_of(*stream),
                                const_cast<void **>(launch->arguments), nullptr),
        "launch the kernel");
  });
}

bench_status limits(bench_instance_v1 *instance, bench_device_v1 device,
                    bench_kernel_limits_v1 *limits, bench_error_v1 *error) {
  return guarded(error, "limits", [&] {
    instance->check_process();
    bench_kernel_limits_v1 full = limits_of(device_handle(device));
    full.struct_size = limits->struct_size;
    std::memcpy(limits, &full, std::min<std::size_t>(sizeof full, full.struct_size));
  });
}

}  // namespace

const bench_ext_kernel_v1 kernel_extension = {sizeof(bench_ext_kernel_v1),
                                              4,
                                              languages,
                                              compiler,
                                              compile,
                                              load,
                                              unload,
                                              symbol,
                                              launch,
                                              limits};

}  // namespace bench_cuda
