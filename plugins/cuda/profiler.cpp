// SPDX-License-Identifier: Apache-2.0
// bench.profiler/1 through CUPTI's activity records.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "cuda.hpp"
#include "cupti.hpp"

namespace bench_cuda {
namespace {

constexpr std::size_t buffer_bytes = 1u << 20;
constexpr std::size_t buffer_alignment = 8;
constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

/// CUPTI is one for the process, and calls back without a user pointer, from threads of its own.
struct Recording {
  std::mutex mutex;
  bool running = false;
  bench_device_v1 device{};
  CUpti_SubscriberHandle subscriber = nullptr;
  std::vector<bench_activity_v1> activities;
  std::uint64_t dropped = 0;
};

Recording &recording() {
  static Recording state;
  return state;
}

void CUPTIAPI request_buffer(std::uint8_t **buffer, std::size_t *size, std::size_t *records) {
  *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer ? buffer_bytes : 0;
  *records = 0;  // as many as fit
}

void keep(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t device, std::uint32_t kind,
          const char *name) {
  if (device != static_cast<std::uint32_t>(recording().device.id)) return;
  bench_activity_v1 activity{};
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.kind = kind;
  bench::plugin::copy_text(activity.name, name ? name : "");
  recording().activities.push_back(activity);
}

template <typename Record>
void keep_record(const CUpti_Activity *record, std::uint32_t kind, const char *name) {
  const auto &one = *reinterpret_cast<const Record *>(record);
  keep(static_cast<std::int64_t>(one.start), static_cast<std::int64_t>(one.end), one.deviceId, kind,
       name);
}

void CUPTIAPI complete_buffer(CUcontext context, std::uint32_t stream, std::uint8_t *buffer,
                              std::size_t, std::size_t valid) {
  const Cupti &library = cupti();
  {
    const std::lock_guard lock(recording().mutex);
    CUpti_Activity *record = nullptr;
    while (library.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
      // Of all versions of a record the members read here lie at the same place.
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        keep_record<CUpti_ActivityKernel5>(
            record, BENCH_ACTIVITY_KERNEL,
            reinterpret_cast<const CUpti_ActivityKernel5 *>(record)->name);
      else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
        keep_record<CUpti_ActivityMemcpy4>(record, BENCH_ACTIVITY_COPY, "");
      else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        keep_record<CUpti_ActivityMemset3>(record, BENCH_ACTIVITY_FILL, "");
    }
    std::size_t lost = 0;
    if (library.cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS)
      recording().dropped += lost;
  }
  std::free(buffer);
}

void CUPTIAPI ignore(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *) {}

void end_recording() {
  const Cupti &library = cupti();
  for (CUpti_ActivityKind kind : kinds) library.cuptiActivityDisable(kind);
  library.cuptiUnsubscribe(recording().subscriber);
  const std::lock_guard lock(recording().mutex);
  recording().running = false;
}

bench_status start(bench_instance_v1 *instance, bench_device_v1 device, bench_error_v1 *error) {
  return StreamApi::call(instance, device, "profiler start", error, [&] {
    const Cupti &library = cupti();
    Recording &state = recording();
    const Scope scope(*instance, device, nullptr);
    {
      const std::lock_guard lock(state.mutex);
      if (state.running)
        throw Error(BENCH_ERROR_BUSY, "a recording of this process is running",
                    "stop it first: CUPTI has one for all devices");
      // Only one subscriber is allowed: to be it is to know that no other tool's callbacks are
      // replaced below.
      check(library.cuptiSubscribe(&state.subscriber, ignore, nullptr),
            "subscribe to the profiling interface");
      state.running = true;
      state.device = device;
      state.activities.clear();
      state.dropped = 0;
    }
    // Not under the lock: CUPTI may hand out a buffer at once.
    try {
      check(library.cuptiActivityRegisterCallbacks(request_buffer, complete_buffer),
            "register for activity records");
      for (CUpti_ActivityKind kind : kinds)
        check(library.cuptiActivityEnable(kind), "record kernels and copies");
    } catch (const Error &) {
      end_recording();
      throw;
    }
  });
}

bench_status stop(bench_instance_v1 *instance, bench_device_v1 device,
                  bench_activity_v1 *activities, std::uint64_t capacity, std::uint64_t *count,
                  std::uint64_t *dropped, bench_error_v1 *error) {
  *count = 0;
  return StreamApi::call(instance, device, "profiler stop", error, [&] {
    Recording &state = recording();
    {
      const std::lock_guard lock(state.mutex);
      if (!state.running || state.device.id != device.id)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "no recording of this device is running",
                    "call start first");
    }
    const Scope scope(*instance, device, nullptr);
    const CUresult waited = driver().cuCtxSynchronize();
    const CUptiResult flushed = cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    end_recording();
    Runtime::check(waited, "wait for the device");
    check(flushed, "read the activity records");
    const std::lock_guard lock(state.mutex);
    std::sort(state.activities.begin(), state.activities.end(),
              [](const bench_activity_v1 &a, const bench_activity_v1 &b) {
                return a.start_ns < b.start_ns;
              });
    *count = state.activities.size();
    if (dropped) *dropped = state.dropped;
    std::copy_n(state.activities.begin(), std::min<std::uint64_t>(capacity, *count), activities);
  });
}

}  // namespace

const bench_ext_profiler_v1 profiler_extension = {sizeof(bench_ext_profiler_v1), 0, start, stop};

}  // namespace bench_cuda
