// SPDX-License-Identifier: Apache-2.0
// Many times, twice at once, and in a forked child.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "plugin.hpp"

namespace check {
namespace {

std::size_t entries(const char *folder) {
  std::size_t count = 0;
  DIR *open_folder = opendir(folder);
  if (!open_folder) throw NotHere(std::string(folder) + " cannot be read");
  while (readdir(open_folder)) ++count;
  closedir(open_folder);
  return count;
}

std::size_t resident_bytes() {
  FILE *file = std::fopen("/proc/self/statm", "r");
  unsigned long total = 0, resident = 0;
  const int read = file ? std::fscanf(file, "%lu %lu", &total, &resident) : 0;
  if (file) std::fclose(file);
  if (read != 2) throw NotHere("/proc/self/statm cannot be read");
  return resident * std::size_t(sysconf(_SC_PAGESIZE));
}

void probe_once(const Plugin &plugin) {
  const Instance instance(plugin);
  bench_error_v1 error = new_error();
  std::uint32_t count = 0;
  plugin.api().device_list(instance.get(), nullptr, 0, &count, &error);
}

constexpr int many = 1000;

void descriptors(const Options &options) {
  const Plugin plugin(options);
  probe_once(plugin);
  const std::size_t files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  for (int i = 0; i < many; ++i) probe_once(plugin);
  constexpr std::size_t slack = 4;  // a driver may open one more in its own time
  require(entries("/proc/self/fd") <= files + slack, "1000 instances left descriptors open");
  require(entries("/proc/self/task") <= threads + slack, "1000 instances left threads");
}

void memory(const Options &options) {
  const Plugin plugin(options);
  for (int i = 0; i < many; ++i) probe_once(plugin);
  const std::size_t before = resident_bytes();
  for (int i = 0; i < many; ++i) probe_once(plugin);
  constexpr std::size_t slack_bytes =
      1 << 20;  // a leak of 1 KiB an instance is seen, the allocator's play is not
  const std::size_t after = resident_bytes();
  require(after <= before + slack_bytes,
          "1000 instances left " + std::to_string((after - before) >> 10) + " KiB");
}

void two_instances(const Options &options) {
  const Plugin plugin(options);
  const Instance one(plugin);
  {
    const Instance two(plugin);
    require(!plugin.api().open || one.get() != two.get() || !one.get(),
            "two open calls made one instance");
    list_devices(plugin, two.get());
  }
  list_devices(plugin, one.get());
}

void two_threads(const Options &options) {
  const Plugin plugin(options);
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) probe_once(plugin);
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

void forked_child(const Options &options) {
  const Bed bed(options);
  bench_error_v1 error = new_error();
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  require_good("device_info",
               bed.plugin.api().device_info(bed.instance.get(), bed.device, &info, &error), error);
  const pid_t child = fork();
  if (child == 0) {
    std::uint32_t count = 0;
    _exit(bed.plugin.api().device_list(bed.instance.get(), nullptr, 0, &count, &error) ==
                  BENCH_ERROR_UNSUPPORTED
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  require(!WIFSIGNALED(status), "device_list in a forked child crashed");
  if (WEXITSTATUS(status) == 0) return;
  const std::string text = "in a forked child device_list is not UNSUPPORTED (-5)";
  // Launches on the calling thread have no driver's threads that a fork could lose.
  if (info.flags & BENCH_DEVICE_FLAG_SYNCHRONOUS)
    throw Doubtful(text +
                   "; the device says that launches run on the calling thread, so nothing is lost");
  throw Broken(text);
}

void bad_option(const Options &options) {
  const Plugin plugin(options);
  if (!plugin.api().open) throw NotHere("it has no open");
  const char *keys[] = {"org.example.nobody"}, *values[] = {"1"};
  const bench_options_v1 strange = {sizeof(bench_options_v1), 1, keys, values};
  bench_instance_v1 *instance = nullptr;
  bench_error_v1 error = new_error();
  require_good("open with an unknown option",
               plugin.api().open(quiet_host(), &strange, &instance, &error), error);
  plugin.api().close(instance);
}

}  // namespace

const std::vector<Check> &lifecycle_checks() {
  static const std::vector<Check> checks = {
      {"lifecycle.descriptors", "1000 instances leave no descriptors and no threads.", descriptors},
      {"lifecycle.memory", "1000 instances leave no memory.", memory},
      {"lifecycle.two_instances", "Two instances live side by side.", two_instances},
      {"lifecycle.two_threads", "Two threads open, list and close at once.", two_threads},
      {"lifecycle.forked_child",
       "In a child forked after the first listing, device functions are UNSUPPORTED.",
       forked_child},
      {"lifecycle.unknown_option", "An unknown option is no error.", bad_option},
  };
  return checks;
}

}  // namespace check
