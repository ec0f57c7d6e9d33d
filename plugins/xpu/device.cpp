// SPDX-License-Identifier: Apache-2.0
// What a device is, as Level Zero tells it. Makes no context.
#include <algorithm>
#include <cstdio>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr double ns_per_second = 1e9;
constexpr std::uint32_t cycles_since = ZE_MAKE_VERSION(1, 2);
constexpr std::uint32_t intel = 0x8086;

ze_device_properties_t properties_of(const Device &device) {
  ze_device_properties_t properties{};
  // The type of the structure chooses the unit of timerResolution: cycles per second from version
  // 1.2 on, ns before. A driver of 1.0 does not know the newer type.
  properties.stype = static_cast<std::uint32_t>(device.api_version) >= cycles_since
                         ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
                         : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  check(functions().zeDeviceGetProperties(device.handle, &properties), "zeDeviceGetProperties",
        nullptr);
  return properties;
}

double ns_per_tick(const ze_device_properties_t &properties) {
  if (properties.timerResolution == 0) return 0;
  const auto value = static_cast<double>(properties.timerResolution);
  return properties.stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? ns_per_second / value
                                                                     : value;
}

std::uint32_t bits(std::uint32_t told) {
  return told == 0 || told > 64 ? 64 : told;
}

/// The first group that computes; UINT32_MAX if none does.
std::uint32_t compute_ordinal(const Device &device) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  check(ze.zeDeviceGetCommandQueueGroupProperties(device.handle, &count, nullptr),
        "zeDeviceGetCommandQueueGroupProperties", nullptr);
  std::vector<ze_command_queue_group_properties_t> groups(count);
  for (auto &group : groups) group.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
  if (count > 0)
    check(ze.zeDeviceGetCommandQueueGroupProperties(device.handle, &count, groups.data()),
          "zeDeviceGetCommandQueueGroupProperties", nullptr);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) return i;
  }
  return UINT32_MAX;
}

/// All caches that the device lists: Level Zero does not say which is in front of which, and a
/// flush that is too small measures warm memory as cold.
std::uint64_t cache_bytes(const Device &device) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  if (ze.zeDeviceGetCacheProperties(device.handle, &count, nullptr) != ZE_RESULT_SUCCESS) return 0;
  std::vector<ze_device_cache_properties_t> caches(count);
  for (auto &cache : caches) cache.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
  if (count == 0 ||
      ze.zeDeviceGetCacheProperties(device.handle, &count, caches.data()) != ZE_RESULT_SUCCESS)
    return 0;
  std::uint64_t total = 0;
  for (const auto &cache : caches) total += cache.cacheSize;
  return total;
}

void read_memory(const Device &device, bench_device_info_v1 &info) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  check(ze.zeDeviceGetMemoryProperties(device.handle, &count, nullptr),
        "zeDeviceGetMemoryProperties", nullptr);
  std::vector<ze_device_memory_properties_t> memories(count);
  // A driver that does not know this extension leaves it alone.
  std::vector<ze_device_memory_ext_properties_t> details(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    details[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES;
    memories[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    memories[i].pNext = &details[i];
  }
  if (count > 0)
    check(ze.zeDeviceGetMemoryProperties(device.handle, &count, memories.data()),
          "zeDeviceGetMemoryProperties", nullptr);
  for (std::uint32_t i = 0; i < count; ++i) {
    info.memory_bytes += memories[i].totalSize;
    if (details[i].bandwidthUnit == ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC)
      info.peak_bytes_per_second += details[i].readBandwidth * ns_per_second;
  }
}

std::string bus_of(const Device &device) {
  const Functions &ze = functions();
  ze_pci_ext_properties_t pci{};
  pci.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
  if (!ze.zeDevicePciGetPropertiesExt ||
      ze.zeDevicePciGetPropertiesExt(device.handle, &pci) != ZE_RESULT_SUCCESS)
    return "";
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.address.domain, pci.address.bus,
                pci.address.device, pci.address.function);
  return text;
}

std::string driver_version(const Device &device) {
  ze_driver_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
  if (functions().zeDriverGetProperties(device.driver, &properties) != ZE_RESULT_SUCCESS) return "";
  // Intel's packing, as its releases are named: 1.3.24595.
  const std::uint32_t version = properties.driverVersion;
  return std::to_string(version >> 24) + "." + std::to_string((version >> 16) & 0xff) + "." +
         std::to_string(version & 0xffff);
}

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", value);
  return text;
}

}  // namespace

void read_facts(Device &device) {
  const ze_device_properties_t properties = properties_of(device);
  device.global = {bits(properties.timestampValidBits), ns_per_tick(properties)};
  device.kernel = {bits(properties.kernelTimestampValidBits), ns_per_tick(properties)};
  device.max_allocation = properties.maxMemAllocSize;
  device.ordinal = compute_ordinal(device);
  device.cache_bytes = cache_bytes(device);
  device.compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
  check(functions().zeDeviceGetComputeProperties(device.handle, &device.compute),
        "zeDeviceGetComputeProperties", nullptr);
}

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error) {
  return guarded(error, "device_list", [&] {
    start(*instance);
    *count = static_cast<std::uint32_t>(instance->devices.size());
    for (std::uint32_t i = 0; i < std::min(capacity, *count); ++i)
      devices[i] = {BENCH_DEVICE_ONEAPI, static_cast<std::int32_t>(i)};
  });
}

bench_status device_info(bench_instance_v1 *instance, bench_device_v1 pair,
                         bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    const Device &device = listed_device(instance, pair);
    const ze_device_properties_t properties = properties_of(device);
    using bench::plugin::copy_text;
    bench_device_info_v1 full{};
    full.device = pair;
    full.state = device.lost.load()             ? BENCH_ERROR_DEVICE_LOST
                 : device.ordinal == UINT32_MAX ? BENCH_ERROR_UNSUPPORTED
                                                : BENCH_OK;
    if (full.state == BENCH_ERROR_DEVICE_LOST)
      copy_text(full.reason, "the device was lost; start a new process");
    if (full.state == BENCH_ERROR_UNSUPPORTED)
      copy_text(full.reason, "no queue of this device computes; take another device");
    std::memcpy(full.uuid, properties.uuid.id, sizeof full.uuid);
    copy_text(full.class_name, "xpu");
    copy_text(full.name, properties.name);
    copy_text(full.vendor,
              properties.vendorId == intel ? "Intel" : hexadecimal(properties.vendorId));
    // What the offline compiler takes for -device, and the same on equal chips.
    copy_text(full.architecture, hexadecimal(properties.deviceId));
    copy_text(full.driver_version, driver_version(device));
    copy_text(full.runtime_version,
              "Level Zero " +
                  std::to_string(ZE_MAJOR_VERSION(static_cast<std::uint32_t>(device.api_version))) +
                  "." +
                  std::to_string(ZE_MINOR_VERSION(static_cast<std::uint32_t>(device.api_version))));
    copy_text(full.bus_id, bus_of(device));
    if (device.parent >= 0)
      copy_text(full.partition, "sub-device " + std::to_string(device.part) + " of " +
                                    std::to_string(device.parts) +
                                    " of xpu:" + std::to_string(device.parent));
    read_memory(device, full);
    full.last_level_cache_bytes = device.cache_bytes;
    full.compute_units = properties.numSlices * properties.numSubslicesPerSlice;
    if (properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED)
      full.flags |= BENCH_DEVICE_FLAG_INTEGRATED;
    full.timer_resolution_ns = device.global.ns_per_tick;
    full.timer_wrap_ns = wrap_ns(device.global);
    bench::plugin::store_info(info, full);
  });
}

}  // namespace bench_xpu
