// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 in software, of the devices of the libcuda.so.1 beside it. Energy is what
// that one's kernels took. BENCH_FAKE_NVML scripts it, as "name,...":
//   still         the energy counter does not move       no_permission   clocks may not be locked
//   old           no energy counter, no locked clocks    others          another process works on
//   it throttled     the power cap holds the clock down     lost            the device fell off the
//   bus
// BENCH_FAKE_NVML_LOG names a file that gets a line for each "lock MHZ" and "reset", also of a
// child.
#include <dlfcn.h>
#include <fcntl.h>
#include <nvml.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define FAKE_NVML_API extern "C" __attribute__((visibility("default"))) nvmlReturn_t

namespace {

constexpr unsigned clocks_mhz[] = {1980, 1500, 1005, 345};
constexpr unsigned most_mhz = 1980;
unsigned locked_mhz = 0;
pid_t started_in = 0;
using Clock = std::chrono::steady_clock;
const Clock::time_point started_at = Clock::now();

bool scripted(const char *word) {
  const char *all = std::getenv("BENCH_FAKE_NVML");
  return all &&
         (std::string(",") + all + ",").find(std::string(",") + word + ",") != std::string::npos;
}

/// Of several processes, in one write each.
void log(const char *text, std::size_t size) {
  const char *path = std::getenv("BENCH_FAKE_NVML_LOG");
  if (!path) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (::write(file, text, size) < 0) std::abort();
  ::close(file);
}

/// As seen on a driver 580: the calls of a forked child have no effect.
nvmlReturn_t enter() {
  if (started_in != ::getpid()) return NVML_ERROR_UNINITIALIZED;
  return scripted("lost") ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

}  // namespace

FAKE_NVML_API nvmlInit_v2() {
  started_in = ::getpid();
  return NVML_SUCCESS;
}
extern "C" __attribute__((visibility("default"))) const char *nvmlErrorString(nvmlReturn_t code) {
  switch (code) {
    case NVML_ERROR_NO_PERMISSION:
      return "Insufficient Permissions";
    case NVML_ERROR_GPU_IS_LOST:
      return "GPU is lost";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    default:
      return "an error of the stand-in";
  }
}
FAKE_NVML_API nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  // The driver's devices have UUIDs of one byte, 0x70 and the ordinal.
  if (std::strncmp(uuid, "GPU-7", 5) != 0) return NVML_ERROR_NOT_FOUND;
  *device = reinterpret_cast<nvmlDevice_t>(std::uintptr_t(uuid[5] - '0' + 1));
  return NVML_SUCCESS;
}
FAKE_NVML_API nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned size) {
  std::snprintf(uuid, size, "GPU-7%c",
                static_cast<char>('0' + reinterpret_cast<std::uintptr_t>(device) - 1));
  return enter();
}
FAKE_NVML_API nvmlDeviceGetClockInfo(nvmlDevice_t, nvmlClockType_t type, unsigned *mhz) {
  *mhz = type == NVML_CLOCK_MEM ? 3201 : locked_mhz ? locked_mhz : most_mhz;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetMaxClockInfo(nvmlDevice_t, nvmlClockType_t, unsigned *mhz) {
  *mhz = most_mhz;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned *celsius) {
  *celsius = 45;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned *milliwatts) {
  *milliwatts = 120'000;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t, unsigned *milliwatts) {
  *milliwatts = 700'000;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
                                                  unsigned long long *millijoules) {
  if (scripted("old")) return NVML_ERROR_NOT_SUPPORTED;
  // A little for as long as it is there, in real time, while its kernels take virtual time: enough
  // for the counter to move without work, and nothing beside them on a busy machine.
  constexpr double idle_watts = 0.05;
  const double idle_joules =
      idle_watts * std::chrono::duration<double>(Clock::now() - started_at).count();
  *millijoules = 1000;
  if (scripted("still")) return enter();
  static void *const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto joules = reinterpret_cast<double (*)(int)>(::dlsym(driver, "fake_cuda_joules"));
  const auto ordinal = static_cast<int>(reinterpret_cast<std::uintptr_t>(device)) - 1;
  *millijoules += static_cast<unsigned long long>((joules(ordinal) + idle_joules) * 1e3);
  return enter();
}
FAKE_NVML_API nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long *reasons) {
  *reasons = nvmlClocksThrottleReasonGpuIdle;
  if (scripted("throttled")) *reasons |= nvmlClocksThrottleReasonSwPowerCap;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned *count,
                                                      nvmlProcessInfo_t *processes) {
  *count = scripted("others") ? 2 : 1;
  std::memset(processes, 0, *count * sizeof *processes);
  processes[0].pid = static_cast<unsigned>(::getpid());
  if (*count == 2) processes[1].pid = 1;
  return enter();
}
FAKE_NVML_API nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t, unsigned *count, unsigned *mhz) {
  *count = 1;
  *mhz = 3201;
  return NVML_SUCCESS;
}
FAKE_NVML_API nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t, unsigned, unsigned *count,
                                                   unsigned *mhz) {
  *count = 0;
  for (const unsigned each : clocks_mhz) mhz[(*count)++] = each;
  return NVML_SUCCESS;
}
FAKE_NVML_API nvmlDeviceSetGpuLockedClocks(nvmlDevice_t, unsigned low, unsigned) {
  if (scripted("no_permission")) return NVML_ERROR_NO_PERMISSION;
  if (const nvmlReturn_t entered = enter(); entered != NVML_SUCCESS) return entered;
  char text[32];
  log(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "lock %u\n", low)));
  locked_mhz = low;
  return NVML_SUCCESS;
}
FAKE_NVML_API nvmlDeviceResetGpuLockedClocks(nvmlDevice_t) {
  if (const nvmlReturn_t entered = enter(); entered != NVML_SUCCESS) return entered;
  log("reset\n", 6);
  locked_mhz = 0;
  return NVML_SUCCESS;
}
