// SPDX-License-Identifier: Apache-2.0
// Contexts, queues and command lists.
#include <algorithm>

#include "driver.hpp"

namespace level_zero_driver {
namespace {

constexpr std::uint32_t compute_ordinal = 1;
constexpr ze_command_queue_flags_t in_order_flag = ZE_BIT(1);
constexpr std::uint32_t in_order_version = 0x10007;
constexpr std::uint64_t fill_bytes_per_ns = 256;

ze_result_t context_create(ze_driver_handle_t, const ze_context_desc_t *,
                           ze_context_handle_t *context) {
  const std::lock_guard lock(world().mutex);
  *context = handle_of<ze_context_handle_t>(new Context);
  return ZE_RESULT_SUCCESS;
}

ze_result_t queue_create(ze_context_handle_t, ze_device_handle_t device,
                         const ze_command_queue_desc_t *description,
                         ze_command_queue_handle_t *queue) {
  const std::lock_guard lock(world().mutex);
  if (is_lost(object_of<Device>(device))) return ZE_RESULT_ERROR_DEVICE_LOST;
  if (description->ordinal != compute_ordinal) violate("a queue of a group that cannot compute");
  auto *made = new Queue;
  made->engine.device = object_of<Device>(device);
  world().engines.push_back(&made->engine);
  *queue = handle_of<ze_command_queue_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

void drop_engine(Engine *engine) {
  World &all = world();
  if (!engine->commands.empty() && !is_lost(engine->device))
    violate("destroyed with work that is pending");
  all.engines.erase(std::find(all.engines.begin(), all.engines.end(), engine));
}

ze_result_t queue_destroy(ze_command_queue_handle_t queue) {
  {
    const std::lock_guard lock(world().mutex);
    drop_engine(&object_of<Queue>(queue)->engine);
  }
  return destroy<Queue>(queue);
}

ze_result_t queue_execute(ze_command_queue_handle_t handle, std::uint32_t count,
                          ze_command_list_handle_t *lists, ze_fence_handle_t) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  Engine &engine = object_of<Queue>(handle)->engine;
  if (is_lost(engine.device)) return ZE_RESULT_ERROR_DEVICE_LOST;
  all.host_ns += all.control.host_cost_ns;
  const std::uint64_t submitted_ns = all.host_ns;
  engine.commands.push_back([submitted_ns](Engine &running) {
    running.issue_ns = std::max(running.issue_ns, submitted_ns);
    return true;
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    const List &list = *object_of<List>(lists[i]);
    if (!list.closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    engine.commands.insert(engine.commands.end(), list.recorded.begin(), list.recorded.end());
  }
  pump();
  return is_lost(engine.device) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t queue_synchronize(ze_command_queue_handle_t handle, std::uint64_t) {
  const std::lock_guard lock(world().mutex);
  Engine &engine = object_of<Queue>(handle)->engine;
  if (is_lost(engine.device)) return ZE_RESULT_ERROR_DEVICE_LOST;
  if (!engine.commands.empty()) return ZE_RESULT_NOT_READY;
  world().host_ns = std::max({world().host_ns, engine.issue_ns, engine.busy_ns});
  return ZE_RESULT_SUCCESS;
}

ze_result_t list_create(ze_context_handle_t, ze_device_handle_t device,
                        const ze_command_list_desc_t *description, ze_command_list_handle_t *list) {
  const std::lock_guard lock(world().mutex);
  if (is_lost(object_of<Device>(device))) return ZE_RESULT_ERROR_DEVICE_LOST;
  if (description->commandQueueGroupOrdinal != compute_ordinal)
    violate("a list of a group that cannot compute");
  auto *made = new List;
  made->device = object_of<Device>(device);
  *list = handle_of<ze_command_list_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t list_create_immediate(ze_context_handle_t, ze_device_handle_t device,
                                  const ze_command_queue_desc_t *description,
                                  ze_command_list_handle_t *list) {
  World &all = world();
  const std::lock_guard lock(all.mutex);
  if (is_lost(object_of<Device>(device))) return ZE_RESULT_ERROR_DEVICE_LOST;
  if (description->ordinal != compute_ordinal) violate("a list of a group that cannot compute");
  if ((description->flags & in_order_flag) && all.control.api_version < in_order_version)
    return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  auto *made = new List;
  made->device = object_of<Device>(device);
  made->engine = new Engine;
  made->engine->device = made->device;
  made->engine->in_order = (description->flags & in_order_flag) != 0;
  all.engines.push_back(made->engine);
  *list = handle_of<ze_command_list_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t list_destroy(ze_command_list_handle_t handle) {
  {
    const std::lock_guard lock(world().mutex);
    Engine *engine = object_of<List>(handle)->engine;
    if (engine) drop_engine(engine);
    delete engine;
  }
  return destroy<List>(handle);
}

ze_result_t list_close(ze_command_list_handle_t handle) {
  const std::lock_guard lock(world().mutex);
  object_of<List>(handle)->closed = true;
  return ZE_RESULT_SUCCESS;
}

void signal_from_device(ze_event_handle_t handle, std::uint64_t time_ns) {
  if (handle && !world().control.never_signals) signal(*object_of<Event>(handle), time_ns);
}

ze_result_t append_timestamp(ze_command_list_handle_t list, std::uint64_t *target,
                             ze_event_handle_t event, std::uint32_t, ze_event_handle_t *) {
  return append(list, [=](Engine &engine) {
    *target = ticks(*engine.device, engine.issue_ns, world().control.timestamp_bits);
    signal_from_device(event, engine.issue_ns);
    return true;
  });
}

ze_result_t append_barrier(ze_command_list_handle_t list, ze_event_handle_t event, std::uint32_t,
                           ze_event_handle_t *) {
  return append(list, [=](Engine &engine) {
    engine.issue_ns = std::max(engine.issue_ns, engine.busy_ns);
    signal_from_device(event, engine.issue_ns);
    return true;
  });
}

/// Work that takes `cost_ns` beside what else is running on the list.
void occupy(Engine &engine, std::uint64_t cost_ns) {
  engine.busy_ns = std::max(engine.busy_ns, engine.issue_ns + cost_ns);
}

ze_result_t append_copy(ze_command_list_handle_t list, void *target, const void *source,
                        std::size_t size, ze_event_handle_t event, std::uint32_t,
                        ze_event_handle_t *) {
  return append(list, [=](Engine &engine) {
    std::memmove(target, source, size);
    occupy(engine, size / fill_bytes_per_ns);
    signal_from_device(event, engine.busy_ns);
    return true;
  });
}

ze_result_t append_fill(ze_command_list_handle_t list, void *target, const void *pattern,
                        std::size_t pattern_size, std::size_t size, ze_event_handle_t event,
                        std::uint32_t, ze_event_handle_t *) {
  if (pattern_size != 1) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  const std::uint8_t value = *static_cast<const std::uint8_t *>(pattern);
  return append(list, [=](Engine &engine) {
    std::memset(target, value, size);
    ++world().control.fills;
    world().control.filled_bytes += size;
    occupy(engine, size / fill_bytes_per_ns);
    signal_from_device(event, engine.busy_ns);
    return true;
  });
}

ze_result_t append_signal(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, [=](Engine &engine) {
    signal_from_device(event, engine.issue_ns);
    return true;
  });
}

ze_result_t append_wait(ze_command_list_handle_t list, std::uint32_t count,
                        ze_event_handle_t *events) {
  const std::vector<ze_event_handle_t> all(events, events + count);
  return append(list, [all](Engine &engine) {
    for (const ze_event_handle_t handle : all) {
      if (!object_of<Event>(handle)->signalled) return false;
    }
    for (const ze_event_handle_t handle : all)
      engine.issue_ns = std::max(engine.issue_ns, object_of<Event>(handle)->time_ns);
    return true;
  });
}

ze_result_t append_reset(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, [=](Engine &) {
    object_of<Event>(event)->signalled = false;
    return true;
  });
}

ze_result_t append_launch(ze_command_list_handle_t list, ze_kernel_handle_t handle,
                          const ze_group_count_t *groups, ze_event_handle_t event, std::uint32_t,
                          ze_event_handle_t *) {
  const Kernel kernel = *object_of<Kernel>(handle);  // arguments count as they are now
  const std::uint32_t grid[3] = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
  return append(list, [=](Engine &engine) {
    Control &control = world().control;
    if (control.lost_after_launches >= 0 && control.lost_after_launches-- == 0) {
      control.lost_device = static_cast<std::int32_t>(engine.device->index);
      return false;
    }
    std::vector<const void *> arguments;
    std::vector<std::vector<std::uint8_t>> locals;
    std::vector<void *> pointers(kernel.arguments.size());
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const Kernel::Argument &argument = kernel.arguments[i];
      if (argument.local_bytes > 0) {
        locals.emplace_back(argument.local_bytes);
        pointers[i] = locals.back().data();
      }
      arguments.push_back(argument.local_bytes > 0 ? static_cast<const void *>(&pointers[i])
                                                   : argument.value.data());
    }
    kernel.code->run(arguments.data(), grid, kernel.group);
    ++control.launches;
    const std::uint64_t cost = kernel.code->cost_ns(grid, kernel.group);
    if (event) {
      object_of<Event>(event)->start_ns = engine.issue_ns;
      object_of<Event>(event)->end_ns = engine.issue_ns + cost;
    }
    occupy(engine, cost);
    signal_from_device(event, engine.issue_ns + cost);
    return true;
  });
}

}  // namespace

void fill_table(ze_context_dditable_t &table) {
  table.pfnCreate = context_create;
  table.pfnDestroy = [](ze_context_handle_t context) { return destroy<Context>(context); };
}

void fill_table(ze_command_queue_dditable_t &table) {
  table.pfnCreate = queue_create;
  table.pfnDestroy = queue_destroy;
  table.pfnExecuteCommandLists = queue_execute;
  table.pfnSynchronize = queue_synchronize;
}

void fill_table(ze_command_list_dditable_t &table) {
  table.pfnCreate = list_create;
  table.pfnCreateImmediate = list_create_immediate;
  table.pfnDestroy = list_destroy;
  table.pfnClose = list_close;
  table.pfnAppendWriteGlobalTimestamp = append_timestamp;
  table.pfnAppendBarrier = append_barrier;
  table.pfnAppendMemoryCopy = append_copy;
  table.pfnAppendMemoryFill = append_fill;
  table.pfnAppendSignalEvent = append_signal;
  table.pfnAppendWaitOnEvents = append_wait;
  table.pfnAppendEventReset = append_reset;
  table.pfnAppendLaunchKernel = append_launch;
}

}  // namespace level_zero_driver
