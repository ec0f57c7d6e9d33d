// SPDX-License-Identifier: Apache-2.0
#include "dispatch/classes.hpp"

namespace bench::dispatch {

namespace {

/// Classes that DLPack numbers, known even where no plugin serves them: a tensor of such a device
/// must be named in the message that says so.
std::vector<DeviceClass> numbered_classes() {
  return {
      {"cpu", BENCH_DEVICE_CPU, {}, {}, false},
      {"cuda", BENCH_DEVICE_CUDA, {}, {BENCH_DEVICE_CUDA_HOST, BENCH_DEVICE_CUDA_MANAGED}, false},
      {"hip", BENCH_DEVICE_ROCM, {"rocm"}, {BENCH_DEVICE_ROCM_HOST}, false},
      {"xpu", BENCH_DEVICE_ONEAPI, {"level_zero", "oneapi", "sycl"}, {}, false},
      {"opencl", BENCH_DEVICE_OPENCL, {}, {}, false},
      {"vulkan", BENCH_DEVICE_VULKAN, {}, {}, false},
      {"metal", BENCH_DEVICE_METAL, {}, {}, false},
      {"vpi", BENCH_DEVICE_VPI, {}, {}, false},
      {"webgpu", BENCH_DEVICE_WEBGPU, {}, {}, false},
      {"hexagon", BENCH_DEVICE_HEXAGON, {}, {}, false},
      {"maia", BENCH_DEVICE_MAIA, {}, {}, false},
      {"trainium", BENCH_DEVICE_TRAINIUM, {}, {}, false},
  };
}

}  // namespace

ClassTable::ClassTable(std::vector<DeviceClass> served) : classes_(std::move(served)) {
  for (DeviceClass &each : classes_) each.served = true;
  for (DeviceClass &numbered : numbered_classes()) {
    bool taken = false;
    for (DeviceClass &each : classes_) {
      if (each.type != numbered.type && each.name != numbered.name) continue;
      taken = true;
      // Pinned memory keeps its owner also where the plugin forgot to list it.
      for (std::int32_t memory : numbered.memory_types) each.memory_types.push_back(memory);
      for (std::string &alias : numbered.aliases) each.aliases.push_back(std::move(alias));
    }
    if (!taken) classes_.push_back(std::move(numbered));
  }
  // Pointers into classes_ are taken only now that it no longer grows. First claim wins.
  std::uint32_t extensions = 0;
  for (const DeviceClass &each : classes_) {
    if (each.type >= 0 && each.type < direct_types) {
      if (!direct_[std::size_t(each.type)]) direct_[std::size_t(each.type)] = &each;
    } else if (each.served) {
      ++extensions;
      only_extension_ = &each;
    }
    for (std::int32_t memory : each.memory_types) {
      if (memory >= 0 && memory < direct_types && !memory_[std::size_t(memory)])
        memory_[std::size_t(memory)] = &each;
    }
  }
  if (extensions != 1) only_extension_ = nullptr;
}

const DeviceClass *ClassTable::find_name(std::string_view name_or_alias) const noexcept {
  for (const DeviceClass &each : classes_)
    if (each.name == name_or_alias) return &each;
  for (const DeviceClass &each : classes_)
    for (const std::string &alias : each.aliases)
      if (alias == name_or_alias) return &each;
  return nullptr;
}

const DeviceClass *ClassTable::find_type(std::int32_t type) const noexcept {
  if (type >= 0 && type < direct_types) return direct_[std::size_t(type)];
  for (const DeviceClass &each : classes_)
    if (each.type == type) return &each;
  return nullptr;
}

const DeviceClass *ClassTable::find_memory(std::int32_t memory_type) const noexcept {
  if (memory_type < 0 || memory_type >= direct_types) return nullptr;
  return memory_[std::size_t(memory_type)];
}

std::string ClassTable::tag(bench_device_v1 device) const {
  const DeviceClass *found = find_type(device.type);
  const std::string name = found ? found->name : "type " + std::to_string(device.type);
  return name + ":" + std::to_string(device.id);
}

}  // namespace bench::dispatch
