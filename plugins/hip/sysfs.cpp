// SPDX-License-Identifier: Apache-2.0
// What the kernel tells of AMD's devices and the HIP runtime does not: caches, of which the runtime
// knows the L2 alone, and the state of the device.
#include "sysfs.hpp"

#include <bench/plugin.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hip.hpp"

namespace bench_hip {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bytes_per_kib = 1024;

/// A file of lines "name value".
std::uint64_t value_in(const fs::path &file, const std::string &wanted) {
  std::ifstream stream(file);
  std::string name;
  for (std::uint64_t value = 0; stream >> name >> value;)
    if (name == wanted) return value;
  return 0;
}

/// "0000:c1:00.0" as the KFD has it: domain, and bus, device and function in one number.
bool parse_bus(const std::string &bus, std::uint64_t &domain, std::uint64_t &location) {
  unsigned d = 0, b = 0, slot = 0, function = 0;
  if (std::sscanf(bus.c_str(), "%x:%x:%x.%x", &d, &b, &slot, &function) != 4) return false;
  domain = d;
  location = (b << 8) | (slot << 3) | function;
  return true;
}

/// The largest of the highest level: a memory-side cache is level 3, above the L2.
std::uint64_t largest_cache(const fs::path &caches) {
  std::uint64_t best_level = 0, best_kib = 0;
  std::error_code ignored;
  for (const auto &cache : fs::directory_iterator(caches, ignored)) {
    const std::uint64_t level = value_in(cache.path() / "properties", "level");
    const std::uint64_t kib = value_in(cache.path() / "properties", "size");
    if (level < best_level || (level == best_level && kib <= best_kib)) continue;
    best_level = level;
    best_kib = kib;
  }
  return best_kib * bytes_per_kib;
}

}  // namespace

std::string sysfs_root() {
  const char *given = ::secure_getenv("BENCH_HIP_SYSFS");
  return given && *given == '/' ? given : "/sys";
}

std::uint64_t last_level_cache_bytes(bench_device_v1 device) {
  std::uint64_t domain = 0, location = 0;
  std::uint64_t cache = 0;
  if (parse_bus(bus_text(device), domain, location)) {
    std::error_code ignored;
    for (const auto &node :
         fs::directory_iterator(sysfs_root() + "/class/kfd/kfd/topology/nodes", ignored)) {
      const fs::path properties = node.path() / "properties";
      // Nodes of processors have no compute units.
      if (value_in(properties, "simd_count") == 0 ||
          value_in(properties, "location_id") != location ||
          value_in(properties, "domain") != domain)
        continue;
      cache = std::max(cache, largest_cache(node.path() / "caches"));
    }
  }
  int level2 = 0;
  if (library().hipDeviceGetAttribute(&level2, hipDeviceAttributeL2CacheSize, device.id) !=
      hipSuccess)
    level2 = 0;
  return std::max(cache, static_cast<std::uint64_t>(std::max(level2, 0)));
}

fs::path hwmon_of(bench_device_v1 device) {
  std::error_code ignored;
  for (const auto &entry : fs::directory_iterator(
           sysfs_root() + "/bus/pci/devices/" + bus_text(device) + "/hwmon", ignored))
    return entry.path();
  return {};
}

std::optional<double> number_in(const fs::path &file) {
  std::ifstream stream(file);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

std::optional<Clocks> clocks_in(const fs::path &file) {
  // "0: 132Mhz", "1: 2100Mhz *": the star is where it is now.
  std::ifstream stream(file);
  Clocks clocks;
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const double mhz = std::atof(line.c_str() + colon + 1);
    clocks.highest_mhz = std::max(clocks.highest_mhz, mhz);
    if (line.find('*') != std::string::npos) clocks.now_mhz = mhz;
  }
  if (clocks.highest_mhz == 0) return std::nullopt;
  return clocks;
}

}  // namespace bench_hip
