// SPDX-License-Identifier: Apache-2.0
// Measuring through a plugin's own do_bench.
#include <doctest/doctest.h>

#include <cmath>

#include "mock_device.hpp"
#include "toy_control.h"

using namespace bench::measure;
using bench::Failure;

namespace {

struct Toy {
  Toy() {
    const bench_plugin_api_v1 *table = bench::test::load_table(BENCH_TOY_PLUGIN);
    api = bench::loader::adapt_table(*table, target.has_t1, target.has_do_bench);
    target.api = &api;
    target.device = {BENCH_DEVICE_EXT, 0};
    const auto *control =
        static_cast<const bench_ext_test_toy_v1 *>(api.get_extension(nullptr, BENCH_TEST_TOY_V1));
    control->reset();
    script = control->script;
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_REPEATABLE;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                         bench_error_v1 *error) -> bench_status {
      Toy &self = *static_cast<Toy *>(user);
      if (++self.launches != self.fail_at) return BENCH_OK;
      return bench::error_fill(
          error, {BENCH_ERROR_CALLABLE_FAILED, "out of luck", "my launch", "try again", 5, ""});
    };
    callable.restore = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                          bench_error_v1 *) -> bench_status {
      ++static_cast<Toy *>(user)->restores;
      return BENCH_OK;
    };
  }
  bench_plugin_api_v1 api{};
  Target target;
  bench_test_toy_script_v1 *script = nullptr;
  bench_callable_v1 callable{};
  std::uint32_t launches = 0, restores = 0, fail_at = 0;
};

}  // namespace

TEST_CASE("a T0 plugin measures by its own do_bench") {
  Toy toy;
  CHECK_FALSE(toy.target.has_t1);
  CHECK(toy.target.has_do_bench);
  toy.script->time_ns = 2'500.0;
  Policy policy;
  policy.max_samples = 40;
  const Measurement found = measure(toy.target, nullptr, toy.callable, nullptr, policy);
  CHECK(std::abs(found.summary.median_ns - 2'500.0) < 2.0);
  CHECK(found.summary.samples == 40);
  CHECK(found.method == BENCH_METHOD_HOST);
  CHECK(found.stop_reason == StopReason::max_samples);
  CHECK(toy.script->do_bench_calls == 1);
  CHECK(toy.script->max_samples == 40);
  CHECK(toy.restores == 1);
}

TEST_CASE("the engine cannot be forced where there are no primitives") {
  Toy toy;
  Policy policy;
  policy.use_engine = true;
  policy.max_samples = 12;
  CHECK(measure(toy.target, nullptr, toy.callable, nullptr, policy).method == BENCH_METHOD_HOST);
}

TEST_CASE("a visit is one call with one warm-up launch and exactly the samples wanted") {
  Toy toy;
  Session session(toy.target, nullptr, Policy{});
  CHECK(session.delegates());
  CHECK(session.choose_launches(toy.callable, nullptr) == 1);
  const auto times = session.visit(toy.callable, nullptr, 5, 1);
  CHECK(times.size() == 5);
  CHECK(toy.script->do_bench_calls == 1);
  CHECK(toy.script->warmup_launches == 1);
  CHECK(toy.script->min_samples == 5);
  CHECK(toy.script->max_samples == 5);
  CHECK(toy.launches == 6);
  CHECK_FALSE(session.coarse());
}

TEST_CASE("an isolated policy asks for single launches") {
  Toy toy;
  Policy policy;
  policy.isolated = true;
  Session session(toy.target, nullptr, policy);
  session.visit(toy.callable, nullptr, 2, 1);
  CHECK(toy.script->launches_per_sample == 1);
}

TEST_CASE("a plugin that ignores its limits is marked coarse") {
  Toy toy;
  toy.script->fixed_samples = 100;
  Session session(toy.target, nullptr, Policy{});
  CHECK(session.visit(toy.callable, nullptr, 5, 1).size() == 5);
  CHECK(session.coarse());
  Policy policy;
  policy.max_samples = 10;
  const Measurement found = measure(toy.target, nullptr, toy.callable, nullptr, policy);
  CHECK(found.stop_reason == StopReason::coarse);
  CHECK((found.flags & BENCH_RESULT_COARSE) != 0);
  CHECK(found.summary.samples == 10);
}

TEST_CASE("a plugin that overstates what it wrote is not believed") {
  Toy toy;
  toy.script->overstate_written = 1'000'000;
  Policy policy;
  policy.max_samples = 20;
  CHECK(measure(toy.target, nullptr, toy.callable, nullptr, policy).samples.size() == 20);
  Session session(toy.target, nullptr, Policy{});
  CHECK(session.visit(toy.callable, nullptr, 5, 1).size() == 5);
}

TEST_CASE("a plugin whose samples are all negative is a failure with a way out") {
  Toy toy;
  toy.script->negative_samples = 1;
  try {
    measure(toy.target, nullptr, toy.callable, nullptr, Policy{});
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_INTERNAL);
    CHECK(failure.text().hint.find("engine") != std::string::npos);
  }
  Session session(toy.target, nullptr, Policy{});
  CHECK_THROWS_AS(session.visit(toy.callable, nullptr, 5, 1), Failure);
}

TEST_CASE("failures of plugin and callback come through") {
  Toy toy;
  toy.script->fail_status = BENCH_ERROR_BUSY;
  try {
    measure(toy.target, nullptr, toy.callable, nullptr, Policy{});
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_BUSY);
    CHECK(failure.text().what == "the script says so");
  }
  CHECK(toy.launches == 0);
  toy.script->fail_status = BENCH_OK;
  toy.fail_at = 3;
  Session session(toy.target, nullptr, Policy{});
  try {
    session.visit(toy.callable, nullptr, 5, 1);
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_CALLABLE_FAILED);
    CHECK(failure.text().what == "out of luck");
    CHECK(failure.text().vendor_code == 5);
  }
  CHECK(session.failed_in_callback());
  CHECK(toy.restores == 1);
}

TEST_CASE("should_stop reaches the plugin") {
  Toy toy;
  int asked = 0;
  const Measurement found = measure(toy.target, nullptr, toy.callable, nullptr, Policy{},
                                    bench::system_clock(), [&] { return ++asked == 8; });
  CHECK(found.stop_reason == StopReason::cancelled);
  CHECK(found.summary.samples == 7);
}
