// SPDX-License-Identifier: Apache-2.0
// Devices in the order of the CUDA runtime's ordinals, which is the driver's after
// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. Makes no context.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cuda.hpp"

namespace bench_cuda {
namespace {

constexpr double hz_per_khz = 1e3;
constexpr int bits_per_byte = 8;
// Memory moves data on both edges of the clock that the driver reports.
constexpr double transfers_per_clock = 2.0;
// A fused multiply-add.
constexpr double flops_per_core_and_clock = 2.0;
// Smallest step between readings of cuEventElapsedTime on compute capability 9.0. Older devices
// have larger ones, which the measuring engine finds out from readings.
constexpr double event_resolution_ns = 32.0;
constexpr int first_fine_timer_major = 9;

/// Single-precision units of a multiprocessor, by compute capability; 0 = not known here.
int cores_per_multiprocessor(int major, int minor) {
  switch (major) {
    case 5:
      return 128;
    case 6:
      return minor == 0 ? 64 : 128;
    case 7:
      return 64;
    case 8:
      return minor == 0 ? 64 : 128;
    case 9:
      return 128;
    case 10:
      return 128;
    case 12:
      return 128;
    default:
      return 0;
  }
}

int device_count() {
  int count = 0;
  const CUresult result = driver().cuDeviceGetCount(&count);
  if (result == CUDA_ERROR_NO_DEVICE || result == CUDA_ERROR_NOT_INITIALIZED) return 0;
  check(result, "count the devices");
  return std::min(count, static_cast<int>(bench_instance_v1::most_devices));
}

/// "570.86.15, CUDA 12.8": the library tells only the second, by which two drivers can be alike.
std::string driver_text(int version) {
  const std::string cuda = "CUDA " + version_text(version);
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (!std::getline(file, line)) return cuda;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (std::isdigit(static_cast<unsigned char>(word.front())) &&
        word.find('.') != std::string::npos)
      return word + ", " + cuda;
  return cuda;
}

/// "NVIDIA H100 80GB HBM3 MIG 1g.10gb": what follows "MIG".
std::string partition_of(const std::string &name) {
  const auto at = name.find("MIG ");
  return at == std::string::npos ? std::string() : name.substr(at);
}

}  // namespace

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "read a device's attribute");
  return value;
}

CUdevice device_handle(bench_device_v1 device) {
  const int count = device.type == BENCH_DEVICE_CUDA ? device_count() : 0;
  if (device.id < 0 || device.id >= count) {
    throw Error(BENCH_ERROR_NO_DEVICE,
                "device {" + std::to_string(device.type) + ", " + std::to_string(device.id) +
                    "} is not there",
                count == 0 ? "see `bench devices`"
                           : "class cuda has ids 0 to " + std::to_string(count - 1) +
                                 " here, after CUDA_VISIBLE_DEVICES");
  }
  CUdevice handle = 0;
  check(driver().cuDeviceGet(&handle, device.id), "find device " + std::to_string(device.id));
  return handle;
}

std::string architecture_of(CUdevice device) {
  return "sm_" + std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
         std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

bench_status device_list(bench_instance_v1 *instance, bench_device_v1 *devices,
                         std::uint32_t capacity, std::uint32_t *count, bench_error_v1 *error) {
  *count = 0;
  return guarded(error, "device_list", [&] {
    instance->check_process();
    *count = static_cast<std::uint32_t>(device_count());
    for (std::uint32_t i = 0; i < *count && i < capacity; ++i)
      devices[i] = {BENCH_DEVICE_CUDA, static_cast<std::int32_t>(i)};
  });
}

bench_status device_info(bench_instance_v1 *instance, bench_device_v1 device,
                         bench_device_info_v1 *info, bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    instance->check_process();
    const Driver &cuda = driver();
    const CUdevice handle = device_handle(device);
    // Not every device reports each of them: 0 is "unknown".
    const auto read = [&](CUdevice_attribute which) {
      int value = 0;
      return cuda.cuDeviceGetAttribute(&value, which, handle) == CUDA_SUCCESS ? value : 0;
    };
    using bench::plugin::copy_text;
    bench_device_info_v1 full{};
    full.device = device;
    char name[128] = "", bus[32] = "";
    check(cuda.cuDeviceGetName(name, sizeof name, handle), "read a device's name");
    CUuuid uuid{};
    check(cuda.cuDeviceGetUuid_v2(&uuid, handle), "read a device's UUID");
    std::memcpy(full.uuid, uuid.bytes, sizeof full.uuid);
    if (cuda.cuDeviceGetPCIBusId(bus, sizeof bus, handle) != CUDA_SUCCESS) bus[0] = '\0';
    std::size_t memory = 0;
    check(cuda.cuDeviceTotalMem(&memory, handle), "read a device's memory size");
    copy_text(full.class_name, "cuda");
    copy_text(full.name, name);
    copy_text(full.vendor, "NVIDIA");
    copy_text(full.architecture, architecture_of(handle));
    copy_text(full.driver_version, driver_text(cuda.version));
    copy_text(full.bus_id, bus);
    copy_text(full.partition, partition_of(name));
    full.memory_bytes = memory;
    full.last_level_cache_bytes =
        static_cast<std::uint64_t>(read(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    full.compute_units = static_cast<std::uint32_t>(read(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    if (read(CU_DEVICE_ATTRIBUTE_INTEGRATED)) full.flags |= BENCH_DEVICE_FLAG_INTEGRATED;
    const int major = read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    if (major >= first_fine_timer_major) full.timer_resolution_ns = event_resolution_ns;
    // A partition reports the whole device's bus, of which it has a share.
    if (full.partition[0] == '\0')
      full.peak_bytes_per_second =
          transfers_per_clock * hz_per_khz * read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
          read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / bits_per_byte;
    full.peak_flops_per_second =
        flops_per_core_and_clock * full.compute_units * hz_per_khz *
        read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) *
        cores_per_multiprocessor(major, read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    if (read(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED) {
      full.state = BENCH_ERROR_NO_PERMISSION;
      copy_text(full.reason, "the administrator prohibits compute contexts on this device");
    } else if (instance->device(device.id).lost.load()) {
      full.state = BENCH_ERROR_DEVICE_LOST;
      copy_text(full.reason, "lost by an earlier error: start a new process");
    }
    bench::plugin::store_info(info, full);
  });
}

}  // namespace bench_cuda
