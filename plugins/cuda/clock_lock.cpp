// SPDX-License-Identifier: Apache-2.0
// A locked clock outlives the process that locked it: a program that dies would leave a slow device
// to everybody. So another program locks it, and gives it back: see clock_keeper.cpp.
#include "clock_lock.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <vector>

#include "nvml.hpp"

extern char **environ;

namespace bench_cuda {
namespace {

constexpr double hz_per_mhz = 1e6;
constexpr unsigned most_clocks = 512;
constexpr const char *keeper_name = "bench-cuda-clock-keeper";
// It starts NVML anew, which takes tenths of a second, and may wait for one that is about to end.
constexpr int keeper_patience_ms = 15'000;

struct Lock {
  bench_instance_v1 *instance;
  std::int32_t device;
  nvmlDevice_t handle;
  int socket;
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

/// Beside this plugin.
std::string keeper_path() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void *>(&keeper_name), &self) == 0 || !self.dli_fname)
    throw Error(BENCH_ERROR_INTERNAL, "the plugin's own file cannot be found", "report this");
  const auto path = std::filesystem::path(self.dli_fname).parent_path() / keeper_name;
  if (::access(path.c_str(), X_OK) != 0)
    throw Error(
        BENCH_ERROR_UNSUPPORTED,
        path.string() + " is not there: nothing would unlock the clock if this process died",
        "install it beside the plugin");
  return path.string();
}

pid_t start_keeper(const std::string &path, int socket, const std::string &uuid, unsigned mhz) {
  // To itself: that clears the close-on-exec flag in the child alone.
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, socket, socket);
  std::string words[] = {keeper_name, std::to_string(socket), std::to_string(::getpid()), uuid,
                         std::to_string(mhz)};
  char *arguments[6] = {};
  for (int i = 0; i < 5; ++i) arguments[i] = words[i].data();
  pid_t keeper = -1;
  const int failed = ::posix_spawn(&keeper, path.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? keeper : -1;
}

/// Its one line.
std::string answer_of(int socket) {
  std::string line;
  char byte = 0;
  pollfd wait{socket, POLLIN, 0};
  while (byte != '\n') {
    const int ready = ::poll(&wait, 1, keeper_patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || ::recv(socket, &byte, 1, 0) != 1) return "";
    line += byte;
  }
  line.pop_back();
  return line;
}

/// Whether it said by its end that the clock is back.
bool dismiss(const Lock &lock) {
  const char byte = 0;
  // No signal where somebody killed the keeper.
  while (::send(lock.socket, &byte, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  ::close(lock.socket);
  int status = 0;
  while (::waitpid(lock.keeper, &status, 0) < 0)
    if (errno != EINTR) return false;
  return status == 0;
}

/// Throws what the keeper said.
[[noreturn]] void refuse(const std::string &answer, unsigned mhz) {
  const std::string what = "lock the clock at " + std::to_string(mhz) + " MHz";
  const int code = std::atoi(answer.c_str());
  if (code == NVML_ERROR_IN_USE)
    throw Error(BENCH_ERROR_BUSY, what + ": another process holds this device's clock locked",
                "wait until it has ended");
  if (code != NVML_SUCCESS) check(static_cast<nvmlReturn_t>(code), what);
  throw Error(BENCH_ERROR_INTERNAL, what + ": " + keeper_name + " does not answer",
              "see whether `nvidia-smi` works");
}

nvmlReturn_t release(const Lock &lock) {
  if (lock.owner != ::getpid()) {  // a forked child ends: the clock is its parent's
    ::close(lock.socket);
    return NVML_SUCCESS;
  }
  return dismiss(lock) ? NVML_SUCCESS : nvml().nvmlDeviceResetGpuLockedClocks(lock.handle);
}

}  // namespace

bench_status lock_clock(bench_instance_v1 *instance, bench_device_v1 device, double *clock_hz,
                        bench_error_v1 *error) {
  return guarded(error, "lock_clock", [&] {
    instance->check_process();
    const Nvml &library = nvml();
    if (!library.nvmlDeviceSetGpuLockedClocks || !library.nvmlDeviceResetGpuLockedClocks ||
        !library.nvmlDeviceGetUUID)
      throw Error(BENCH_ERROR_UNSUPPORTED, "this NVML cannot lock clocks", "update the driver");
    if (!(*clock_hz > 0.0) || !std::isfinite(*clock_hz))
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, "a clock of " + std::to_string(*clock_hz) + " Hz",
                  "give a positive one, such as 1.2e9");
    const nvmlDevice_t handle = nvml_device(*instance, device);
    const unsigned mhz = supported_clock(
        library, handle, static_cast<unsigned>(std::lround(*clock_hz / hz_per_mhz)));
    unlock_clock(instance, device, nullptr);
    const std::string path = keeper_path();
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "";
    check(library.nvmlDeviceGetUUID(handle, uuid, sizeof uuid), "read the device's UUID");
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "no socket for the clock's keeper",
                  "raise the limit of open files");
    const pid_t keeper = start_keeper(path, ends[1], uuid, mhz);
    ::close(ends[1]);
    if (keeper < 0) {
      ::close(ends[0]);
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, path + " cannot be started",
                  "raise the limit of processes");
    }
    const Lock lock{instance, device.id, handle, ends[0], keeper, ::getpid()};
    const std::string answer = answer_of(ends[0]);
    if (answer != "ok") {
      if (answer.empty()) ::kill(keeper, SIGKILL);  // it hangs, before it could lock
      dismiss(lock);
      refuse(answer, mhz);
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
