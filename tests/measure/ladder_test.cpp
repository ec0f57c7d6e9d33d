// SPDX-License-Identifier: Apache-2.0
// Which method measures, what it reads, and how it steps down.
#include "measure/ladder.hpp"

#include <doctest/doctest.h>

#include "mock_device.hpp"

using namespace bench;
using namespace bench::measure;
using bench::test::MockDevice;
using bench::test::Work;

namespace {

constexpr std::uint32_t recordable = BENCH_CALLABLE_CAPTURABLE | BENCH_CALLABLE_REPEATABLE;
/// Launches cost the host ten times what they cost the device.
constexpr double slow_submit_ns = 10'000.0;
constexpr double short_work_ns = 1'000.0;

struct Bed {
  explicit Bed(std::uint32_t offers, double work_ns = short_work_ns) : work(device, work_ns) {
    device.script->offers = offers;
    device.script->submit_ns = slow_submit_ns;
    work.callable.flags = recordable;
    work.records_order = false;
  }
  Measurement measure() {
    return measure::measure(device.target, nullptr, work.callable, nullptr, policy, device.clock);
  }
  bool clean() const {
    return device.clean() && device.script->gates_alive == 0 && device.script->graphs_alive == 0;
  }

  MockDevice device;
  Policy policy;
  Work work;
};

/// Launches that wait for the device themselves.
void make_synchronizing(Bed &bed, std::uint64_t from_launch) {
  static std::uint64_t first;
  first = from_launch;
  bed.work.callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                                bench_error_v1 *error) -> bench_status {
    Work &self = *static_cast<Work *>(user);
    const auto &target = self.device.target;
    const bench_status status = self.device.control->work(target.instance, target.device, stream,
                                                          self.duration(self.launches), error);
    if (status != BENCH_OK || ++self.launches < first) return status;
    return target.api->stream_synchronize(target.instance, target.device, stream, error);
  };
}

}  // namespace

TEST_CASE("where launching is working, nothing is bound by the host") {
  Bed bed(0);
  bed.device.target.synchronous = true;
  CHECK((bed.measure().flags & BENCH_RESULT_HOST_BOUND) == 0);
}

TEST_CASE("without extensions the host's speed is measured, and the result says so") {
  Bed bed(0);
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_BATCH);
  CHECK(measurement.summary.median_ns == doctest::Approx(slow_submit_ns).epsilon(0.01));
  CHECK((measurement.flags & BENCH_RESULT_HOST_BOUND) != 0);
  CHECK((measurement.flags & BENCH_RESULT_STEPPED_DOWN) == 0);
  CHECK(bed.clean());
}

TEST_CASE("behind a gate the device's time is measured") {
  Bed bed(MOCK_OFFERS_GATE);
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GATE);
  CHECK(measurement.summary.median_ns == doctest::Approx(short_work_ns).epsilon(0.02));
  REQUIRE(measurement.slope_ns);
  CHECK(*measurement.slope_ns == doctest::Approx(short_work_ns).epsilon(0.001));
  CHECK((measurement.flags & BENCH_RESULT_HOST_BOUND) == 0);
  CHECK(bed.clean());
}

TEST_CASE("a callable that may be recorded is measured in a graph") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GRAPH);
  CHECK(measurement.summary.median_ns == doctest::Approx(short_work_ns).epsilon(0.02));
  CHECK(measurement.launches_per_window > 1);
  CHECK(bed.device.script->graph_launches > 10);
  CHECK(bed.clean());
  SUBCASE("one that may not is measured behind the gate") {
    bed.work.callable.flags = BENCH_CALLABLE_REPEATABLE;
    CHECK(bed.measure().method == BENCH_METHOD_GATE);
  }
}

TEST_CASE("one recording serves all windows of the same depth") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  Session session(bed.device.target, nullptr, bed.policy, bed.device.clock);
  for (int i = 0; i < 10; ++i) session.window(bed.work.callable, nullptr, 50);
  CHECK(bed.device.script->recordings == 1);
  session.drop(bed.work.callable);
  CHECK(bed.device.script->graphs_alive == 0);
  session.window(bed.work.callable, nullptr, 50);
  CHECK(bed.device.script->recordings == 2);
}

TEST_CASE("a method that is named is taken, or refused in words") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  bed.policy.method = Method::event;
  CHECK(bed.measure().method == BENCH_METHOD_BATCH);
  bed.policy.method = Method::gate;
  CHECK(bed.measure().method == BENCH_METHOD_GATE);
  bed.policy.method = Method::profiler;
  CHECK_THROWS_WITH_AS(bed.measure(), doctest::Contains("no bench.profiler/1"), Failure);
  bed.device.script->offers = 0;
  bed.policy.method = Method::gate;
  CHECK_THROWS_WITH_AS(bed.measure(), doctest::Contains("no bench.gate/1"), Failure);
  CHECK(bed.clean());
}

TEST_CASE("a launch that waits for the device is measured without a gate, not for ever") {
  Bed bed(MOCK_OFFERS_GATE);
  bed.work.callable.flags = BENCH_CALLABLE_REPEATABLE;
  make_synchronizing(bed, 1);
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_BATCH);
  CHECK((measurement.flags & BENCH_RESULT_STEPPED_DOWN) != 0);
  CHECK(measurement.note.find("no gate: a launch waits for the device") != std::string::npos);
  CHECK(bed.clean());
}

TEST_CASE("one that begins to wait only later is let through by the watchdog") {
  Bed bed(MOCK_OFFERS_GATE);
  bed.work.callable.flags = BENCH_CALLABLE_REPEATABLE;
  make_synchronizing(bed, 8);  // after qualification has seen it return at once
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_BATCH);
  CHECK(measurement.note.find("no gate: a launch waits for the device") != std::string::npos);
  CHECK(measurement.summary.samples > 0);
  CHECK(bed.clean());
}

TEST_CASE("a queue that is full behind the gate halves the depth until it fits") {
  Bed bed(MOCK_OFFERS_GATE);
  bed.device.script->queue_limit = 50;  // the two events of a window among them
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GATE);
  CHECK(measurement.launches_per_window <= 48);
  CHECK((measurement.flags & BENCH_RESULT_STEPPED_DOWN) != 0);
  CHECK(measurement.note.find("the gate had to be opened before") != std::string::npos);
  // What submitting the graph takes the host is in the window now.
  CHECK(measurement.summary.median_ns < 1.2 * short_work_ns);
  CHECK(bed.clean());
}

TEST_CASE("a callable that cannot be recorded steps down to the gate with the reason") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  SUBCASE("it waits: that breaks the recording, and the gate too") {
    make_synchronizing(bed, 8);
    const Measurement measurement = bed.measure();
    CHECK(measurement.method == BENCH_METHOD_BATCH);
    CHECK(measurement.note.find("no graph: ") != std::string::npos);
  }
  SUBCASE("the plugin cannot") {
    std::snprintf(bed.device.script->fail_function, sizeof bed.device.script->fail_function,
                  "graph_end");
    bed.device.script->fail_countdown = 1;
    bed.device.script->fail_status = BENCH_ERROR_UNSUPPORTED;
    const Measurement measurement = bed.measure();
    CHECK(measurement.method == BENCH_METHOD_GATE);
    CHECK(measurement.note.find("graph_end fails as scripted") != std::string::npos);
  }
}

TEST_CASE("a callable that enqueues nothing is told, although it says that it may be recorded") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  bed.work.enqueues = false;
  const Measurement measurement = bed.measure();
  CHECK((measurement.flags & BENCH_RESULT_NOTHING_ENQUEUED) != 0);
  CHECK(bed.clean());
}

TEST_CASE("a callable's failure is its own, in a recording as elsewhere, and opens the gate") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  for (const std::uint64_t at : {1, 5, 60}) {
    bed.work.launches = 0;
    bed.work.fail_at = at;
    CAPTURE(at);
    try {
      bed.measure();
      // Failing once while recorded only costs the graph.
      CHECK(bed.work.launches > at);
    } catch (const Failure &failure) {
      CHECK(failure.text().vendor_name == "MY_ERROR");
    }
    CHECK(bed.clean());
  }
}

TEST_CASE("cold short launches are the difference of two graphs") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  bed.policy.cache = CachePolicy::cold;
  bed.device.script->flush_ns = 40'000.0;
  bed.device.script->cold_extra_ns = 250.0;
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GRAPH);
  CHECK(measurement.launches_per_window == 20);
  CHECK(measurement.summary.median_ns == doctest::Approx(short_work_ns + 250.0).epsilon(0.005));
  CHECK(bed.clean());
  SUBCASE("differences that vary too much give way to single launches behind the gate") {
    bed.device.script->recording_jitter = 0.1;
    const Measurement single = bed.measure();
    CHECK(single.method == BENCH_METHOD_GATE);
    CHECK(single.launches_per_window == 1);
    CHECK(single.note.find("differences of cold graphs is wider") != std::string::npos);
  }
  SUBCASE("a long launch is read by itself") {
    bed.work.duration = [](std::uint64_t) { return 2e6; };
    CHECK(bed.measure().launches_per_window == 1);
  }
}

TEST_CASE("the profiler's records have no floor and no host in them") {
  Bed bed(MOCK_OFFERS_PROFILER);
  bed.policy.method = Method::profiler;
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_PROFILER);
  CHECK(measurement.summary.median_ns == doctest::Approx(short_work_ns));
  SUBCASE("where another tool holds it, the next method measures, and the note says why") {
    bed.device.script->profiler_busy = 1;
    const Measurement next = bed.measure();
    CHECK(next.method != BENCH_METHOD_PROFILER);
    CHECK((next.flags & BENCH_RESULT_STEPPED_DOWN) != 0);
    CHECK(next.note.find("no profiler: another tool holds") != std::string::npos);
    CHECK(next.floor_ns > 0.0);
    bed.device.script->offers |= MOCK_OFFERS_GATE;
    CHECK(bed.measure().method == BENCH_METHOD_GATE);
  }
}

TEST_CASE("a stream that somebody records is refused before anything else happens") {
  Bed bed(MOCK_OFFERS_CAPTURE);
  bed.device.script->capture_state = BENCH_CAPTURE_ACTIVE;
  bench_stream_v1 stream{};
  stream.struct_size = sizeof stream;
  stream.kind = BENCH_STREAM_DEFAULT;
  try {
    measure::measure(bed.device.target, &stream, bed.work.callable, nullptr, bed.policy,
                     bed.device.clock);
    FAIL("measured on a stream that is being captured");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_BUSY);
    CHECK(std::string(failure.what()).find("being captured") != std::string::npos);
  }
  CHECK(bed.work.launches == 0);
  CHECK(bed.device.script->records == 0);
}

TEST_CASE("windows of a block at whose end the clock was held down are marked") {
  Bed bed(MOCK_OFFERS_TELEMETRY);
  bed.work.duration = [](std::uint64_t) { return 5e6; };
  bed.policy.min_samples = bed.policy.max_samples = 100;
  bed.policy.max_time_ns = 2'000'000'000;
  const Measurement free = bed.measure();
  CHECK(free.note.find("clock") == std::string::npos);
  bed.device.script->throttled_after_ns = static_cast<double>(bed.device.clock.now_ns()) + 0.35e9;
  const Measurement held = bed.measure();
  const auto throttled = std::count_if(
      held.samples.begin(), held.samples.end(),
      [](const bench_sample_v1 &sample) { return sample.flags & BENCH_SAMPLE_THROTTLED; });
  CHECK(throttled > 0);
  CHECK(static_cast<std::size_t>(throttled) < held.samples.size());
  CHECK((held.samples.front().flags & BENCH_SAMPLE_THROTTLED) == 0);
  CHECK(held.note.find("held down meanwhile: power") != std::string::npos);
}

TEST_CASE("a graph that does not fit behind the gate is measured without one, at its whole depth") {
  Bed bed(MOCK_OFFERS_GATE | MOCK_OFFERS_GRAPH);
  bed.device.script->queue_limit = 2;  // an empty window fits, one with a graph does not
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GRAPH);
  CHECK(measurement.launches_per_window > 1);
  CHECK(measurement.note.find("no gate") != std::string::npos);
  // What submitting the graph takes the host is in the window now.
  CHECK(measurement.summary.median_ns < 1.2 * short_work_ns);
  SUBCASE("so is a cold difference, of which the host's part is the same in both graphs") {
    bed.policy.cache = CachePolicy::cold;
    bed.device.script->flush_ns = 40'000.0;
    const Measurement cold = bed.measure();
    CHECK(cold.note.find("no gate") != std::string::npos);
    CHECK(cold.method == BENCH_METHOD_GRAPH);
    CHECK(cold.launches_per_window == 20);
    CHECK(cold.summary.median_ns == doctest::Approx(short_work_ns).epsilon(0.05));
  }
  CHECK(bed.clean());
}

TEST_CASE("without a gate a graph still has an end") {
  Bed bed(MOCK_OFFERS_GRAPH);
  bed.work.duration = [](std::uint64_t) { return 0.01; };
  const Measurement measurement = bed.measure();
  CHECK(measurement.method == BENCH_METHOD_GRAPH);
  CHECK(measurement.launches_per_window <= 4096);
}
