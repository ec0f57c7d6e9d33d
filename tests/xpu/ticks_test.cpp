// SPDX-License-Identifier: Apache-2.0
// Counters of every width, in ticks.
#include "../../plugins/xpu/ticks.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using bench_xpu::Counter;
using bench_xpu::elapsed_ns;
using bench_xpu::ticks_between;
using bench_xpu::wrap_ns;

TEST_CASE("one wrap is corrected for each width, and flagged") {
  for (const std::uint32_t bits : {32u, 36u, 63u, 64u}) {
    CAPTURE(bits);
    const Counter counter{bits, 80};
    const std::uint64_t last = counter.mask();
    std::uint32_t flags = 0;
    CHECK(elapsed_ns(counter, last - 9, 15, flags) == 25 * 80.0);
    CHECK(flags == BENCH_SAMPLE_WRAPPED);
    CHECK(elapsed_ns(counter, 1000, 1025, flags) == 25 * 80.0);
    CHECK(flags == 0);
  }
}

TEST_CASE("bits above the valid ones mean nothing") {
  for (const std::uint32_t bits : {32u, 36u, 63u}) {
    CAPTURE(bits);
    const Counter counter{bits, 1};
    const std::uint64_t above = ~counter.mask();
    std::uint32_t flags = 0;
    CHECK(elapsed_ns(counter, 100 | above, 150, flags) == 50);
    CHECK(elapsed_ns(counter, 100, 150 | above, flags) == 50);
    CHECK(flags == 0);
  }
}

TEST_CASE("no time and time that runs backwards are flagged, not corrected") {
  for (const std::uint32_t bits : {32u, 36u, 63u, 64u}) {
    CAPTURE(bits);
    const Counter counter{bits, 2};
    std::uint32_t flags = 0;
    CHECK(elapsed_ns(counter, 70, 70, flags) == 0);
    CHECK(flags == BENCH_SAMPLE_ZERO);
    CHECK(elapsed_ns(counter, 70, 65, flags) == -10);
    CHECK(flags == BENCH_SAMPLE_NEGATIVE);
  }
}

TEST_CASE("windows up to the promised wrap read right, wherever they begin") {
  for (const std::uint32_t bits : {32u, 36u, 63u}) {
    CAPTURE(bits);
    const Counter counter{bits, 1};
    const std::uint64_t longest = counter.mask() - counter.mask() / bench_xpu::backwards_part - 1;
    CHECK(static_cast<double>(longest) == doctest::Approx(wrap_ns(counter)).epsilon(1e-6));
    for (const std::uint64_t start : {std::uint64_t{0}, counter.mask() / 2, counter.mask()}) {
      const auto ticks = ticks_between(counter, start, start + longest);
      CHECK(ticks.count == longest);
      CHECK_FALSE(ticks.negative);
    }
  }
}

TEST_CASE("a counter of unknown width counts as one of 64 bits") {
  CHECK(Counter{0, 1}.mask() == ~std::uint64_t{0});
  CHECK(Counter{80, 1}.mask() == ~std::uint64_t{0});
}
