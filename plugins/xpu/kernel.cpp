// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1: SPIR-V modules, and OpenCL C where its compiler is found.
#include <algorithm>

#include "compile.hpp"

struct bench_kernel_v1 {
  ze_module_handle_t module = nullptr;
  ze_kernel_handle_t kernel = nullptr;
  std::string name;
  std::vector<std::uint32_t> kinds;    // of the call's arguments
  std::uint32_t group[3] = {0, 0, 0};  // as set last; setting it costs the driver a lookup
};

namespace bench_xpu {
namespace {

constexpr const char *failed_build_text = "backend compiler failed build";

const char *const languages[] = {"SPIR-V", "OpenCL"};

bool is_opencl(const char *language) {
  if (std::strcmp(language, "OpenCL") == 0) return true;
  if (std::strcmp(language, "SPIR-V") == 0) return false;
  throw Error(BENCH_ERROR_UNSUPPORTED, std::string("language ") + language,
              "the xpu plugin takes SPIR-V and compiles OpenCL");
}

bench_status compiler(bench_instance_v1 *, const char *language, const bench_writer_v1 *identity,
                      bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    // SPIR-V is compiled by the driver, whose version the device information has.
    write_all(identity,
              is_opencl(language) ? opencl_compiler() : std::string("SPIR-V, by the driver"));
  });
}

bench_status compile(bench_instance_v1 *, const bench_kernel_source_v1 *source,
                     const bench_writer_v1 *binary, const bench_writer_v1 *log_writer,
                     bench_error_v1 *error) {
  return guarded(error, "compile", [&] {
    if (source->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the source requires what this plugin does not know",
                  "use a newer plugin");
    std::string log;
    try {
      const Module module =
          is_opencl(source->language) ? compile_opencl(*source, log) : take_spirv(*source, log);
      write_all(log_writer, log);
      write_all(binary, pack(module));
    } catch (const Error &) {
      write_all(log_writer, log);
      throw;
    }
  });
}

std::string take_build_log(ze_module_build_log_handle_t log) {
  const Functions &ze = functions();
  std::string text;
  std::size_t size = 0;
  if (log && ze.zeModuleBuildLogGetString(log, &size, nullptr) == ZE_RESULT_SUCCESS && size > 0) {
    text.resize(size);
    if (ze.zeModuleBuildLogGetString(log, &size, text.data()) != ZE_RESULT_SUCCESS) text.clear();
  }
  if (log) ze.zeModuleBuildLogDestroy(log);
  return text.c_str();  // without what follows its end
}

/// With several drivers in the process the loader hands out handles of its own.
bool loader_wraps_handles(const Device &device) {
  void *driver_handle = device.handle;
  const Functions &ze = functions();
  return ze.zelLoaderTranslateHandle &&
         ze.zelLoaderTranslateHandle(ZEL_HANDLE_DEVICE, device.handle, &driver_handle) ==
             ZE_RESULT_SUCCESS &&
         driver_handle != device.handle;
}

void build(const bench_instance_v1 &instance, Device &device, const Target &target,
           const Module &module, bench_kernel_v1 &kernel) {
  std::vector<std::uint32_t> ids;
  std::vector<const void *> values;
  for (const ConstantValue &constant : module.constants) {
    ids.push_back(constant.spec_id);
    values.push_back(constant.value.data());
  }
  const ze_module_constants_t constants{static_cast<std::uint32_t>(ids.size()), ids.data(),
                                        values.data()};
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = ZE_MODULE_FORMAT_IL_SPIRV;
  description.inputSize = module.spirv.size();
  description.pInputModule = module.spirv.data();
  description.pBuildFlags = module.flags.c_str();
  description.pConstants = ids.empty() ? nullptr : &constants;
  ze_module_build_log_handle_t handle = nullptr;
  const ze_result_t result = functions().zeModuleCreate(target.context, target.device, &description,
                                                        &kernel.module, &handle);
  if (result != ZE_RESULT_SUCCESS && loader_wraps_handles(device)) {
    // Then it forgets to wrap the log of a build that failed: reading it would crash in the loader.
    check(result, "zeModuleCreate", &device,
          "the loader cannot give the build log while several Level Zero drivers are loaded");
  }
  const std::string text = take_build_log(handle);
  if (!text.empty())
    log(instance, result == ZE_RESULT_SUCCESS ? BENCH_LOG_DEBUG : BENCH_LOG_INFO,
        "build log of " + kernel.name + ": " + text);
  // Drivers that compile late report success and fail in the log; asking such a module for its
  // kernels crashes in the driver.
  const bool failed_late =
      result == ZE_RESULT_SUCCESS && text.find(failed_build_text) != std::string::npos;
  check(failed_late ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : result, "zeModuleCreate", &device,
        text.empty() ? "" : "build log: " + text.substr(0, text.find_last_not_of('\n') + 1));
}

std::string kernels_of(ze_module_handle_t module) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  if (ze.zeModuleGetKernelNames(module, &count, nullptr) != ZE_RESULT_SUCCESS || count == 0)
    return "none";
  std::vector<const char *> names(count, nullptr);
  if (ze.zeModuleGetKernelNames(module, &count, names.data()) != ZE_RESULT_SUCCESS) return "none";
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i)
    text += (text.empty() ? "" : ", ") + std::string(names[i] ? names[i] : "");
  return text;
}

void destroy_parts(bench_kernel_v1 *kernel) {
  if (kernel->kernel) functions().zeKernelDestroy(kernel->kernel);
  if (kernel->module) functions().zeModuleDestroy(kernel->module);
  delete kernel;
}

void tell_resources(Device &device, const bench_kernel_v1 &kernel,
                    bench_kernel_resources_v1 *resources) {
  ze_kernel_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  check(functions().zeKernelGetProperties(kernel.kernel, &properties), "zeKernelGetProperties",
        &device);
  if (BENCH_HAS(resources, shared_bytes)) resources->shared_bytes = properties.localMemSize;
  if (BENCH_HAS(resources, local_bytes))
    resources->local_bytes = properties.privateMemSize + properties.spillMemSize;
  if (BENCH_HAS(resources, max_threads_per_block))
    resources->max_threads_per_block = device.compute.maxTotalGroupSize;
}

bench_status load(bench_instance_v1 *instance, bench_device_v1 pair, const bench_stream_v1 *stream,
                  const void *binary, std::uint64_t size, const char *name,
                  const bench_kernel_parameter_v1 *const *parameters, std::uint32_t parameter_count,
                  bench_kernel_v1 **kernel, bench_kernel_resources_v1 *resources,
                  bench_error_v1 *error) {
  *kernel = nullptr;
  return guarded(error, "load", [&] {
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    auto *made = new bench_kernel_v1;
    made->name = name;
    try {
      build(*instance, device, target, unpack(binary, size), *made);
      ze_kernel_desc_t description{};
      description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
      description.pKernelName = name;
      const ze_result_t result =
          functions().zeKernelCreate(made->module, &description, &made->kernel);
      check(result, "zeKernelCreate", &device,
            result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME
                ? std::string("no kernel ") + name + " among " + kernels_of(made->module)
                : "");
      for (std::uint32_t i = 0; i < parameter_count; ++i) {
        if (parameters[i]->kind != BENCH_PARAMETER_SYMBOL)
          made->kinds.push_back(parameters[i]->kind);
      }
      if (resources) tell_resources(device, *made, resources);
    } catch (...) {
      destroy_parts(made);
      throw;
    }
    *kernel = made;
  });
}

void unload(bench_instance_v1 *instance, bench_device_v1 pair, bench_kernel_v1 *kernel) {
  guarded(nullptr, "unload", [&] {
    if (kernel) when_idle(listed_device(instance, pair), [kernel] { destroy_parts(kernel); });
  });
}

bench_status symbol(bench_instance_v1 *instance, bench_device_v1 pair, bench_kernel_v1 *kernel,
                    const char *name, void **memory, std::uint64_t *size, bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "symbol", [&] {
    Device &device = device_of(instance, pair);
    std::size_t bytes = 0;
    check(functions().zeModuleGetGlobalPointer(kernel->module, name, &bytes, memory),
          "zeModuleGetGlobalPointer", &device, std::string("global ") + name);
    *size = bytes;
  });
}

void check_limits(const Device &device, const bench_kernel_launch_v1 &launch) {
  const ze_device_compute_properties_t &most = device.compute;
  const std::uint32_t most_block[] = {most.maxGroupSizeX, most.maxGroupSizeY, most.maxGroupSizeZ};
  const std::uint32_t most_grid[] = {most.maxGroupCountX, most.maxGroupCountY, most.maxGroupCountZ};
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (launch.block[axis] > most_block[axis] || launch.grid[axis] > most_grid[axis])
      throw Error(
          BENCH_ERROR_OUT_OF_RESOURCES,
          std::string("axis ") + "xyz"[axis] + ": block " + std::to_string(launch.block[axis]) +
              " of at most " + std::to_string(most_block[axis]) + ", grid " +
              std::to_string(launch.grid[axis]) + " of at most " + std::to_string(most_grid[axis]),
          "use smaller blocks or a smaller grid");
    threads *= launch.block[axis];
  }
  if (threads > most.maxTotalGroupSize)
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                "a block of " + std::to_string(threads) + " threads, the device runs at most " +
                    std::to_string(most.maxTotalGroupSize),
                "use smaller blocks");
}

void set_arguments(Device &device, const bench_kernel_v1 &kernel,
                   const bench_kernel_launch_v1 &launch) {
  const Functions &ze = functions();
  if (launch.argument_count != kernel.kinds.size())
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                std::to_string(launch.argument_count) + " arguments for " +
                    std::to_string(kernel.kinds.size()) + " parameters of " + kernel.name,
                "give one for each parameter that is no SYMBOL");
  for (std::uint32_t i = 0; i < launch.argument_count; ++i) {
    ze_result_t result;
    if (kernel.kinds[i] == BENCH_PARAMETER_LOCAL) {
      const std::uint64_t size = *static_cast<const std::uint64_t *>(launch.arguments[i]);
      if (size > device.compute.maxSharedLocalMemory)
        throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                    std::to_string(size) + " bytes of local memory, the device has " +
                        std::to_string(device.compute.maxSharedLocalMemory) + " for a block",
                    "use less local memory");
      result = ze.zeKernelSetArgumentValue(kernel.kernel, i, size, nullptr);
    } else {
      result = ze.zeKernelSetArgumentValue(kernel.kernel, i, launch.argument_sizes[i],
                                           launch.arguments[i]);
    }
    if (result != ZE_RESULT_SUCCESS)
      check(result, "zeKernelSetArgumentValue", &device,
            "argument " + std::to_string(i) + " of " + kernel.name);
  }
}

bench_status launch(bench_instance_v1 *instance, bench_device_v1 pair, bench_kernel_v1 *kernel,
                    const bench_kernel_launch_v1 *launch, const bench_stream_v1 *stream,
                    bench_error_v1 *error) {
  return guarded(error, "launch", [&] {
    const Functions &ze = functions();
    Device &device = device_of(instance, pair);
    const Target target = resolve(device, stream);
    if (launch->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the launch requires what this plugin does not know",
                  "use a newer plugin");
    if (launch->shared_bytes != 0)
      throw Error(BENCH_ERROR_UNSUPPORTED,
                  std::to_string(launch->shared_bytes) + " bytes of dynamic shared memory",
                  "declare a parameter of kind LOCAL: Level Zero knows no other way");
    check_limits(device, *launch);
    if (std::memcmp(kernel->group, launch->block, sizeof kernel->group) != 0) {
      check(ze.zeKernelSetGroupSize(kernel->kernel, launch->block[0], launch->block[1],
                                    launch->block[2]),
            "zeKernelSetGroupSize", &device);
      std::memcpy(kernel->group, launch->block, sizeof kernel->group);
    }
    set_arguments(device, *kernel, *launch);
    const ze_group_count_t grid{launch->grid[0], launch->grid[1], launch->grid[2]};
    check(ze.zeCommandListAppendLaunchKernel(target.list, kernel->kernel, &grid,
                                             profiled(device, target, kernel->name), 0, nullptr),
          "zeCommandListAppendLaunchKernel", &device);
    check(order(target), "zeCommandListAppendBarrier", &device);
    if (target.recording) ++target.recording->nodes;
  });
}

bench_status limits(bench_instance_v1 *instance, bench_device_v1 pair,
                    bench_kernel_limits_v1 *limits, bench_error_v1 *error) {
  return guarded(error, "limits", [&] {
    const ze_device_compute_properties_t &most = listed_device(instance, pair).compute;
    bench_kernel_limits_v1 full{};
    full.struct_size = limits->struct_size;
    full.max_threads_per_block = most.maxTotalGroupSize;
    const std::uint32_t block[] = {most.maxGroupSizeX, most.maxGroupSizeY, most.maxGroupSizeZ};
    const std::uint32_t grid[] = {most.maxGroupCountX, most.maxGroupCountY, most.maxGroupCountZ};
    std::copy(block, block + 3, full.max_block);
    std::copy(grid, grid + 3, full.max_grid);
    full.max_shared_bytes = most.maxSharedLocalMemory;
    // The widest: what a block should be a multiple of. The driver chooses among them per kernel.
    const std::uint32_t sizes =
        std::min<std::uint32_t>(most.numSubGroupSizes, ZE_SUBGROUPSIZE_COUNT);
    for (std::uint32_t i = 0; i < sizes; ++i)
      full.subgroup_size = std::max(full.subgroup_size, most.subGroupSizes[i]);
    std::memcpy(limits, &full, std::min<std::size_t>(limits->struct_size, sizeof full));
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

}  // namespace bench_xpu
