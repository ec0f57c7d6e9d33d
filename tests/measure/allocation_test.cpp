// SPDX-License-Identifier: Apache-2.0
// The timed window allocates nothing: an allocation would be timed, and may take a lock for any
// time.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "mock_device.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};
}  // namespace

void *operator new(std::size_t size) {
  ++allocations;
  if (void *memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace bench::measure;
using bench::test::MockDevice;
using bench::test::Work;

TEST_CASE("the counter counts") {
  const std::uint64_t before = allocations;
  const auto memory = std::make_unique<int>(1);
  CHECK(allocations == before + 1);
}

TEST_CASE("no window allocates, single or deep, hot or cold") {
  for (const CachePolicy cache : {CachePolicy::hot, CachePolicy::cold}) {
    for (const std::uint32_t launches : {1u, 1000u}) {
      MockDevice device;
      Policy policy;
      policy.cache = cache;
      Session session(device.target, nullptr, policy, device.clock);
      Work work(device);
      work.records_order = false;  // that string would grow
      session.window(work.callable, nullptr, launches);
      const std::uint64_t before = allocations;
      const bench_sample_v1 sample = session.window(work.callable, nullptr, launches);
      CHECK(allocations == before);
      CHECK(sample.launches == launches);
    }
  }
}

TEST_CASE("taking samples allocates nothing once it has begun") {
  MockDevice device;
  Work work(device);
  work.records_order = false;
  work.duration = [](std::uint64_t i) { return i % 2 ? 1e5 : 2e5; };
  std::uint64_t before = 0, during = 0;
  int asked = 0;
  Policy policy;
  policy.isolated = true;
  policy.max_samples = 9;  // below the first look of the stop rule, which sorts a copy
  measure(device.target, nullptr, work.callable, nullptr, policy, device.clock, [&] {
    if (++asked == 1) before = allocations;
    if (asked == 8) during = allocations - before;
    return false;
  });
  CHECK(asked >= 8);
  CHECK(during == 0);
}
