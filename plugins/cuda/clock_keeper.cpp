// SPDX-License-Identifier: Apache-2.0
// bench-cuda-clock-keeper SOCKET PARENT UUID MHZ: locks the clock of a GPU and gives it back when
// it is told to, or when PARENT has ended in whatever way: exit, a signal, a kill. A program of its
// own, since NVML's calls have no effect in a forked child: a keeper that was one left an H200 at
// the clock that was locked.
//
// Says on SOCKET "ok", or NVML's code and text, as one line.
#include <dlfcn.h>
#include <fcntl.h>
#include <nvml.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace {

// One that just lost its parent needs less to give the clock back.
constexpr int patience_ms = 3000;
constexpr int retry_ms = 20;

template <typename Function>
Function *find(void *library, const char *name) {
  return reinterpret_cast<Function *>(::dlsym(library, name));
}

void say(int socket, int code, const std::string &text) {
  const std::string line = code == 0 ? "ok\n" : std::to_string(code) + " " + text + "\n";
  ::send(socket, line.data(), line.size(), MSG_NOSIGNAL);
}

/// Signals that end the parent must not end this before it has done its work, and nobody may wait
/// for the end of an output that it holds open.
void detach(int socket) {
  ::setsid();
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int number : {0, 1, 2}) ::dup2(nothing, number);
  for (long number = ::sysconf(_SC_OPEN_MAX) < 4096 ? ::sysconf(_SC_OPEN_MAX) : 4096; number > 2;
       --number)
    if (number != socket) ::close(static_cast<int>(number));
}

/// Two at once would give back what the other has locked. A name in the abstract namespace goes
/// with its process.
bool is_only_one(const std::string &uuid) {
  static const int mine = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = "bench-cuda-clock-" + uuid;
  text.copy(name.sun_path + 1, sizeof name.sun_path - 2);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  for (int waited = 0; waited <= patience_ms; waited += retry_ms) {
    if (::bind(mine, reinterpret_cast<sockaddr *>(&name), size) == 0) return true;
    ::poll(nullptr, 0, retry_ms);
  }
  return false;
}

/// Returns when the clock is to be given back.
void wait_for_end(int socket, pid_t parent) {
  // By the kernel's own word where it has one: the socket alone would not do, since children that
  // the application forks hold it open for as long as they live.
  int watched = -1;
#ifdef SYS_pidfd_open
  watched = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
#endif
  if (::getppid() != parent) return;  // gone already: the number may be another's by now
  pollfd waits[] = {{socket, POLLIN, 0}, {watched, POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  const int socket = std::atoi(argv[1]);
  detach(socket);
  void *library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return say(socket, NVML_ERROR_LIBRARY_NOT_FOUND, ::dlerror()), 1;
  const auto start = find<decltype(::nvmlInit_v2)>(library, "nvmlInit_v2");
  const auto text = find<decltype(::nvmlErrorString)>(library, "nvmlErrorString");
  const auto by_uuid =
      find<decltype(::nvmlDeviceGetHandleByUUID)>(library, "nvmlDeviceGetHandleByUUID");
  const auto lock =
      find<decltype(::nvmlDeviceSetGpuLockedClocks)>(library, "nvmlDeviceSetGpuLockedClocks");
  const auto unlock =
      find<decltype(::nvmlDeviceResetGpuLockedClocks)>(library, "nvmlDeviceResetGpuLockedClocks");
  if (!start || !text || !by_uuid || !lock || !unlock)
    return say(socket, NVML_ERROR_FUNCTION_NOT_FOUND, "this NVML cannot lock clocks"), 1;
  if (!is_only_one(argv[3]))
    return say(socket, NVML_ERROR_IN_USE, "another process holds this device's clock locked"), 1;
  nvmlDevice_t device = nullptr;
  nvmlReturn_t result = start();
  if (result == NVML_SUCCESS) result = by_uuid(argv[3], &device);
  const auto mhz = static_cast<unsigned>(std::atoi(argv[4]));
  if (result == NVML_SUCCESS) result = lock(device, mhz, mhz);
  if (result != NVML_SUCCESS) return say(socket, result, text(result)), 1;
  say(socket, 0, "");
  wait_for_end(socket, static_cast<pid_t>(std::atol(argv[2])));
  return unlock(device) == NVML_SUCCESS ? 0 : 1;
}
