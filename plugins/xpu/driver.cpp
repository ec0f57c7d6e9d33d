// SPDX-License-Identifier: Apache-2.0
// Starting Level Zero, and who is there.
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <bench/plugin/captured_stdout.hpp>
#include <bench/plugin/fork_count.hpp>
#include <cstdio>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

constexpr std::uint32_t oldest_api = ZE_MAKE_VERSION(1, 0);
constexpr std::uint32_t no_queue_group = UINT32_MAX;

bench::plugin::DriverProcess process;

/// Why a driver may have found nothing: what the kernel shows.
Error no_driver(ze_result_t result) {
  std::string nodes;
  bool usable = false;
  if (DIR *folder = ::opendir("/dev/dri")) {
    while (const dirent *entry = ::readdir(folder)) {
      const std::string name = entry->d_name;
      if (name.rfind("renderD", 0) != 0) continue;
      nodes += (nodes.empty() ? "" : ", ") + name;
      usable = usable || ::access(("/dev/dri/" + name).c_str(), R_OK | W_OK) == 0;
    }
    ::closedir(folder);
  }
  const ResultText text = describe(result);
  const auto code = static_cast<std::int64_t>(result);
  // Most machines: nothing is wrong with them, so that the words stay calm.
  if (nodes.empty()) {
    char number[32];
    std::snprintf(number, sizeof number, "0x%08x", static_cast<unsigned>(result));
    return Error(
        BENCH_ERROR_NO_DRIVER,
        std::string("no GPU here: the kernel shows no /dev/dri/renderD*, and zeInit says ") +
            number,
        "with a GPU: load its kernel driver (i915, xe) and install the Level Zero driver "
        "(Debian: intel-opencl-icd)",
        code, text.name);
  }
  const std::string what = std::string("zeInit failed: ") + text.name;
  if (!usable)
    return Error(BENCH_ERROR_NO_PERMISSION, what + "; this user may not open " + nodes,
                 "join the group that owns /dev/dri/renderD* (usually render)", code, text.name);
  return Error(text.status, what + "; the kernel shows " + nodes, text.hint, code, text.name);
}

std::string version_text(std::uint32_t version) {
  return std::to_string(ZE_MAJOR_VERSION(version)) + "." +
         std::to_string(ZE_MINOR_VERSION(version));
}

template <typename Handle, typename List>
std::vector<Handle> handles(List &&list) {
  std::uint32_t count = 0;
  list(&count, static_cast<Handle *>(nullptr));
  std::vector<Handle> all(count);
  if (count > 0) list(&count, all.data());
  all.resize(count);
  return all;
}

std::vector<std::string> extensions_of(ze_driver_handle_t driver) {
  const Functions &ze = functions();
  std::uint32_t count = 0;
  std::vector<std::string> names;
  if (ze.zeDriverGetExtensionProperties(driver, &count, nullptr) != ZE_RESULT_SUCCESS) return names;
  std::vector<ze_driver_extension_properties_t> all(count);
  if (count > 0 &&
      ze.zeDriverGetExtensionProperties(driver, &count, all.data()) != ZE_RESULT_SUCCESS)
    count = 0;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(all[i].name);
  return names;
}

std::unique_ptr<Device> make_device(ze_driver_handle_t driver, ze_device_handle_t handle,
                                    ze_api_version_t version) {
  auto device = std::make_unique<Device>();
  device->driver = driver;
  device->handle = handle;
  device->api_version = version;
  const auto extensions = extensions_of(driver);
  device->can_defer_free =
      functions().zeMemFreeExt && std::find(extensions.begin(), extensions.end(),
                                            ZE_MEMORY_FREE_POLICIES_EXT_NAME) != extensions.end();
  read_facts(*device);
  return device;
}

bool is_gpu(ze_device_handle_t handle) {
  ze_device_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  check(functions().zeDeviceGetProperties(handle, &properties), "zeDeviceGetProperties", nullptr);
  return properties.type == ZE_DEVICE_TYPE_GPU;
}

std::vector<std::unique_ptr<Device>> enumerate(const bench_instance_v1 &instance) {
  const Functions &ze = functions();
  std::vector<std::unique_ptr<Device>> roots, parts;
  std::string too_old;
  const auto drivers = handles<ze_driver_handle_t>([&](std::uint32_t *count, auto *all) {
    check(ze.zeDriverGet(count, all), "zeDriverGet", nullptr);
  });
  for (const ze_driver_handle_t driver : drivers) {
    ze_api_version_t version{};
    check(ze.zeDriverGetApiVersion(driver, &version), "zeDriverGetApiVersion", nullptr);
    if (static_cast<std::uint32_t>(version) < oldest_api) {
      too_old = "a driver speaks Level Zero " + version_text(version) +
                ", the oldest supported is " + version_text(oldest_api);
      log(instance, BENCH_LOG_WARNING, too_old);
      continue;
    }
    for (const ze_device_handle_t handle :
         handles<ze_device_handle_t>([&](std::uint32_t *count, auto *all) {
           check(ze.zeDeviceGet(driver, count, all), "zeDeviceGet", nullptr);
         })) {
      if (!is_gpu(handle)) continue;  // a neural processor, say: not what class xpu means
      auto root = make_device(driver, handle, version);
      root->id = static_cast<std::int32_t>(roots.size());
      const auto subs = handles<ze_device_handle_t>([&](std::uint32_t *count, auto *all) {
        check(ze.zeDeviceGetSubDevices(handle, count, all), "zeDeviceGetSubDevices", nullptr);
      });
      for (std::size_t i = 0; i < subs.size(); ++i) {
        auto part = make_device(driver, subs[i], version);
        part->parent = root->id;
        part->part = static_cast<std::uint32_t>(i + 1);
        part->parts = static_cast<std::uint32_t>(subs.size());
        parts.push_back(std::move(part));
      }
      roots.push_back(std::move(root));
    }
  }
  if (roots.empty() && !too_old.empty())
    throw Error(BENCH_ERROR_NO_DRIVER, too_old, "update the GPU's driver");
  // Behind the roots, so that the roots' ids are those of frameworks that know no sub-devices.
  for (auto &part : parts) {
    part->id = static_cast<std::int32_t>(roots.size());
    roots.push_back(std::move(part));
  }
  return roots;
}

}  // namespace

void log(const bench_instance_v1 &instance, std::uint32_t level, const std::string &text) {
  const bench_host_v1 *host = instance.host;
  if (host && BENCH_HAS(host, log) && host->log) host->log(host->user, level, text.c_str());
}

void start(bench_instance_v1 &instance) {
  process.refuse_forked_child("Level Zero");
  if (instance.listed.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(instance.mutex);
  if (instance.listed.load(std::memory_order_relaxed)) return;
  const Functions &ze = functions();
  process.started();
  bench::plugin::CapturedStdout printed;
  const ze_result_t result = ze.zeInit(ZE_INIT_FLAG_GPU_ONLY);
  if (result == ZE_RESULT_SUCCESS) {
    instance.devices = enumerate(instance);
    instance.listed.store(true, std::memory_order_release);
  }
  if (const std::string text = printed.end(); !text.empty())
    log(instance, BENCH_LOG_INFO, "the Level Zero driver printed: " + text);
  if (result != ZE_RESULT_SUCCESS) throw no_driver(result);
}

Device &listed_device(bench_instance_v1 *instance, bench_device_v1 device) {
  start(*instance);
  if (device.type == BENCH_DEVICE_ONEAPI && device.id >= 0 &&
      static_cast<std::size_t>(device.id) < instance->devices.size())
    return *instance->devices[static_cast<std::size_t>(device.id)];
  throw Error(
      BENCH_ERROR_NO_DEVICE,
      "device {" + std::to_string(device.type) + ", " + std::to_string(device.id) +
          "} is not of this plugin",
      instance->devices.empty()
          ? "Level Zero shows no GPU here"
          : "it has xpu:0 to xpu:" + std::to_string(instance->devices.size() - 1) + ", type 14");
}

Device &device_of(bench_instance_v1 *instance, bench_device_v1 pair) {
  Device &device = listed_device(instance, pair);
  if (device.lost.load(std::memory_order_relaxed))
    throw Error(BENCH_ERROR_DEVICE_LOST,
                "xpu:" + std::to_string(device.id) + " was lost by an earlier call",
                "start a new process", static_cast<std::int64_t>(ZE_RESULT_ERROR_DEVICE_LOST),
                "ZE_RESULT_ERROR_DEVICE_LOST");
  if (device.ordinal == no_queue_group)
    throw Error(BENCH_ERROR_UNSUPPORTED,
                "xpu:" + std::to_string(device.id) + " has no queue that computes",
                "take another device");
  return device;
}

ze_context_handle_t context_of(Device &device) {
  if (!device.context) {
    ze_context_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    check(functions().zeContextCreate(device.driver, &description, &device.context),
          "zeContextCreate", &device);
  }
  return device.context;
}

}  // namespace bench_xpu
