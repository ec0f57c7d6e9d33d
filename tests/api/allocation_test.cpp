// SPDX-License-Identifier: Apache-2.0
// A hit allocates nothing: every way to the heap is counted, also the library's own.
#include <atomic>
#include <cstdlib>

#include "scripted.hpp"

// The dynamic linker finds these before the C library's, for this program and for libbench.so.
extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
}
namespace {
std::atomic<std::uint64_t> allocations{0};
}
extern "C" {
void *malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void *calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void *aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

using namespace bench;

TEST_CASE("a hit with 6 arguments allocates nothing, building its arguments included") {
  const Context context = Context::create(test::scripted_options("")).value();
  TunerOptions options = test::times_options({2000, 1000});
  options.argument_names = {"x", "y", "m", "n", "alpha", "layout"};
  options.key_names = {"x", "m", "n", "layout"};
  const Tuner tuner = Tuner::create(context, options).value();
  float data[64];
  const auto fill = [&](Arguments &arguments) {
    arguments.set("x", tensor(data, {8, 8}, device("scripted", 0)))
        .set("y", tensor(data, {64}, device("scripted", 0)))
        .set("m", 8)
        .set("n", 1024)
        .set("alpha", 0.5)
        .set("layout", "nt");
  };
  const auto launch = [](const ConfigView &) {};
  {
    Arguments arguments(tuner);
    fill(arguments);
    const std::uint64_t before = allocations;
    CHECK(tuner.lookup(arguments, launch).value() == 1);
    CHECK(allocations > before);  // the counter does count: tuning allocates
  }
  std::uint64_t sum = 0;
  const std::uint64_t before = allocations;
  for (int round = 0; round < 1000; ++round) {
    Arguments arguments(tuner);
    fill(arguments);
    sum += tuner.lookup(arguments).value();
    sum += tuner.lookup(arguments, launch).value();
  }
  const std::uint64_t after = allocations;
  CHECK(after - before == 0);
  CHECK(sum == 2000);
}
