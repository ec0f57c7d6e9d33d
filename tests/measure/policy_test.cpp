// SPDX-License-Identifier: Apache-2.0
#include "measure/policy.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace bench;
using measure::policy_of;

namespace {

bench_policy_v1 default_policy() {
  bench_policy_v1 policy{};
  policy.struct_size = sizeof policy;
  return policy;
}

}  // namespace

TEST_CASE("the estimand is part of the policy's text, the effort is not") {
  bench_policy_v1 policy = default_policy();
  const std::string text = policy_of(&policy).text();
  CHECK(policy_of(nullptr).text() == text);
  policy.max_samples = 7;
  CHECK(policy_of(&policy).text() == text);
  policy.kind = BENCH_POLICY_ISOLATED_COLD;
  CHECK(policy_of(&policy).text() != text);
  policy = default_policy();
  policy.method = BENCH_METHOD_GATE;
  CHECK(policy_of(&policy).text() == text + "+gate");
}

TEST_CASE("a policy of the first version, without a method, leaves the choice to the engine") {
  bench_policy_v1 policy = default_policy();
  policy.struct_size = offsetof(bench_policy_v1, method);
  policy.method = BENCH_METHOD_PROFILER;  // beyond what the struct says it has
  CHECK(policy_of(&policy).method == measure::Method::automatic);
}

TEST_CASE("only methods that an engine can be asked for are taken") {
  bench_policy_v1 policy = default_policy();
  for (const std::uint32_t method : {BENCH_METHOD_HOST, BENCH_METHOD_BATCH, 99}) {
    policy.method = method;
    CHECK_THROWS_WITH_AS(policy_of(&policy), doctest::Contains("cannot be asked for"), Failure);
  }
}
