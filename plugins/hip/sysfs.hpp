// SPDX-License-Identifier: Apache-2.0
// Files of the kernel's driver for AMD's devices.
#pragma once
#include <bench/plugin_v1.h>

#include <filesystem>
#include <optional>

namespace bench_hip {

/// The folder with the device's sensors; empty if there is none.
std::filesystem::path hwmon_of(bench_device_v1 device);
std::optional<double> number_in(const std::filesystem::path &file);

struct Clocks {
  double now_mhz = 0, highest_mhz = 0;
};
/// Of a file pp_dpm_*.
std::optional<Clocks> clocks_in(const std::filesystem::path &file);

}  // namespace bench_hip
