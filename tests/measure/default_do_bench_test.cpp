// SPDX-License-Identifier: Apache-2.0
// The contract of do_bench, as plugin_v1.h words it.
#include <bench/plugin_v1_layout.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "mock_device.hpp"

using namespace bench;
using bench::measure::engine_do_bench;
using bench::test::MockDevice;
using bench::test::Work;

namespace {

/// One call with everything that it takes.
struct Call {
  explicit Call(MockDevice &on) : device(on) {
    params.struct_size = sizeof params;
    params.min_samples = 5;
    params.max_samples = 20;
    samples.resize(32);
    result.struct_size = sizeof result;
    result.samples = samples.data();
    result.capacity = static_cast<std::uint32_t>(samples.size());
    std::memset(result.note, 'x', sizeof result.note - 1);
    result.written = result.taken = result.flags = 77;  // stored, never ORed into
  }
  bench_status run(Work &work, const bench_stream_v1 *stream = nullptr) {
    return engine_do_bench(device.target, stream, work.callable, nullptr, params, result, &error,
                           device.clock);
  }
  MockDevice &device;
  bench_params_v1 params{};
  std::vector<bench_sample_v1> samples;
  bench_result_v1 result{};
  bench_error_v1 error = error_struct();
};

}  // namespace

TEST_CASE("warm-up, then prepare and window for each sample, then restore") {
  MockDevice device;
  Work work(device);
  work.callable.flags = 0;
  work.with_prepare();
  work.with_restore();
  Call call(device);
  call.params.warmup_launches = 2;
  call.params.min_samples = call.params.max_samples = 3;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(work.order == "plplplplplr");
  CHECK(call.result.taken == 3);
  CHECK(call.result.written == 3);
  CHECK(call.result.flags == 0);
  CHECK(call.result.method == BENCH_METHOD_EVENT);
  CHECK(call.result.note[0] == '\0');
  CHECK(call.result.floor_ns > 0.0);
  for (int i = 0; i < 3; ++i) {
    CHECK(call.samples[i].launches == 1);
    CHECK(call.samples[i].end_ns > call.samples[i].start_ns);
    CHECK(std::abs(call.samples[i].elapsed_ns - 10'500.0) < 10.0);
  }
  CHECK(device.clean());
}

TEST_CASE("a repeatable callable is prepared once for all warm-up and once a window") {
  MockDevice device;
  Work work(device);
  work.with_prepare();
  work.with_wait();
  Call call(device);
  call.params.warmup_launches = 3;
  call.params.min_samples = call.params.max_samples = 2;
  call.params.launches_per_sample = 2;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(work.order == "plllwpllwpllw");
  CHECK(call.result.method == BENCH_METHOD_BATCH);
  CHECK(call.samples[0].launches == 2);
  CHECK(std::abs(call.samples[0].elapsed_ns - 20'500.0) < 10.0);  // undivided
}

TEST_CASE("launches per sample are forced to one where the contract says so") {
  MockDevice device;
  Work work(device);
  Call call(device);
  call.params.launches_per_sample = 8;
  call.params.cache = BENCH_CACHE_COLD;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.samples[0].launches == 1);
  CHECK(call.result.flush_bytes > 0);
  CHECK((call.result.flags & BENCH_RESULT_CACHE_UNPROVEN) != 0);
  CHECK(device.script->flushes >= call.result.taken);
  call.params.cache = BENCH_CACHE_HOT;
  work.callable.flags = 0;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.samples[0].launches == 1);
  CHECK(call.result.flush_bytes == 0);
}

TEST_CASE("the callee's choice of depth is good to 1 %") {
  MockDevice device;
  Work work(device, 700.0);
  Call call(device);
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.samples[0].launches > 1);
  CHECK(std::abs(call.samples[0].elapsed_ns / call.samples[0].launches - 700.0) < 7.0);
}

TEST_CASE("samples beyond the capacity are taken and counted, not written") {
  MockDevice device;
  Work work(device);
  Call call(device);
  call.params.min_samples = call.params.max_samples = 12;
  call.result.capacity = 4;
  call.samples[4].launches = 4711;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.result.taken == 12);
  CHECK(call.result.written == 4);
  CHECK(call.samples[4].launches == 4711);
  call.result.capacity = 0;
  call.result.samples = nullptr;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.result.taken == 12);
  CHECK(call.result.written == 0);
}

TEST_CASE("at least min_samples, at most max_samples") {
  MockDevice device;
  Work work(device);  // no noise at all: ten would do
  Call call(device);
  call.params.min_samples = 17;
  call.params.max_samples = 300;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.result.taken >= 17);
  CHECK(call.result.taken < 300);
  work.duration = [](std::uint64_t i) { return i % 2 ? 1e5 : 2e5; };
  call.params.launches_per_sample = 1;
  call.params.min_samples = 1;
  call.params.max_samples = 23;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.result.taken == 23);
}

TEST_CASE("a deadline that is past at entry makes no callback") {
  MockDevice device;
  Work work(device);
  work.with_prepare();
  work.with_restore();
  Call call(device);
  call.params.deadline_ns = device.clock.now_ns();
  CHECK(call.run(work) == BENCH_ERROR_TIMEOUT);
  CHECK(work.order == "");
  CHECK(call.result.taken == 0);
  CHECK(call.result.written == 0);
  CHECK(call.error.status == BENCH_ERROR_TIMEOUT);
  CHECK(std::strlen(call.error.what) > 0);
  CHECK(std::strlen(call.error.where) > 0);
  CHECK(std::strlen(call.error.hint) > 0);
}

TEST_CASE("after the deadline no window starts, and what was taken is good") {
  MockDevice device;
  Work work(device, 1e6);
  work.with_restore();
  Call call(device);
  call.params.launches_per_sample = 1;
  call.params.max_samples = call.params.min_samples = 20;
  call.params.deadline_ns = device.clock.now_ns() + 6'500'000;
  CHECK(call.run(work) == BENCH_ERROR_TIMEOUT);
  CHECK(call.result.taken == 7);
  CHECK(call.result.written == 7);
  CHECK(work.restores == 1);
  CHECK(std::abs(call.samples[6].elapsed_ns - 1e6) < 1e4);
}

TEST_CASE("a deadline in the warm-up ends that too") {
  MockDevice device;
  Work work(device, 1e6);
  work.callable.wait = nullptr;
  device.script->synchronous = 1;
  Call call(device);
  call.params.warmup_launches = 1000;
  call.params.deadline_ns = device.clock.now_ns() + 3'500'000;
  CHECK(call.run(work) == BENCH_ERROR_TIMEOUT);
  CHECK(work.launches == 4);
  CHECK(call.result.taken == 0);
}

TEST_CASE("should_stop is asked between samples") {
  MockDevice device;
  Work work(device, 1e5);
  work.duration = [](std::uint64_t i) { return i % 2 ? 1e5 : 2e5; };
  work.with_restore();
  Call call(device);
  call.params.launches_per_sample = 1;
  call.params.min_samples = 20;
  int asked = 0;
  call.params.should_stop_user = &asked;
  call.params.should_stop = [](void *user) -> std::int32_t {
    return ++*static_cast<int *>(user) == 5;
  };
  CHECK(call.run(work) == BENCH_ERROR_CANCELLED);
  CHECK(call.result.taken == 4);
  CHECK(call.result.written == 4);
  CHECK(work.restores == 1);
  CHECK(call.error.status == BENCH_ERROR_CANCELLED);
}

TEST_CASE("a callback's failure comes back unchanged and is marked as its own") {
  for (const std::uint64_t at : {1u, 2u, 6u}) {
    CAPTURE(at);
    MockDevice device;
    Work work(device);
    work.callable.flags = 0;
    work.with_restore();
    work.restore_status = BENCH_ERROR_INTERNAL;  // the launch's wins
    work.fail_at = at;
    work.fail_status = -1234;  // of the caller's own, unknown to the core
    Call call(device);
    call.params.warmup_launches = 1;
    CHECK(call.run(work) == -1234);
    CHECK((call.result.flags & BENCH_RESULT_FROM_CALLBACK) != 0);
    CHECK(call.error.status == -1234);
    CHECK(std::string(call.error.what) == "argument 3 is odd");
    CHECK(std::string(call.error.where) == "my launch");
    CHECK(std::string(call.error.hint) == "give an even one");
    CHECK(call.error.vendor_code == 77);
    CHECK(std::string(call.error.vendor_name) == "MY_ERROR");
    CHECK(work.restores == 1);
    CHECK(call.result.taken == (at > 1 ? at - 2 : 0));
    CHECK(call.result.written == call.result.taken);
    CHECK(device.clean());
  }
}

TEST_CASE("a failing restore fails a measurement that was good") {
  MockDevice device;
  Work work(device);
  work.with_restore();
  work.restore_status = BENCH_ERROR_CALLABLE_FAILED;
  Call call(device);
  CHECK(call.run(work) == BENCH_ERROR_CALLABLE_FAILED);
  CHECK((call.result.flags & BENCH_RESULT_FROM_CALLBACK) != 0);
  CHECK(std::string(call.error.what) == "restore broke");
  CHECK(call.result.taken > 0);
}

TEST_CASE("a plugin's failure is not taken for a callback's") {
  MockDevice device;
  Work work(device);
  work.with_restore();
  Call call(device);
  std::snprintf(device.script->fail_function, sizeof device.script->fail_function,
                "event_synchronize");
  device.script->fail_countdown = 40;  // past the qualification of the timer
  device.script->fail_status = BENCH_ERROR_DEVICE_LOST;
  call.params.launches_per_sample = 1;
  call.params.min_samples = 20;
  CHECK(call.run(work) == BENCH_ERROR_DEVICE_LOST);
  CHECK((call.result.flags & BENCH_RESULT_FROM_CALLBACK) == 0);
  CHECK(std::string(call.error.vendor_name) == "MOCK_SCRIPTED");
  CHECK(work.restores == 0);  // not after a lost device
  CHECK(device.script->calls_after_loss == 0);
  CHECK(device.clean());
}

TEST_CASE("all work is complete when it returns, also that of a failed window and of restore") {
  MockDevice device;
  Work work(device, 5e6);
  work.fail_at = 3;
  work.callable.restore = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                             bench_error_v1 *error) -> bench_status {
    MockDevice &on = static_cast<Work *>(user)->device;
    return on.control->work(on.target.instance, on.target.device, stream, 4e6, error);
  };
  Call call(device);
  call.params.launches_per_sample = 4;
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  const auto &api = *device.target.api;
  REQUIRE(api.stream_create(device.target.instance, device.target.device, &stream, &call.error) ==
          BENCH_OK);
  CHECK(call.run(work, &stream) == BENCH_ERROR_CALLABLE_FAILED);
  const double before = device.control->now_ns(device.target.instance);
  api.stream_synchronize(device.target.instance, device.target.device, &stream, nullptr);
  CHECK(device.control->now_ns(device.target.instance) == before);
  api.stream_destroy(device.target.instance, device.target.device, &stream);
}

TEST_CASE("mistakes of the caller are told before any callback") {
  MockDevice device;
  const auto refused = [&](auto &&spoil, bench_status expected) {
    Work work(device);
    Call call(device);
    spoil(call, work);
    CHECK(call.run(work) == expected);
    CHECK(work.order == "");
    CHECK(call.error.status == expected);
    CHECK(std::strlen(call.error.what) > 0);
    CHECK(std::strlen(call.error.where) > 0);
    CHECK(std::strlen(call.error.hint) > 0);
  };
  const bench_status bad = BENCH_ERROR_INVALID_ARGUMENT;
  refused([](Call &, Work &work) { work.callable.launch = nullptr; }, bad);
  refused([](Call &call, Work &) { call.params.max_samples = call.params.min_samples = 0; }, bad);
  refused([](Call &call, Work &) { call.params.min_samples = 21; }, bad);
  refused([](Call &call, Work &) { call.result.samples = nullptr; }, bad);
  refused([](Call &call, Work &) { call.params.struct_size = BENCH_SIZE_1_0_PARAMS - 1; }, bad);
  refused([](Call &call, Work &) { call.result.struct_size = 8; }, bad);
  refused([](Call &, Work &work) { work.callable.struct_size = 0; }, bad);
  refused([](Call &, Work &work) { work.callable.flags |= BENCH_CALLABLE_OWN_STREAM; }, bad);
  refused([](Call &call, Work &) { call.params.required = 1; }, BENCH_ERROR_UNSUPPORTED);
  refused([](Call &call, Work &) { call.params.cache = 2; }, BENCH_ERROR_UNSUPPORTED);
  refused([](Call &, Work &work) { work.callable.required = 8; }, BENCH_ERROR_UNSUPPORTED);
  CHECK(device.clean());
}

TEST_CASE("unknown flags and larger structs of a later minor change nothing") {
  MockDevice device;
  Work work(device);
  work.callable.flags |= 1u << 30;
  work.callable.struct_size += 64;
  Call call(device);
  call.params.struct_size += 64;
  call.result.struct_size += 64;
  CHECK(call.run(work) == BENCH_OK);
  CHECK(call.result.struct_size == sizeof call.result + 64);
}

TEST_CASE("no error struct is no crash") {
  MockDevice device;
  Work work(device);
  work.fail_at = 2;
  Call call(device);
  CHECK(engine_do_bench(device.target, nullptr, work.callable, nullptr, call.params, call.result,
                        nullptr, device.clock) == BENCH_ERROR_CALLABLE_FAILED);
}
