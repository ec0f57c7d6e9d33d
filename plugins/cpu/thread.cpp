// SPDX-License-Identifier: Apache-2.0
// bench.cpu/1: pinning, and cycles by perf_event's user-space counter.
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "cpu.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench_cpu {
namespace {

std::string usable_cores_text(const cpu_set_t &set) {
  std::string text;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) text += (text.empty() ? "" : ", ") + std::to_string(core);
  }
  return text;
}

/// The set before the first pin, per thread: another thread's is none of our business.
thread_local cpu_set_t set_before_pin;
thread_local bool pinned = false;

bench_status pin(bench_instance_v1 *, std::uint32_t core, bench_error_v1 *error) {
  return guarded(error, "pin", [&] {
    cpu_set_t now;
    CPU_ZERO(&now);
    if (::sched_getaffinity(0, sizeof now, &now) != 0)
      throw Error(BENCH_ERROR_UNSUPPORTED, std::string("sched_getaffinity: ") + ::strerror(errno),
                  "run without pinning");
    const cpu_set_t &allowed = pinned ? set_before_pin : now;
    if (core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed)) {
      throw Error(
          BENCH_ERROR_INVALID_ARGUMENT,
          "core " + std::to_string(core) +
              " is not among those that this process may use: " + usable_cores_text(allowed),
          "name one of them");
    }
    if (!pinned) set_before_pin = now;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0)
      throw Error(BENCH_ERROR_NO_PERMISSION, std::string("sched_setaffinity: ") + ::strerror(errno),
                  "run without pinning");
    pinned = true;
  });
}

bench_status unpin(bench_instance_v1 *, bench_error_v1 *error) {
  return guarded(error, "unpin", [&] {
    if (!pinned) return;
    if (::sched_setaffinity(0, sizeof set_before_pin, &set_before_pin) != 0)
      throw Error(BENCH_ERROR_NO_PERMISSION, std::string("sched_setaffinity: ") + ::strerror(errno),
                  "none: the thread stays pinned");
    pinned = false;
  });
}

/// One thread's cycle counter, mapped so that reading it costs no system call.
class CycleCounter {
 public:
  CycleCounter() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    descriptor_ = static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (descriptor_ < 0) {
      error_ = errno;
      return;
    }
    void *page = ::mmap(nullptr, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), PROT_READ,
                        MAP_SHARED, descriptor_, 0);
    if (page != MAP_FAILED) page_ = static_cast<const volatile perf_event_mmap_page *>(page);
  }
  ~CycleCounter() {
    if (page_)
      ::munmap(const_cast<perf_event_mmap_page *>(page_),
               static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  CycleCounter(const CycleCounter &) = delete;  // owns descriptor and mapping
  CycleCounter &operator=(const CycleCounter &) = delete;

  std::uint64_t read() const {
    if (descriptor_ < 0) {
      std::string level;
      std::getline(std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> std::ws, level);
      const bool denied = error_ == EACCES || error_ == EPERM;
      throw Error(denied ? BENCH_ERROR_NO_PERMISSION : BENCH_ERROR_UNSUPPORTED,
                  std::string("no cycle counter: ") + ::strerror(error_) +
                      (level.empty() ? "" : "; kernel.perf_event_paranoid is " + level),
                  denied ? "set kernel.perf_event_paranoid to 2 or less"
                         : "virtual machines often have no counters; cycles are left out",
                  error_);
    }
#if defined(__x86_64__)
    // The kernel's protocol for the mapped page: retry if it was rewritten meanwhile.
    for (;;) {
      const std::uint32_t sequence = page_ ? page_->lock : 0;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      const std::uint32_t index = page_ ? page_->index : 0;
      if (!page_ || !page_->cap_user_rdpmc || index == 0) break;
      const std::int64_t offset = page_->offset;
      const unsigned shift = 64u - page_->pmc_width;
      const auto raw =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(__rdpmc(static_cast<int>(index - 1)))
                                    << shift) >>
          shift;
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      if (page_->lock == sequence) return static_cast<std::uint64_t>(offset + raw);
    }
#endif
    throw Error(BENCH_ERROR_UNSUPPORTED, "the counter cannot be read from user space here",
                "the kernel must allow rdpmc (/sys/devices/cpu/rdpmc); cycles are left out");
  }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  const volatile perf_event_mmap_page *page_ = nullptr;
};

bench_status read_cycles(bench_instance_v1 *, std::uint64_t *cycles, bench_error_v1 *error) {
  return guarded(error, "read_cycles", [&] {
    thread_local const CycleCounter counter;
    *cycles = counter.read();
  });
}

}  // namespace

const bench_ext_cpu_v1 cpu_extension = {sizeof(bench_ext_cpu_v1), 0, pin, unpin, read_cycles};

}  // namespace bench_cpu
