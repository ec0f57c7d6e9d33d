// SPDX-License-Identifier: Apache-2.0
// Devices in the order of the HIP runtime, which is that of HIP_VISIBLE_DEVICES and
// ROCR_VISIBLE_DEVICES.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "hip.hpp"

namespace bench_hip {
namespace {

// More than any layout of hipDeviceProp_t has, with room for those to come.
constexpr std::size_t properties_room = 16384;

int device_count() {
  int count = 0;
  const hipError_t result = library().hipGetDeviceCount(&count);
  if (result == hipErrorNoDevice) return 0;
  check(result, "count the devices");
  return std::min(count, static_cast<int>(bench_instance_v1::most_devices));
}

std::string driver_text() {
  int version = 0;
  const Library &hip = library();
  return hip.hipDriverGetVersion && hip.hipDriverGetVersion(&version) == hipSuccess
             ? version_text(version)
             : "";
}

}  // namespace

void require_device(bench_device_v1 device) {
  const int count = device.type == Runtime::device_type ? device_count() : 0;
  if (device.id >= 0 && device.id < count) return;
  throw Error(BENCH_ERROR_NO_DEVICE,
              "device {" + std::to_string(device.type) + ", " + std::to_string(device.id) +
                  "} is not there",
              count == 0 ? "see `bench devices`"
                         : "class hip has ids 0 to " + std::to_string(count - 1) +
                               " here, after HIP_VISIBLE_DEVICES");
}

int attribute(bench_device_v1 device, hipDeviceAttribute_t which) {
  int value = 0;
  check(library().hipDeviceGetAttribute(&value, which, device.id), "read a device's attribute");
  return value;
}

std::string architecture_text(bench_device_v1 device) {
  // The name is only in hipDeviceProp_t, of which there are two layouts, and the header that this
  // was made with has one of them. The text itself is easily told from all else in it.
  const Library &hip = library();
  if (!hip.get_properties) return "";
  std::vector<char> properties(properties_room, '\0');
  if (hip.get_properties(properties.data(), device.id) != hipSuccess) return "";
  // Behind the device's own name, in which nothing of the kind occurs.
  constexpr char prefix[] = "gfx";
  const auto found = std::search(properties.begin(), properties.end(), prefix, prefix + 3);
  if (found == properties.end()) return "";
  return std::string(&*found, ::strnlen(&*found, 63));
}

std::string bus_text(bench_device_v1 device) {
  char text[32] = "";
  if (library().hipDeviceGetPCIBusId(text, sizeof text, device.id) != hipSuccess) return "";
  std::string bus = text;
  // The kernel's spelling, by which the device is found under /sys.
  std::transform(bus.begin(), bus.end(), bus.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return bus;
}

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error) {
  *count = 0;
  return guarded(error, "device_list", [&] {
    instance->check_process();
    *count = static_cast<std::uint32_t>(device_count());
    const bench_host_v1 *host = instance->host;
    const std::string &printed = library().printed;
    if (!printed.empty() && host && host->log && !instance->told_printed.exchange(true))
      host->log(host->user, BENCH_LOG_INFO, ("the HIP runtime printed: " + printed).c_str());
    for (std::uint32_t i = 0; i < *count && i < capacity; ++i)
      devices[i] = {Runtime::device_type, static_cast<std::int32_t>(i)};
  });
}

bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    instance->check_process();
    const Library &hip = library();
    require_device(device);
    // Not every device reports each of them: 0 is "unknown".
    const auto read = [&](hipDeviceAttribute_t which) {
      int value = 0;
      return hip.hipDeviceGetAttribute(&value, which, device.id) == hipSuccess ? value : 0;
    };
    using bench::plugin::copy_text;
    bench_device_info_v1 full{};
    full.device = device;
    char name[128] = "";
    check(hip.hipDeviceGetName(name, sizeof name, device.id), "read a device's name");
    hipUUID uuid{};
    if (hip.hipDeviceGetUuid && hip.hipDeviceGetUuid(&uuid, device.id) == hipSuccess)
      std::memcpy(full.uuid, uuid.bytes, sizeof full.uuid);
    std::size_t memory = 0;
    check(hip.hipDeviceTotalMem(&memory, device.id), "read a device's memory size");
    copy_text(full.class_name, "hip");
    copy_text(full.name, name);
    copy_text(full.vendor, "AMD");
    copy_text(full.architecture, architecture_text(device));
    copy_text(full.driver_version, driver_text());
    copy_text(full.runtime_version, "HIP " + version_text(hip.version));
    copy_text(full.bus_id, bus_text(device));
    full.memory_bytes = memory;
    full.last_level_cache_bytes = last_level_cache_bytes(device);
    full.compute_units = static_cast<std::uint32_t>(read(hipDeviceAttributeMultiprocessorCount));
    if (read(hipDeviceAttributeIntegrated)) full.flags |= BENCH_DEVICE_FLAG_INTEGRATED;
    // What moves per clock differs between kinds of memory, of which the runtime tells nothing;
    // the same holds for units per CU: unknown, never a guess.
    full.peak_bytes_per_second = 0;
    full.peak_flops_per_second = 0;
    if (instance->device(device.id).lost.load()) {
      full.state = BENCH_ERROR_DEVICE_LOST;
      copy_text(full.reason, "lost by an earlier error: start a new process");
    }
    bench::plugin::store_info(info, full);
  });
}

}  // namespace bench_hip
