// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: HIP C++ through hiprtc, and code objects that were compiled elsewhere.
#include <strings.h>

#include <algorithm>
#include <bench/plugin/kernel_launch.hpp>
#include <cstring>
#include <memory>

#include "code_object.hpp"
#include "compiler.hpp"
#include "hip.hpp"
#include "hiprtc.hpp"

struct bench_kernel_v1 {
  hipModule_t module;
  hipFunction_t function;
  const void *context;
  bench::plugin::LaunchLimits limits;
};

namespace bench_hip {
namespace {

using bench::plugin::KernelImage;
using bench::plugin::write_all;

constexpr char magic[] = "BENCHHI1";
const char *const languages[] = {"HIP", "HSACO"};

bool is_language(const char *given, const char *name) {
  return ::strcasecmp(given, name) == 0;
}

[[noreturn]] void unknown_language(const char *language) {
  throw Error(BENCH_ERROR_UNSUPPORTED, std::string("language ") + language,
              "the hip plugin takes HIP and HSACO (code objects)");
}

/// An image that needs no compiler.
KernelImage given_image(const bench_kernel_source_v1 &source) {
  KernelImage image{source.name, "", std::string(source.text, source.text_size)};
  if (!is_code_object(image.image))
    throw Error(BENCH_ERROR_COMPILE_FAILED,
                std::string(source.path ? source.path : "the source") + " is no code object",
                "let Language say what the file is");
  return image;
}

KernelImage unpack(const void *bytes, std::uint64_t size) {
  if (bench::plugin::is_packed_image(bytes, size, magic))
    return bench::plugin::unpack_image(bytes, size);
  KernelImage image{"", "", std::string(static_cast<const char *>(bytes), size)};
  if (is_code_object(image.image)) return image;
  throw Error(BENCH_ERROR_INVALID_ARGUMENT, std::to_string(size) + " bytes that are no code object",
              "give what compile returned, or an image for the HIP runtime");
}

bench_status compiler(bench_instance_v1 *, const char *language, const bench_writer_v1 *identity,
                      bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    if (is_language(language, "HIP"))
      write_all(identity, hiprtc().identity());
    else if (is_language(language, "HSACO"))
      write_all(identity, std::string("none: compiled elsewhere"));
    else
      unknown_language(language);
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
      KernelImage image;
      if (is_language(source->language, "HIP"))
        image = compile_hip(*source, text);
      else if (is_language(source->language, "HSACO"))
        image = given_image(*source);
      else
        unknown_language(source->language);
      write_all(log, text);
      const auto bytes = bench::plugin::pack_image(image, magic);
      write_all(binary, bytes);
    } catch (const Error &) {
      write_all(log, text);
      throw;
    }
  });
}

bench_kernel_limits_v1 limits_of(bench_device_v1 device) {
  const auto read = [&](hipDeviceAttribute_t which) {
    return static_cast<std::uint32_t>(attribute(device, which));
  };
  bench_kernel_limits_v1 limits{};
  limits.struct_size = sizeof limits;
  limits.max_threads_per_block = read(hipDeviceAttributeMaxThreadsPerBlock);
  limits.max_block[0] = read(hipDeviceAttributeMaxBlockDimX);
  limits.max_block[1] = read(hipDeviceAttributeMaxBlockDimY);
  limits.max_block[2] = read(hipDeviceAttributeMaxBlockDimZ);
  limits.max_grid[0] = read(hipDeviceAttributeMaxGridDimX);
  limits.max_grid[1] = read(hipDeviceAttributeMaxGridDimY);
  limits.max_grid[2] = read(hipDeviceAttributeMaxGridDimZ);
  limits.max_shared_bytes = read(hipDeviceAttributeMaxSharedMemoryPerBlock);
  limits.subgroup_size = read(hipDeviceAttributeWarpSize);
  return limits;
}

hipModule_t load_module(const KernelImage &image, bench_device_v1 device) {
  hipModule_t module = nullptr;
  const hipError_t result = library().hipModuleLoadData(&module, image.image.data());
  if (result == hipSuccess) return module;
  if (status_of(result) == BENCH_ERROR_INCOMPATIBLE)
    throw Error(
        BENCH_ERROR_INCOMPATIBLE,
        "the code object" + (image.architecture.empty() ? "" : " for " + image.architecture) +
            " does not run on this device, which is " + architecture_text(device),
        "compile it for the device's architecture", result, library().hipGetErrorName(result));
  check(result, "load the kernel's code object");
  return module;
}

void check_parameters(const bench_kernel_parameter_v1 *const *parameters, std::uint32_t count,
                      bench::plugin::LaunchLimits &limits) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parameters[i]->kind == BENCH_PARAMETER_LOCAL)
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  std::string("argument ") + parameters[i]->name +
                      " is local memory, which HIP kernels take by their launch",
                  "declare it as SharedMemory");
    limits.argument_count += parameters[i]->kind != BENCH_PARAMETER_SYMBOL;
  }
}

std::uint32_t function_attribute(hipFunction_t function, hipFunction_attribute which) {
  int value = 0;
  check(library().hipFuncGetAttribute(&value, which, function), "read a kernel's attribute");
  return static_cast<std::uint32_t>(std::max(value, 0));
}

void tell_resources(hipFunction_t function, bench_kernel_resources_v1 *resources) {
  if (!resources) return;
  const auto tell = [&](std::uint32_t &member, hipFunction_attribute which) {
    const auto *end = reinterpret_cast<const char *>(&member) + sizeof member;
    if (end - reinterpret_cast<const char *>(resources) <= resources->struct_size)
      member = function_attribute(function, which);
  };
  tell(resources->registers_per_thread, HIP_FUNC_ATTRIBUTE_NUM_REGS);
  tell(resources->shared_bytes, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  tell(resources->local_bytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  tell(resources->constant_bytes, HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  tell(resources->max_threads_per_block, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

bench_status load(bench_instance_v1 *instance, bench_device_v1 device,
                  const bench_stream_v1 *stream, const void *bytes, std::uint64_t size,
                  const char *name, const bench_kernel_parameter_v1 *const *parameters,
                  std::uint32_t parameter_count, bench_kernel_v1 **kernel,
                  bench_kernel_resources_v1 *resources, bench_error_v1 *error) {
  *kernel = nullptr;
  return StreamApi::call(instance, device, "load", error, [&] {
    const KernelImage image = unpack(bytes, size);
    const Scope scope(*instance, device, stream);
    const Library &hip = library();
    auto made = std::make_unique<bench_kernel_v1>();
    made->context = scope.key();
    made->module = load_module(image, device);
    try {
      const std::string compiled_name = image.kernel_name.empty() ? name : image.kernel_name;
      const hipError_t found =
          hip.hipModuleGetFunction(&made->function, made->module, compiled_name.c_str());
      if (found == hipErrorNotFound) {
        const std::string names = kernel_names_text(image.image);
        throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                    "the code object has no kernel " + compiled_name +
                        (names.empty() ? std::string() : "; it has " + names),
                    "use one of its names", found, hip.hipGetErrorName(found));
      }
      check(found, "find the kernel " + compiled_name);
      bench::plugin::LaunchLimits &limits = made->limits;
      check_parameters(parameters, parameter_count, limits);
      tell_resources(made->function, resources);
      limits.device = limits_of(device);
      limits.max_threads =
          function_attribute(made->function, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
      const std::uint64_t fixed =
          function_attribute(made->function, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
      const std::uint64_t all = limits.device.max_shared_bytes;
      limits.max_dynamic_shared = all > fixed ? all - fixed : 0;
    } catch (...) {
      ignore(hip.hipModuleUnload(made->module));
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
      ignore(library().hipModuleUnload(kernel->module));
    });
  }
  delete kernel;
}

bench_status symbol(bench_instance_v1 *instance, bench_device_v1 device, bench_kernel_v1 *kernel,
                    const char *name, void **memory, std::uint64_t *size, bench_error_v1 *error) {
  *memory = nullptr;
  return StreamApi::call(instance, device, "symbol", error, [&] {
    const Scope scope(*instance, device, ContextKey{kernel->context});
    hipDeviceptr_t pointer = nullptr;
    std::size_t bytes = 0;
    const hipError_t found = library().hipModuleGetGlobal(&pointer, &bytes, kernel->module, name);
    if (found == hipErrorNotFound)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, std::string("the kernel has no global ") + name,
                  "define it in the kernel's file as extern \"C\" __constant__ or __device__",
                  found, library().hipGetErrorName(found));
    check(found, std::string("find the global ") + name);
    *memory = pointer;
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
        library().hipModuleLaunchKernel(
            kernel->function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
            launch->block[1], launch->block[2], launch->shared_bytes, Runtime::stream_of(*stream),
            const_cast<void **>(launch->arguments), nullptr),
        "launch the kernel");
  });
}

bench_status limits(bench_instance_v1 *instance, bench_device_v1 device,
                    bench_kernel_limits_v1 *limits, bench_error_v1 *error) {
  return guarded(error, "limits", [&] {
    instance->check_process();
    require_device(device);
    bench_kernel_limits_v1 full = limits_of(device);
    full.struct_size = limits->struct_size;
    std::memcpy(limits, &full, std::min<std::size_t>(sizeof full, full.struct_size));
  });
}

}  // namespace

const bench_ext_kernel_v1 kernel_extension = {sizeof(bench_ext_kernel_v1),
                                              2,
                                              languages,
                                              compiler,
                                              compile,
                                              load,
                                              unload,
                                              symbol,
                                              launch,
                                              limits};

}  // namespace bench_hip
