// SPDX-License-Identifier: Apache-2.0
// The model behind the software driver. Time is virtual: a command costs what its kernel says, the
// host's clock moves when it waits (and by host_cost_ns for each append). Commands of one list
// overlap unless a barrier separates them, as on the hardware: a plugin that forgets a barrier
// reads wrong times here too.
#pragma once
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "control.hpp"

namespace level_zero_driver {

struct Device {
  std::uint32_t index = 0;       // among the roots
  std::int32_t sub_device = -1;  // or the root itself
  std::vector<Device> parts;
  std::uint64_t ticks_read = 0;  // how often the counter was read, for backwards_ticks
};

struct Context {};

struct Event {
  bool signalled = false;
  std::uint64_t time_ns = 0;
  std::uint64_t start_ns = 0, end_ns = 0;  // of the kernel that signalled it
  Device *device = nullptr;
};

struct EventPool {
  std::vector<Device *> devices;
  ze_event_pool_flags_t flags = 0;
};

/// Where commands run one after the other's issue.
struct Engine {
  Device *device = nullptr;
  bool in_order = false;
  std::uint64_t issue_ns = 0;  // when the next command starts
  std::uint64_t busy_ns = 0;   // when all that was issued is done
  /// A command; false if it has to wait.
  using Command = std::function<bool(Engine &)>;
  std::deque<Command> commands;
};

struct List {
  Device *device = nullptr;
  Engine *engine = nullptr;  // of an immediate list
  std::vector<Engine::Command> recorded;
  bool closed = false;
};

struct Queue {
  Engine engine;
};

struct Module {
  std::vector<std::string> kernels;
  std::map<std::string, std::vector<std::uint8_t>> globals;
};

struct Kernel {
  const HostKernel *code = nullptr;
  std::string name;
  std::uint32_t group[3] = {1, 1, 1};
  struct Argument {
    std::vector<std::uint8_t> value;
    std::size_t local_bytes = 0;
  };
  std::vector<Argument> arguments;
};

struct BuildLog {
  std::string text;
};

/// All there is, behind one lock.
struct World {
  Control control;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t host_ns = 0;
  std::vector<Device> devices;  // made once, for the largest counts
  std::vector<Engine *> engines;
  std::map<void *, std::size_t> memory;
  std::uint64_t memory_used = 0;
  std::map<std::string, HostKernel> kernels;
  // All handles. A leak checker must not report those that only the loader owned: it forgets them
  // when the process ends.
  std::set<const void *> handles;
};
World &world();

template <typename Handle, typename Object>
Handle handle_of(Object *object) {
  ++world().control.objects;
  world().handles.insert(object);
  return reinterpret_cast<Handle>(object);
}
template <typename Object, typename Handle>
Object *object_of(Handle handle) {
  return reinterpret_cast<Object *>(handle);
}
template <typename Object, typename Handle>
ze_result_t destroy(Handle handle) {
  const std::lock_guard lock(world().mutex);
  --world().control.objects;
  world().handles.erase(object_of<Object>(handle));
  delete object_of<Object>(handle);
  return ZE_RESULT_SUCCESS;
}

// model.cpp; the lock is held
void violate(const char *rule);
bool is_lost(const Device *device);
/// Runs what can run, everywhere.
void pump();
void signal(Event &event, std::uint64_t time_ns);
/// The device's counter at a virtual time, with rubbish above its valid bits.
std::uint64_t ticks(Device &device, std::uint64_t time_ns, std::uint32_t valid_bits);
/// Appends to an immediate list (which runs it) or to a regular one.
ze_result_t append(ze_command_list_handle_t list, Engine::Command command);
ze_result_t core_properties(ze_device_handle_t device, ze_device_properties_t *properties);
/// Kernels that a test may count on.
void register_builtin_kernels();

// The functions of the tables.
void fill_table(ze_driver_dditable_t &table);
void fill_table(ze_device_dditable_t &table);
void fill_table(ze_context_dditable_t &table);
void fill_table(ze_command_queue_dditable_t &table);
void fill_table(ze_command_list_dditable_t &table);
void fill_table(ze_event_pool_dditable_t &table);
void fill_table(ze_event_dditable_t &table);
void fill_table(ze_module_dditable_t &table);
void fill_table(ze_module_build_log_dditable_t &table);
void fill_table(ze_kernel_dditable_t &table);
void fill_table(ze_mem_dditable_t &table);
void fill_table(zes_device_dditable_t &table);
void fill_table(zes_power_dditable_t &table);
void fill_table(zes_frequency_dditable_t &table);
void fill_table(zes_temperature_dditable_t &table);

}  // namespace level_zero_driver
