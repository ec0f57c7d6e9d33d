// SPDX-License-Identifier: Apache-2.0
// A locked clock outlives the process that locked it: a program that dies would leave a slow device
// to everybody. So a child process waits, and gives the clock back when its parent has ended in
// whatever way: exit, a signal, a kill. Who unlocks or closes does it himself and sends the child
// home: NVML promises nothing for a forked child, which is good enough for an emergency alone.
#include "clock_lock.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
  nvmlDevice_t handle;
  int keeper_socket;
  pid_t keeper;
  pid_t owner;
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

/// Its end, by the kernel's own word. The socket alone would not do: children that the application
/// forks hold it open for as long as they live.
int watch_process(pid_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
  (void)process;
  return -1;
#endif
}

/// True: sent home. False: the parent is gone.
bool is_dismissed(int socket, int parent) {
  pollfd waits[] = {{socket, POLLIN, 0}, {parent, POLLIN, 0}};  // a negative one is left out
  while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
  char byte;
  return (waits[0].revents & POLLIN) && ::read(socket, &byte, 1) == 1;
}

/// Only async-signal-safe calls between fork and the end of the wait.
pid_t start_keeper(const Nvml &library, nvmlDevice_t device, int socket, int parents_end) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::close(parents_end);
  // What ends the parent by a key on the terminal must not end the keeper before it has done its
  // work.
  ::setsid();
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  const int watched = watch_process(parent);
  // Gone before it was watched: the number may belong to another by now.
  const bool orphan = ::getppid() != parent;
  if (!orphan && is_dismissed(socket, watched)) ::_exit(0);
  ::_exit(library.nvmlDeviceResetGpuLockedClocks(device) == NVML_SUCCESS ? 0 : 1);
}

void dismiss(const Lock &lock) {
  const char byte = 0;
  // No signal where somebody killed the keeper.
  while (::send(lock.keeper_socket, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  ::close(lock.keeper_socket);
  int status = 0;
  while (::waitpid(lock.keeper, &status, 0) < 0 && errno == EINTR) {
  }
}

/// The keeper goes only when the clock is back: a kill in between finds it waiting.
nvmlReturn_t release(const Lock &lock) {
  if (lock.owner != ::getpid()) {  // a forked child ends: the clock is its parent's
    ::close(lock.keeper_socket);
    return NVML_SUCCESS;
  }
  const nvmlReturn_t result = nvml().nvmlDeviceResetGpuLockedClocks(lock.handle);
  dismiss(lock);
  return result;
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
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no socket for the clock's keeper",
                  "raise the limit of open files");
    const pid_t keeper = start_keeper(library, handle, ends[0], ends[1]);
    ::close(ends[0]);
    if (keeper < 0) {
      ::close(ends[1]);
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no process for the clock's keeper",
                  "raise the limit of processes");
    }
    const Lock lock{instance, device.id, handle, ends[1], keeper, ::getpid()};
    const nvmlReturn_t result = library.nvmlDeviceSetGpuLockedClocks(handle, mhz, mhz);
    if (result != NVML_SUCCESS) {
      dismiss(lock);
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
      const nvmlReturn_t result = release(*lock);
      locks().erase(lock);
      check(result, "unlock the clock");
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
