// SPDX-License-Identifier: Apache-2.0
// A locked clock outlives the process that locked it: a program that dies would leave a slow device
// to everybody. So a child process waits at a pipe and gives the clock back when the last writer is
// gone, however that came: unlock, close, exit, a signal, a kill.
#include "clock_lock.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "nvml.hpp"

namespace bench_cuda {
namespace {

constexpr double hz_per_mhz = 1e6;
constexpr unsigned most_clocks = 512;

struct Lock {
  bench_instance_v1 *instance;
  std::int32_t device;
  int keeper_pipe;
  pid_t keeper;
};

std::mutex mutex;
std::vector<Lock> &locks() {
  static std::vector<Lock> all;
  return all;
}

/// The nearest clock that the device has.
unsigned supported_clock(const Nvml &library, nvmlDevice_t device, unsigned wanted_mhz) {
  if (!library.nvmlDeviceGetSupportedMemoryClocks || !library.nvmlDeviceGetSupportedGraphicsClocks)
    return wanted_mhz;
  unsigned memory[most_clocks], clocks[most_clocks];
  unsigned memories = most_clocks, count = most_clocks;
  if (library.nvmlDeviceGetSupportedMemoryClocks(device, &memories, memory) != NVML_SUCCESS ||
      memories == 0 ||
      library.nvmlDeviceGetSupportedGraphicsClocks(device, memory[0], &count, clocks) !=
          NVML_SUCCESS ||
      count == 0)
    return wanted_mhz;
  unsigned best = clocks[0];
  for (unsigned i = 1; i < count; ++i)
    if (std::abs(double(clocks[i]) - wanted_mhz) < std::abs(double(best) - wanted_mhz))
      best = clocks[i];
  return best;
}

/// Only async-signal-safe calls between fork and the keeper's wait; NVML was started before, and
/// its handles are plain ioctls, which a child may use.
pid_t start_keeper(const Nvml &library, nvmlDevice_t device, int read_end, int write_end) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::close(write_end);
  // What ends the parent by a key on the terminal must not end the keeper before it has done its
  // work.
  ::setsid();
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  char byte;
  while (::read(read_end, &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(library.nvmlDeviceResetGpuLockedClocks(device) == NVML_SUCCESS ? 0 : 1);
}

/// The keeper does the work, so that there is one way only.
void release(const Lock &lock) {
  // A byte, since a child that the application forked may hold the pipe open as well.
  const char byte = 0;
  while (::write(lock.keeper_pipe, &byte, 1) < 0 && errno == EINTR) {
  }
  ::close(lock.keeper_pipe);
  int status = 0;
  while (::waitpid(lock.keeper, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

bench_status lock_clock(bench_instance_v1 *instance, bench_device_v1 device, double *clock_hz,
                        bench_error_v1 *error) {
  return guarded(error, "lock_clock", [&] {
    instance->check_process();
    const Nvml &library = nvml();
    if (!library.nvmlDeviceSetGpuLockedClocks || !library.nvmlDeviceResetGpuLockedClocks)
      throw Error(BENCH_ERROR_UNSUPPORTED, "this NVML cannot lock clocks", "update the driver");
    if (!(*clock_hz > 0.0) || !std::isfinite(*clock_hz))
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "a clock of " + std::to_string(*clock_hz) + " Hz",
                  "give a positive one, such as 1.2e9");
    const nvmlDevice_t handle = nvml_device(*instance, device);
    const unsigned mhz = supported_clock(
        library, handle, static_cast<unsigned>(std::lround(*clock_hz / hz_per_mhz)));
    unlock_clock(instance, device, nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no pipe for the clock's keeper",
                  "raise the limit of open files");
    const pid_t keeper = start_keeper(library, handle, ends[0], ends[1]);
    ::close(ends[0]);
    if (keeper < 0) {
      ::close(ends[1]);
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no process for the clock's keeper",
                  "raise the limit of processes");
    }
    const Lock lock{instance, device.id, ends[1], keeper};
    const nvmlReturn_t result = library.nvmlDeviceSetGpuLockedClocks(handle, mhz, mhz);
    if (result != NVML_SUCCESS) {
      release(lock);
      check(result, "lock the clock at " + std::to_string(mhz) + " MHz");
    }
    const std::lock_guard guard(mutex);
    locks().push_back(lock);
    *clock_hz = mhz * hz_per_mhz;
  });
}

bench_status unlock_clock(bench_instance_v1 *instance, bench_device_v1 device,
                          bench_error_v1 *error) {
  return guarded(error, "unlock_clock", [&] {
    const std::lock_guard guard(mutex);
    for (auto lock = locks().begin(); lock != locks().end(); ++lock) {
      if (lock->instance != instance || lock->device != device.id) continue;
      release(*lock);
      locks().erase(lock);
      return;
    }
  });
}

void release_clock_locks(bench_instance_v1 &instance) {
  const std::lock_guard guard(mutex);
  for (auto lock = locks().begin(); lock != locks().end();) {
    if (lock->instance == &instance) {
      release(*lock);
      lock = locks().erase(lock);
    } else {
      ++lock;
    }
  }
}

}  // namespace bench_cuda
