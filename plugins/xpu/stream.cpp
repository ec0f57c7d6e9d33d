// SPDX-License-Identifier: Apache-2.0
// Immediate command lists as streams.
#include <algorithm>

#include "xpu.hpp"

namespace bench_xpu {
namespace {

// Level Zero 1.7: an immediate list whose commands run one after the other. Loaders and headers
// before do not know the flag and refuse it; barriers order those lists.
constexpr std::uint32_t in_order_since = ZE_MAKE_VERSION(1, 7);
constexpr ze_command_queue_flags_t in_order_flag = ZE_BIT(1);
constexpr std::uint64_t forever = UINT64_MAX;

OwnStream make_stream(Device &device) {
  const Functions &ze = functions();
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  description.ordinal = device.ordinal;
  description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  OwnStream stream{nullptr, false};
  if (static_cast<std::uint32_t>(device.api_version) >= in_order_since) {
    description.flags = in_order_flag;
    stream.in_order =
        ze.zeCommandListCreateImmediate(context_of(device), device.handle, &description,
                                        &stream.list) == ZE_RESULT_SUCCESS;
    description.flags = 0;
  }
  if (!stream.in_order)
    check(ze.zeCommandListCreateImmediate(context_of(device), device.handle, &description,
                                          &stream.list),
          "zeCommandListCreateImmediate", &device);
  device.streams.push_back(stream);
  return stream;
}

Target target_of(Device &device, const OwnStream &stream) {
  return {stream.list, device.context, device.handle, stream.in_order, nullptr};
}

/// `signal` happens when all that is on the list so far is done.
void signal_after_all(Device &device, ze_command_list_handle_t list, const Signal &signal) {
  check(functions().zeCommandListAppendBarrier(list, signal.event, 0, nullptr),
        "zeCommandListAppendBarrier", &device);
}

}  // namespace

Target resolve(Device &device, const bench_stream_v1 *stream) {
  if (stream->kind == BENCH_STREAM_DEFAULT || stream->kind == BENCH_STREAM_PER_THREAD) {
    if (!device.default_list) device.default_list = make_stream(device).list;
    for (const OwnStream &own : device.streams) {
      if (own.list == device.default_list) return target_of(device, own);
    }
  }
  auto *list = static_cast<ze_command_list_handle_t>(stream->handle);
  if (stream->kind == BENCH_STREAM_PLUGIN_OWNED) {
    if (stream->class_kind > BENCH_XPU_RECORDING_LIST)
      throw Error(BENCH_ERROR_UNSUPPORTED, "class_kind " + std::to_string(stream->class_kind),
                  "leave the members as stream_create or begin wrote them");
    for (const OwnStream &own : device.streams) {
      if (own.list == list) return target_of(device, own);
    }
    for (const auto &recording : device.recordings) {
      if (recording->list == list)
        return {list, static_cast<ze_context_handle_t>(stream->context), device.handle, false,
                recording.get()};
    }
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the stream is not one of this device",
                "use a stream that stream_create made for it and that lives");
  }
  if (stream->kind != BENCH_STREAM_NATIVE)
    throw Error(BENCH_ERROR_UNSUPPORTED, "stream kind " + std::to_string(stream->kind),
                "use a kind of plugin_v1.h other than NONE");
  if (stream->class_kind != BENCH_XPU_IMMEDIATE_LIST)
    throw Error(BENCH_ERROR_UNSUPPORTED, "class_kind " + std::to_string(stream->class_kind),
                "give an immediate command list, class_kind 0; SYCL has them with "
                "UR_L0_USE_IMMEDIATE_COMMANDLISTS=1");
  if (!list || !stream->context)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                std::string("a Level Zero stream without ") + (list ? "context" : "handle"),
                "give the immediate command list as handle and its context: Level Zero has no way "
                "from one to the other");
  return {list, static_cast<ze_context_handle_t>(stream->context),
          stream->device_handle ? static_cast<ze_device_handle_t>(stream->device_handle)
                                : device.handle,
          false, nullptr};
}

ze_result_t order(const Target &target) {
  if (target.in_order) return ZE_RESULT_SUCCESS;
  return functions().zeCommandListAppendBarrier(target.list, nullptr, 0, nullptr);
}

Signal make_signal(Device &device, ze_context_handle_t context, ze_event_pool_flags_t flags) {
  const Functions &ze = functions();
  ze_event_pool_desc_t pool{};
  pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | flags;
  pool.count = 1;
  Signal signal;
  check(ze.zeEventPoolCreate(context, &pool, 1, &device.handle, &signal.pool), "zeEventPoolCreate",
        &device);
  ze_event_desc_t event{};
  event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  // The host reads what was written before the event: memory, and time stamps.
  event.signal = ZE_EVENT_SCOPE_FLAG_HOST;
  event.wait = ZE_EVENT_SCOPE_FLAG_HOST;
  const ze_result_t result = ze.zeEventCreate(signal.pool, &event, &signal.event);
  if (result != ZE_RESULT_SUCCESS) ze.zeEventPoolDestroy(signal.pool);
  check(result, "zeEventCreate", &device);
  return signal;
}

void destroy_signal(Signal &signal) {
  if (signal.event) functions().zeEventDestroy(signal.event);
  if (signal.pool) functions().zeEventPoolDestroy(signal.pool);
  signal = {};
}

void synchronize(Device &device, const Target &target) {
  const Functions &ze = functions();
  if (target.recording) {
    target.recording->broken = "a wait cannot be recorded";
    throw Error(BENCH_ERROR_UNSUPPORTED, "the stream is being recorded, nothing runs on it",
                "wait after the graph was launched");
  }
  const bool own = target.context == device.context;
  if (own && !device.sync.event) device.sync = make_signal(device, device.context);
  // A framework's context may be gone when this plugin closes: nothing of ours stays in it.
  Signal signal = own ? device.sync : make_signal(device, target.context);
  ze_result_t result = ze.zeCommandListAppendBarrier(target.list, signal.event, 0, nullptr);
  const char *function = "zeCommandListAppendBarrier";
  if (result == ZE_RESULT_SUCCESS) {
    result = ze.zeEventHostSynchronize(signal.event, forever);
    function = "zeEventHostSynchronize";
  }
  if (own) {
    ze.zeEventHostReset(signal.event);
  } else {
    destroy_signal(signal);
  }
  check(result, function, &device);
}

void synchronize_own_streams(Device &device) {
  for (std::size_t i = 0; i < device.streams.size(); ++i)
    synchronize(device, target_of(device, device.streams[i]));
}

void when_idle(Device &device, std::function<void()> destroy) {
  const Functions &ze = functions();
  Retired retired;
  for (const OwnStream &stream : device.streams) {
    if (device.lost.load()) break;  // nothing runs there any more, nothing will be signalled
    Signal signal = make_signal(device, device.context);
    signal_after_all(device, stream.list, signal);
    if (ze.zeEventQueryStatus(signal.event) == ZE_RESULT_SUCCESS) {
      destroy_signal(signal);
    } else {
      retired.until.push_back(signal);
    }
  }
  if (retired.until.empty()) return destroy();
  retired.destroy = std::move(destroy);
  device.retired.push_back(std::move(retired));
}

bool collect_retired(Device &device) {
  const bool lost = device.lost.load();
  for (std::size_t i = 0; i < device.retired.size();) {
    Retired &one = device.retired[i];
    while (!one.until.empty() &&
           (lost || functions().zeEventQueryStatus(one.until.back().event) == ZE_RESULT_SUCCESS)) {
      destroy_signal(one.until.back());
      one.until.pop_back();
    }
    if (!one.until.empty()) {
      ++i;
      continue;
    }
    const std::function<void()> destroy = std::move(one.destroy);
    device.retired.erase(device.retired.begin() + static_cast<std::ptrdiff_t>(i));
    destroy();
  }
  return device.retired.empty();
}

bool close_device(const bench_instance_v1 &instance, Device &device) {
  const Functions &ze = functions();
  if (!collect_retired(device)) {
    // Work that never ended: what it uses cannot be given back without waiting for it.
    log(instance, BENCH_LOG_WARNING,
        "xpu:" + std::to_string(device.id) +
            " still works; what it uses stays until the process ends");
    return false;
  }
  end_profile(device);
  destroy_signal(device.sync);
  for (const OwnStream &stream : device.streams) ze.zeCommandListDestroy(stream.list);
  if (device.context) ze.zeContextDestroy(device.context);
  return true;
}

bench_status stream_create(bench_instance_v1 *instance, bench_device_v1 pair,
                           bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_create", [&] {
    Device &device = device_of(instance, pair);
    collect_retired(device);
    const OwnStream made = make_stream(device);
    bench_stream_v1 full{};
    full.struct_size = stream->struct_size;
    full.kind = BENCH_STREAM_PLUGIN_OWNED;
    full.class_kind = BENCH_XPU_IMMEDIATE_LIST;
    full.handle = made.list;
    full.context = device.context;
    full.device_handle = device.handle;
    std::memcpy(stream, &full, std::min<std::size_t>(stream->struct_size, sizeof full));
  });
}

void stream_destroy(bench_instance_v1 *instance, bench_device_v1 pair, bench_stream_v1 *stream) {
  guarded(nullptr, "stream_destroy", [&] {
    if (!stream || !stream->handle) return;
    Device &device = listed_device(instance, pair);
    const auto found =
        std::find_if(device.streams.begin(), device.streams.end(),
                     [&](const OwnStream &own) { return own.list == stream->handle; });
    if (found == device.streams.end()) return;
    const ze_command_list_handle_t list = found->list;
    // While it is still among the streams: its own work is what is waited for.
    when_idle(device, [list] { functions().zeCommandListDestroy(list); });
    device.streams.erase(std::find_if(device.streams.begin(), device.streams.end(),
                                      [&](const OwnStream &own) { return own.list == list; }));
    collect_retired(device);
  });
}

bench_status stream_synchronize(bench_instance_v1 *instance, bench_device_v1 pair,
                                const bench_stream_v1 *stream, bench_error_v1 *error) {
  return guarded(error, "stream_synchronize", [&] {
    Device &device = device_of(instance, pair);
    synchronize(device, resolve(device, stream));
  });
}

bench_status device_synchronize(bench_instance_v1 *instance, bench_device_v1 pair,
                                bench_error_v1 *error) {
  return guarded(error, "device_synchronize", [&] {
    // Level Zero waits for lists, not for devices: a framework's lists that it did not hand to this
    // plugin cannot be seen.
    Device &device = device_of(instance, pair);
    synchronize_own_streams(device);
    collect_retired(device);
  });
}

}  // namespace bench_xpu
