// SPDX-License-Identifier: Apache-2.0
// Who this processor is.
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "cpu.hpp"

namespace bench_cpu {
namespace {

std::string first_line(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0 || line.rfind("Model", 0) == 0) {
      const auto colon = line.find(':');
      if (colon != std::string::npos) return line.substr(line.find_first_not_of(" \t", colon + 1));
    }
  }
  return "CPU";
}

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

/// The psABI's levels: what a compiler may assume under -march=native, roughly, and the same on
/// equal chips.
std::string architecture() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return "x86-64-v4";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2"))
    return "x86-64-v3";
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) return "x86-64-v2";
  return "x86-64";
#else
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
#endif
}

std::uint64_t size_of(const std::string &text) {
  if (text.empty()) return 0;
  std::uint64_t value = 0;
  std::size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9')
    value = value * 10 + static_cast<std::uint64_t>(text[at++] - '0');
  if (at < text.size() && text[at] == 'K') value <<= 10;
  if (at < text.size() && text[at] == 'M') value <<= 20;
  return value;
}

/// Of the machine and its model: the same across boots, another on another machine. FNV-1a twice.
void make_uuid(const std::string &model, std::uint8_t (&uuid)[16]) {
  const std::string text = first_line("/etc/machine-id") + "|" + model;
  for (int half = 0; half < 2; ++half) {
    std::uint64_t hash = 0xcbf29ce484222325u + static_cast<std::uint64_t>(half);
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::memcpy(uuid + 8 * half, &hash, sizeof hash);
  }
}

}  // namespace

std::uint64_t last_level_cache_bytes() {
  std::uint64_t total = 0;
  std::set<std::string> seen;  // a shared cache is listed under each of its cores
  for (const int core : usable_cores()) {
    const std::string base = "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index";
    std::uint64_t size = 0, level = 0;
    std::string sharers;
    for (int index = 0; index < 8; ++index) {
      const std::string folder = base + std::to_string(index) + "/";
      const std::string type = first_line(folder + "type");
      const std::uint64_t this_level = size_of(first_line(folder + "level"));
      if (type == "Instruction" || this_level <= level) continue;
      level = this_level;
      size = size_of(first_line(folder + "size"));
      sharers = first_line(folder + "shared_cpu_list");
    }
    if (size > 0 && seen.insert(std::to_string(level) + ":" + sharers).second) total += size;
  }
  if (total == 0) {
    const long l3 = ::sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    total = static_cast<std::uint64_t>(l3 > 0 ? l3 : l2 > 0 ? l2 : 0);
  }
  return total;
}

bench_status device_list(bench_instance_v1 *, bench_device_v1 *devices, std::uint32_t capacity,
                         std::uint32_t *count, bench_error_v1 *) {
  *count = 1;
  if (capacity > 0) devices[0] = {BENCH_DEVICE_CPU, device_id};
  return BENCH_OK;
}

bench_status device_info(bench_instance_v1 *, bench_device_v1 device, bench_device_info_v1 *info,
                         bench_error_v1 *error) {
  return guarded(error, "device_info", [&] {
    check_device(device);
    const std::string model = model_name();
    bench_device_info_v1 full{};
    full.state = BENCH_OK;
    full.device = device;
    make_uuid(model, full.uuid);
    bench::plugin::copy_text(full.class_name, "cpu");
    bench::plugin::copy_text(full.name, model);
    bench::plugin::copy_text(full.architecture, architecture());
    utsname kernel{};
    if (::uname(&kernel) == 0)
      bench::plugin::copy_text(full.driver_version,
                               std::string(kernel.sysname) + " " + kernel.release);
    full.memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    full.last_level_cache_bytes = last_level_cache_bytes();
    full.compute_units = static_cast<std::uint32_t>(usable_cores().size());
    full.flags = BENCH_DEVICE_FLAG_INTEGRATED | BENCH_DEVICE_FLAG_SYNCHRONOUS;
    full.timer_resolution_ns =
        1.0;  // what CLOCK_MONOTONIC counts in; the engine measures what it really does
    bench::plugin::store_info(info, full);
  });
}

}  // namespace bench_cpu
