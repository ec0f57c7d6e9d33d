// SPDX-License-Identifier: Apache-2.0
// device_list and device_info.
#include <cmath>
#include <cstring>
#include <set>

#include "plugin.hpp"

namespace check {
namespace {

struct Listed {
  explicit Listed(const Options &options)
      : plugin(options), instance(plugin), devices(list_devices(plugin, instance.get())) {}
  bench_device_info_v1 info(bench_device_v1 device) const {
    bench_error_v1 error = new_error();
    bench_device_info_v1 result{};
    result.struct_size = sizeof result;
    require_good("device_info", plugin.api().device_info(instance.get(), device, &result, &error),
                 error);
    return result;
  }
  Plugin plugin;
  Instance instance;
  std::vector<bench_device_v1> devices;
};

void failure_is_told(const Options &options) {
  const Plugin plugin(options);
  const Instance instance(plugin);
  bench_error_v1 error = new_error();
  std::uint32_t count = 0;
  const bench_status status = plugin.api().device_list(instance.get(), nullptr, 0, &count, &error);
  if (status != BENCH_OK) require_error_filled("device_list", status, error);
}

void count_only(const Options &options) {
  const Listed listed(options);
  bench_error_v1 error = new_error();
  std::uint32_t count = 0xdeadbeef;
  require_good("device_list",
               listed.plugin.api().device_list(listed.instance.get(), nullptr, 0, &count, &error),
               error);
  require(count == listed.devices.size(), "device_list with no room counts " +
                                              std::to_string(count) + " devices, with room " +
                                              std::to_string(listed.devices.size()));
}

void capacity(const Options &options) {
  const Listed listed(options);
  if (listed.devices.empty()) throw NotHere("no device here");
  bench_device_v1 two[2] = {{-7, -7}, {-7, -7}};
  std::uint32_t count = 0;
  bench_error_v1 error = new_error();
  require_good("device_list",
               listed.plugin.api().device_list(listed.instance.get(), two, 1, &count, &error),
               error);
  require(two[1].type == -7 && two[1].id == -7, "device_list wrote beyond the capacity given");
  require(std::memcmp(two, listed.devices.data(), sizeof two[0]) == 0,
          "device_list changes its order");
}

void distinct(const Options &options) {
  const Listed listed(options);
  std::set<std::pair<int, int>> seen;
  for (const bench_device_v1 device : listed.devices) {
    require(device.id >= 0, "a device has the id " + std::to_string(device.id));
    require(seen.insert({device.type, device.id}).second,
            "device " + std::to_string(device.id) + " is listed twice");
    bool known = false;
    for (std::uint32_t i = 0; i < listed.plugin.api().class_count; ++i)
      known = known || listed.plugin.api().classes[i]->device_type == device.type;
    require(known, "a device has type " + std::to_string(device.type) +
                       ", which none of the plugin's classes has");
  }
}

void info(const Options &options) {
  const Listed listed(options);
  if (listed.devices.empty()) throw NotHere("no device here");
  for (const bench_device_v1 device : listed.devices) {
    const bench_device_info_v1 told_info = listed.info(device);
    require(told_info.device.type == device.type && told_info.device.id == device.id,
            "device_info tells of another device");
    require(std::memchr(told_info.name, 0, sizeof told_info.name) && told_info.name[0],
            "a device has no name");
    require(std::memchr(told_info.class_name, 0, sizeof told_info.class_name) != nullptr,
            "class_name has no terminating zero");
    bool known = false;
    for (std::uint32_t i = 0; i < listed.plugin.api().class_count; ++i)
      known = known || std::strcmp(listed.plugin.api().classes[i]->name, told_info.class_name) == 0;
    require(known, std::string("class_name '") + told_info.class_name +
                       "' is none of the plugin's classes");
    require(told_info.state == BENCH_OK || told_info.reason[0],
            "a device is not usable and does not say why");
    for (const double value : {told_info.timer_resolution_ns, told_info.timer_wrap_ns,
                               told_info.peak_bytes_per_second, told_info.peak_flops_per_second})
      require(std::isfinite(value) && value >= 0,
              "a number of device_info is negative or not finite; 0 = unknown");
  }
}

void info_larger(const Options &options) {
  const Bed bed(options);
  constexpr std::size_t later_bytes = 64;
  struct {
    bench_device_info_v1 info;
    unsigned char later[later_bytes];
  } larger{};
  larger.info.struct_size = sizeof larger;
  bench_error_v1 error = new_error();
  require_good("device_info",
               bed.plugin.api().device_info(bed.instance.get(), bed.device, &larger.info, &error),
               error);
  require(larger.info.struct_size == sizeof larger,
          "device_info wrote struct_size, which is the caller's");
  for (const unsigned char byte : larger.later)
    require(byte == 0, "device_info wrote beyond what it knows");
}

void info_small(const Options &options) {
  const Bed bed(options);
  bench_device_info_v1 small;
  std::memset(&small, 0x5a, sizeof small);
  small.struct_size = 8;
  bench_error_v1 error = new_error();
  const bench_status status =
      bed.plugin.api().device_info(bed.instance.get(), bed.device, &small, &error);
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&small);
  for (std::size_t at = 8; at < sizeof small; ++at)
    require(bytes[at] == 0x5a,
            "device_info wrote byte " + std::to_string(at) + " of a struct of 8 bytes");
  require(status == BENCH_ERROR_INVALID_ARGUMENT, "a struct below its 1.0 size gave " +
                                                      std::to_string(status) +
                                                      ", expected INVALID_ARGUMENT (-13)");
}

void unknown_device(const Options &options) {
  const Bed bed(options);
  for (const bench_device_v1 wrong :
       {bench_device_v1{bed.device.type, 999999}, bench_device_v1{bed.device.type, -1},
        bench_device_v1{bed.device.type + 1000, 0}}) {
    bench_error_v1 error = new_error();
    bench_device_info_v1 result{};
    result.struct_size = sizeof result;
    const bench_status status =
        bed.plugin.api().device_info(bed.instance.get(), wrong, &result, &error);
    require(status == BENCH_ERROR_NO_DEVICE, "device_info of a device that is not listed gave " +
                                                 std::to_string(status) +
                                                 ", expected NO_DEVICE (-7)");
    require_error_filled("device_info", status, error);
    // `error` may be NULL.
    bed.plugin.api().device_info(bed.instance.get(), wrong, &result, nullptr);
  }
}

void error_untouched(const Options &options) {
  const Bed bed(options);
  bench_error_v1 error;
  std::memset(&error, 0x5a, sizeof error);
  error.struct_size = sizeof error;
  const bench_error_v1 before = error;
  bench_device_info_v1 result{};
  result.struct_size = sizeof result;
  require_good("device_info",
               bed.plugin.api().device_info(bed.instance.get(), bed.device, &result, &error),
               before);
  require(std::memcmp(&before, &error, sizeof error) == 0,
          "a call that succeeded wrote into the error");
}

}  // namespace

const std::vector<Check> &device_checks() {
  static const std::vector<Check> checks = {
      {"device.failure_is_told", "A device_list that fails says what is missing.", failure_is_told},
      {"device.count_only", "device_list with no room counts all devices and is no error.",
       count_only},
      {"device.capacity", "device_list writes within its capacity, in the same order each time.",
       capacity},
      {"device.distinct", "Ids are not negative, devices distinct and of the plugin's own classes.",
       distinct},
      {"device.info",
       "device_info is complete, terminated, of a known class, and has no invented numbers.", info},
      {"device.info_larger", "A larger device_info struct is filled as far as it is known.",
       info_larger},
      {"device.info_small",
       "A struct below its 1.0 size is refused, and nothing beyond it is written.", info_small},
      {"device.unknown",
       "A device that is not listed is NO_DEVICE, with and without an error struct.",
       unknown_device},
      {"device.error_untouched", "A call that succeeds leaves the error struct as it was.",
       error_untouched},
  };
  return checks;
}

}  // namespace check
