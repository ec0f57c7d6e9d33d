// SPDX-License-Identifier: Apache-2.0
// The core's engine over the HIP plugin over a runtime in software: methods, step-downs, faults.
#include "measure/engine.hpp"

#include <bench/ext/kernel.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <bench/plugin/kernel_image.hpp>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "loader/adapt.hpp"
#include "measure/extensions.hpp"

using namespace bench;
using namespace bench::measure;

namespace {

constexpr double kernel_ns = 2000;  // of each kernel of the stand-in
constexpr std::uint32_t recordable = BENCH_CALLABLE_CAPTURABLE | BENCH_CALLABLE_REPEATABLE;

/// What the stand-in does from now on; back to nothing afterwards.
struct Script {
  explicit Script(const char *text) { ::setenv("BENCH_FAKE_CUDA", text, 1); }
  ~Script() { ::unsetenv("BENCH_FAKE_CUDA"); }
};

struct Hip {
  bench_plugin_api_v1 api{};
  Target target;
  const bench_ext_kernel_v1 *kernels = nullptr;

  Hip() {
    void *library = ::dlopen(BENCH_HIP_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(::dlerror());
    const auto entry = reinterpret_cast<bench_plugin_entry_v1>(::dlsym(library, "bench_plugin_v1"));
    api = loader::adapt_table(*entry(nullptr, nullptr), target.has_t1, target.has_do_bench);
    target.api = &api;
    target.device = {BENCH_DEVICE_ROCM, 0};
    bench_error_v1 error = error_struct();
    if (api.open(nullptr, nullptr, &target.instance, &error) != BENCH_OK)
      throw std::runtime_error(error.what);
    kernels = find_extension<bench_ext_kernel_v1>(api, target.instance, BENCH_EXT_KERNEL_V1);
  }
  ~Hip() { api.close(target.instance); }
  Hip(const Hip &) = delete;  // owns the instance
  Hip &operator=(const Hip &) = delete;
};

/// What compile would give: the runtime's code object is PTX here.
std::string packed(const std::string &image) {
  constexpr char magic[] = "BENCHHI1";
  const auto bytes = bench::plugin::pack_image({"", "gfx-sm_90", image}, magic);
  return {bytes.begin(), bytes.end()};
}
std::string code_object(const std::string &name) {
  return packed(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry " + name +
                "() { ret; }\n");
}

/// A kernel of the stand-in, launched by a callable.
struct Work {
  Hip &hip;
  bench_kernel_v1 *kernel = nullptr;
  bench_kernel_launch_v1 launch{};
  bench_callable_v1 callable{};
  bool waits = false;

  Work(Hip &on, const char *name) : hip(on) {
    const std::string image = code_object(name);
    bench_stream_v1 stream{};
    stream.struct_size = sizeof stream;
    stream.kind = BENCH_STREAM_DEFAULT;
    bench_error_v1 error = error_struct();
    const bench_status status =
        hip.kernels->load(hip.target.instance, hip.target.device, &stream, image.data(),
                          image.size(), name, nullptr, 0, &kernel, nullptr, &error);
    if (status != BENCH_OK) throw Failure(status, error, "load");
    launch.struct_size = sizeof launch;
    for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
    callable.struct_size = sizeof callable;
    callable.flags = recordable;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *on_stream,
                         bench_error_v1 *failure) -> bench_status {
      Work &self = *static_cast<Work *>(user);
      const Target &to = self.hip.target;
      const bench_status done = self.hip.kernels->launch(to.instance, to.device, self.kernel,
                                                         &self.launch, on_stream, failure);
      if (done != BENCH_OK || !self.waits) return done;
      return to.api->stream_synchronize(to.instance, to.device, on_stream, failure);
    };
  }
  ~Work() { hip.kernels->unload(hip.target.instance, hip.target.device, kernel); }
  Work(const Work &) = delete;  // the callable points here
  Work &operator=(const Work &) = delete;

  Measurement measure(const Policy &policy = {}) {
    return measure::measure(hip.target, nullptr, callable, nullptr, policy);
  }
};

}  // namespace

TEST_CASE("short kernels are measured in a graph, by name behind the gate or between events") {
  Hip hip;
  Work work(hip, "empty");
  Policy policy;
  const Measurement graph = work.measure(policy);
  CHECK(graph.method == BENCH_METHOD_GRAPH);
  CHECK(graph.summary.median_ns == doctest::Approx(kernel_ns).epsilon(0.01));
  policy.method = Method::gate;
  const Measurement gate = work.measure(policy);
  CHECK(gate.method == BENCH_METHOD_GATE);
  CHECK(gate.summary.median_ns == doctest::Approx(kernel_ns).epsilon(0.01));
  policy.method = Method::event;
  CHECK(work.measure(policy).method == BENCH_METHOD_BATCH);
}

TEST_CASE("cold ones are the difference of two graphs") {
  Hip hip;
  Work work(hip, "empty");
  Policy policy;
  policy.cache = CachePolicy::cold;
  const Measurement cold = work.measure(policy);
  CHECK(cold.method == BENCH_METHOD_GRAPH);
  CHECK(cold.flush_bytes == 5u << 18);  // five quarters of the cache of 1 MiB
  CHECK(cold.summary.median_ns == doctest::Approx(kernel_ns).epsilon(0.01));
}

TEST_CASE("a device without stream memory operations is measured without a gate") {
  ::setenv("BENCH_FAKE_HIP", "gate=0", 1);
  Hip hip;
  Work work(hip, "empty");
  work.callable.flags = BENCH_CALLABLE_REPEATABLE;
  const Measurement measurement = work.measure();
  CHECK(measurement.method == BENCH_METHOD_BATCH);
  CHECK((measurement.flags & BENCH_RESULT_STEPPED_DOWN) == 0);  // it was never there
  ::unsetenv("BENCH_FAKE_HIP");
}

TEST_CASE("a launch that waits behind the gate is let through, and measured without it") {
  Hip hip;
  Work work(hip, "empty");
  work.callable.flags = BENCH_CALLABLE_REPEATABLE;
  work.waits = true;
  const Measurement measurement = work.measure();
  CHECK(measurement.method == BENCH_METHOD_BATCH);
  CHECK(measurement.note.find("no gate: a launch waits for the device") != std::string::npos);
}

TEST_CASE("a queue that fills up behind the gate halves the depth") {
  const Script script("queue=40");
  Hip hip;
  Work work(hip, "empty");
  work.callable.flags = BENCH_CALLABLE_REPEATABLE;
  const Measurement measurement = work.measure();
  CHECK(measurement.method == BENCH_METHOD_GATE);
  CHECK(measurement.launches_per_window < 40);
  CHECK((measurement.flags & BENCH_RESULT_STEPPED_DOWN) != 0);
}

TEST_CASE("times that run backwards or stand still are left out, and told") {
  const Script script("negative=7,zero=11");
  Hip hip;
  Work work(hip, "empty");
  const Measurement measurement = work.measure();
  CHECK(measurement.summary.median_ns == doctest::Approx(kernel_ns).epsilon(0.01));
  CHECK(measurement.note.find("ran backwards") != std::string::npos);
}

TEST_CASE("a failing event is an error with the driver's name for it, and the next call works") {
  Hip hip;
  Work work(hip, "empty");
  {
    const Script script("event_error=5");
    try {
      work.measure();
      FAIL("measured although an event was not recorded");
    } catch (const Failure &failure) {
      CHECK(failure.text().vendor_name == "hipErrorInvalidHandle");
    }
  }
  CHECK(work.measure().summary.samples > 0);
}

TEST_CASE("kernels: names that exist, limits with numbers, counts of arguments") {
  Hip hip;
  const std::string image = code_object("present");
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  stream.kind = BENCH_STREAM_DEFAULT;
  bench_kernel_v1 *kernel = nullptr;
  bench_error_v1 error = error_struct();
  const auto load = [&](const std::string &from, const char *name) {
    return hip.kernels->load(hip.target.instance, hip.target.device, &stream, from.data(),
                             from.size(), name, nullptr, 0, &kernel, nullptr, &error);
  };
  CHECK(load(image, "absent") == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(std::string(error.what).find("has no kernel absent") != std::string::npos);
  CHECK(std::string(error.vendor_name) == "hipErrorNotFound");
  CHECK(load("rubbish", "absent") == BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(load(packed(".version 9.0\n.target sm_999\n.visible .entry x() { ret; }\n"), "x") ==
        BENCH_ERROR_INCOMPATIBLE);

  Work work(hip, "empty");
  const auto launch = [&] {
    return hip.kernels->launch(hip.target.instance, hip.target.device, work.kernel, &work.launch,
                               &stream, &error);
  };
  CHECK(launch() == BENCH_OK);
  work.launch.block[0] = 2048;
  CHECK(launch() == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(std::string(error.what).find("2048") != std::string::npos);
  work.launch.block[0] = 1;
  work.launch.grid[1] = 70000;
  CHECK(launch() == BENCH_ERROR_OUT_OF_RESOURCES);
  work.launch.grid[1] = 1;
  work.launch.shared_bytes = 300'000;
  CHECK(launch() == BENCH_ERROR_OUT_OF_RESOURCES);
  work.launch.shared_bytes = 0;
  work.launch.argument_count = 3;
  CHECK(launch() == BENCH_ERROR_INVALID_ARGUMENT);
  work.launch.argument_count = 0;
  CHECK(launch() == BENCH_OK);
  void *memory = nullptr;
  std::uint64_t size = 0;
  CHECK(hip.kernels->symbol(hip.target.instance, hip.target.device, work.kernel, "table", &memory,
                            &size, &error) == BENCH_OK);
  CHECK(size == 64);
  CHECK(hip.kernels->symbol(hip.target.instance, hip.target.device, work.kernel, "chair", &memory,
                            &size, &error) == BENCH_ERROR_INVALID_ARGUMENT);
}

TEST_CASE("too large an allocation says how large") {
  const Script script("memory=1000000");
  Hip hip;
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  stream.kind = BENCH_STREAM_PER_THREAD;
  void *memory = nullptr;
  bench_error_v1 error = error_struct();
  CHECK(hip.api.memory_allocate(hip.target.instance, hip.target.device, &stream, 2'000'000, &memory,
                                &error) == BENCH_ERROR_OUT_OF_RESOURCES);
  CHECK(std::string(error.what).find("2000000") != std::string::npos);
  CHECK(std::string(error.vendor_name) == "hipErrorOutOfMemory");
}

// Last: the stand-in's context is dead afterwards, as a real one is.
TEST_CASE("a sticky error is the device's end, with HIP's name, and nothing blocks after it") {
  Hip hip;
  Work work(hip, "illegal_address");
  try {
    work.measure();
    FAIL("measured a kernel that damages its context");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_DEVICE_LOST);
    CHECK(failure.text().vendor_name == "hipErrorIllegalAddress");
    CHECK(failure.text().vendor_code == 700);
  }
  CHECK_THROWS_AS(work.measure(), Failure);
}
