// SPDX-License-Identifier: Apache-2.0
// Who the software driver says is there.
#include <algorithm>
#include <cstdio>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

int the_driver;  // its address is the handle
constexpr std::uint32_t driver_version = (1u << 24) | (3u << 16) | 24595u;
constexpr std::uint32_t cycles_version = 0x10002;  // 1.2
constexpr std::uint64_t ns_per_second = 1'000'000'000;

/// The usual pair of calls: count, then contents.
template <typename Item>
void answer(std::uint32_t *count, Item *items, const std::vector<Item> &all) {
  const auto size = static_cast<std::uint32_t>(all.size());
  if (*count == 0 || *count > size) *count = size;
  for (std::uint32_t i = 0; items && i < *count; ++i) items[i] = all[i];
}

ze_result_t driver_get(std::uint32_t *count, ze_driver_handle_t *drivers) {
  answer(count, drivers, {reinterpret_cast<ze_driver_handle_t>(&the_driver)});
  return ZE_RESULT_SUCCESS;
}

ze_result_t driver_api(ze_driver_handle_t, ze_api_version_t *version) {
  *version = static_cast<ze_api_version_t>(world().control.api_version);
  return ZE_RESULT_SUCCESS;
}

ze_result_t driver_properties(ze_driver_handle_t, ze_driver_properties_t *properties) {
  properties->driverVersion = driver_version;
  std::memset(&properties->uuid, 0x11, sizeof properties->uuid);
  return ZE_RESULT_SUCCESS;
}

ze_result_t driver_extensions(ze_driver_handle_t, std::uint32_t *count,
                              ze_driver_extension_properties_t *extensions) {
  ze_driver_extension_properties_t pci{ZE_PCI_PROPERTIES_EXT_NAME, 1},
      release{ZE_MEMORY_FREE_POLICIES_EXT_NAME, 1};
  std::vector<ze_driver_extension_properties_t> all{pci};
  if (world().control.memory_free_extension) all.push_back(release);
  answer(count, extensions, all);
  return ZE_RESULT_SUCCESS;
}

ze_result_t device_get(ze_driver_handle_t, std::uint32_t *count, ze_device_handle_t *devices) {
  std::vector<ze_device_handle_t> all;
  for (std::uint32_t i = 0; i < world().control.devices && i < world().devices.size(); ++i)
    all.push_back(reinterpret_cast<ze_device_handle_t>(&world().devices[i]));
  answer(count, devices, all);
  return ZE_RESULT_SUCCESS;
}

ze_result_t sub_devices(ze_device_handle_t handle, std::uint32_t *count,
                        ze_device_handle_t *devices) {
  Device &device = *object_of<Device>(handle);
  std::vector<ze_device_handle_t> all;
  for (std::uint32_t i = 0; device.sub_device < 0 && i < world().control.sub_devices; ++i)
    all.push_back(reinterpret_cast<ze_device_handle_t>(&device.parts[i]));
  answer(count, devices, all);
  return ZE_RESULT_SUCCESS;
}

ze_result_t device_properties(ze_device_handle_t handle, ze_device_properties_t *properties) {
  const Device &device = *object_of<Device>(handle);
  const Control &control = world().control;
  ze_device_properties_t all{};
  all.stype = properties->stype;
  all.pNext = properties->pNext;
  all.type = ZE_DEVICE_TYPE_GPU;
  all.vendorId = 0x8086;
  all.deviceId = device.index == 1 ? 0x46a6 : 0x56a0;
  if (device.index == 1) all.flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
  if (device.sub_device >= 0) {
    all.flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    all.subdeviceId = static_cast<std::uint32_t>(device.sub_device);
  }
  all.coreClockRate = 2100;
  all.maxMemAllocSize = control.memory_bytes;
  all.numThreadsPerEU = 8;
  all.physicalEUSimdWidth = 8;
  all.numEUsPerSubslice = 16;
  all.numSubslicesPerSlice = 4;
  all.numSlices = device.sub_device < 0 ? 8 : 4;
  const bool cycles = control.api_version >= cycles_version &&
                      properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  all.timerResolution = control.timer_hz == 0 ? 0
                        : cycles              ? control.timer_hz
                                              : ns_per_second / control.timer_hz;
  all.timestampValidBits = control.timestamp_bits;
  all.kernelTimestampValidBits = control.kernel_timestamp_bits;
  all.uuid.id[0] = 0xbe;
  all.uuid.id[1] = static_cast<std::uint8_t>(device.index);
  all.uuid.id[2] = static_cast<std::uint8_t>(device.sub_device + 1);
  std::snprintf(all.name, sizeof all.name, "Software GPU %u%s", device.index,
                device.sub_device < 0 ? "" : " (part)");
  *properties = all;
  return ZE_RESULT_SUCCESS;
}

ze_result_t compute_properties(ze_device_handle_t, ze_device_compute_properties_t *properties) {
  properties->maxTotalGroupSize = 1024;
  properties->maxGroupSizeX = properties->maxGroupSizeY = properties->maxGroupSizeZ = 1024;
  properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ = 1u << 30;
  properties->maxSharedLocalMemory = 65536;
  properties->numSubGroupSizes = 3;
  properties->subGroupSizes[0] = 8;
  properties->subGroupSizes[1] = 16;
  properties->subGroupSizes[2] = 32;
  return ZE_RESULT_SUCCESS;
}

ze_result_t queue_groups(ze_device_handle_t, std::uint32_t *count,
                         ze_command_queue_group_properties_t *groups) {
  // A copy engine first, so that taking group 0 unread goes wrong.
  if (*count == 0 || *count > 2) *count = 2;
  for (std::uint32_t i = 0; groups && i < *count; ++i) {
    groups[i].flags = i == 0 ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
                             : ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                                   ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
    groups[i].maxMemoryFillPatternSize = 128;
    groups[i].numQueues = 1;
  }
  return ZE_RESULT_SUCCESS;
}

ze_result_t memory_properties(ze_device_handle_t, std::uint32_t *count,
                              ze_device_memory_properties_t *memories) {
  *count = 1;
  if (!memories) return ZE_RESULT_SUCCESS;
  memories[0].totalSize = world().control.memory_bytes;
  std::snprintf(memories[0].name, sizeof memories[0].name, "GDDR6");
  auto *next = static_cast<ze_device_memory_ext_properties_t *>(memories[0].pNext);
  if (world().control.bandwidth_known && next &&
      next->stype == ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES) {
    next->readBandwidth = next->writeBandwidth = 560;
    next->bandwidthUnit = ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC;
  }
  return ZE_RESULT_SUCCESS;
}

ze_result_t cache_properties(ze_device_handle_t, std::uint32_t *count,
                             ze_device_cache_properties_t *caches) {
  constexpr std::size_t sizes[] = {16u << 20, 1u << 20};
  if (*count == 0 || *count > 2) *count = 2;
  for (std::uint32_t i = 0; caches && i < *count; ++i) caches[i].cacheSize = sizes[i];
  return ZE_RESULT_SUCCESS;
}

ze_result_t pci_properties(ze_device_handle_t handle, ze_pci_ext_properties_t *properties) {
  properties->address = {0, 0x65 + object_of<Device>(handle)->index, 0, 0};
  return ZE_RESULT_SUCCESS;
}

}  // namespace

ze_result_t core_properties(ze_device_handle_t handle, ze_device_properties_t *properties) {
  return device_properties(handle, properties);
}

void fill_table(ze_driver_dditable_t &table) {
  table.pfnGet = driver_get;
  table.pfnGetApiVersion = driver_api;
  table.pfnGetProperties = driver_properties;
  table.pfnGetExtensionProperties = driver_extensions;
}

void fill_table(ze_device_dditable_t &table) {
  table.pfnGet = device_get;
  table.pfnGetSubDevices = sub_devices;
  table.pfnGetProperties = device_properties;
  table.pfnGetComputeProperties = compute_properties;
  table.pfnGetCommandQueueGroupProperties = queue_groups;
  table.pfnGetMemoryProperties = memory_properties;
  table.pfnGetCacheProperties = cache_properties;
  table.pfnPciGetPropertiesExt = pci_properties;
}

}  // namespace level_zero_driver
