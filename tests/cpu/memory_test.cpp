// SPDX-License-Identifier: Apache-2.0
#include "cpu_plugin.hpp"

using bench::test::Cpu;

namespace {

void *allocate(Cpu &cpu, std::uint64_t size) {
  void *memory = nullptr;
  REQUIRE(cpu.api.memory_allocate(cpu.instance, cpu.device, &cpu.stream, size, &memory,
                                  &cpu.error) == BENCH_OK);
  return memory;
}

}  // namespace

TEST_CASE("memory is aligned and its bytes arrive where the offsets say") {
  Cpu cpu;
  void *memory = allocate(cpu, 16), *other = allocate(cpu, 16);
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
  REQUIRE(cpu.api.memory_set(cpu.instance, cpu.device, memory, 0, 0x11, 16, &cpu.stream,
                             &cpu.error) == BENCH_OK);
  REQUIRE(cpu.api.memory_set(cpu.instance, cpu.device, memory, 4, 0x22, 2, &cpu.stream,
                             &cpu.error) == BENCH_OK);
  REQUIRE(cpu.api.memory_set(cpu.instance, cpu.device, other, 0, 0x33, 16, &cpu.stream,
                             &cpu.error) == BENCH_OK);
  const std::string host = "abcdef";
  REQUIRE(cpu.api.memory_copy(cpu.instance, cpu.device, memory, 8, host.data(), 2, 3,
                              BENCH_COPY_TO_DEVICE, &cpu.stream, &cpu.error) == BENCH_OK);
  REQUIRE(cpu.api.memory_copy(cpu.instance, cpu.device, other, 1, memory, 3, 8,
                              BENCH_COPY_ON_DEVICE, &cpu.stream, &cpu.error) == BENCH_OK);
  std::string result(12, '.');
  REQUIRE(cpu.api.memory_copy(cpu.instance, cpu.device, result.data(), 1, other, 0, 10,
                              BENCH_COPY_FROM_DEVICE, &cpu.stream, &cpu.error) == BENCH_OK);
  CHECK(result ==
        ".\x33\x11\x22\x22\x11\x11"
        "cde\x33.");
  cpu.api.memory_free(cpu.instance, cpu.device, memory);
  cpu.api.memory_free(cpu.instance, cpu.device, other);
  cpu.api.memory_free(cpu.instance, cpu.device, nullptr);
}

TEST_CASE("a copy of no bytes changes nothing") {
  Cpu cpu;
  void *memory = allocate(cpu, 1);
  char byte = 'x';
  CHECK(cpu.api.memory_set(cpu.instance, cpu.device, memory, 1, 0, 0, &cpu.stream, &cpu.error) ==
        BENCH_OK);
  CHECK(cpu.api.memory_copy(cpu.instance, cpu.device, &byte, 0, memory, 0, 0,
                            BENCH_COPY_FROM_DEVICE, &cpu.stream, &cpu.error) == BENCH_OK);
  CHECK(byte == 'x');
  cpu.api.memory_free(cpu.instance, cpu.device, memory);
}

TEST_CASE("sizes that cannot be are refused, with the handle NULL") {
  Cpu cpu;
  void *memory = &cpu;
  CHECK(cpu.api.memory_allocate(cpu.instance, cpu.device, &cpu.stream, 0, &memory, &cpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(memory == nullptr);
  CHECK(cpu.error.complete());
  for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX - 255, std::uint64_t{1} << 50}) {
    memory = &cpu;
    CAPTURE(size);
    CHECK(cpu.api.memory_allocate(cpu.instance, cpu.device, &cpu.stream, size, &memory,
                                  &cpu.error) == BENCH_ERROR_OUT_OF_RESOURCES);
    CHECK(memory == nullptr);
    CHECK(std::string(cpu.error.what).find(std::to_string(size)) != std::string::npos);
  }
  CHECK(cpu.api.memory_allocate(cpu.instance, cpu.stranger, &cpu.stream, 16, &memory, nullptr) ==
        BENCH_ERROR_NO_DEVICE);
}

TEST_CASE("an unknown direction is refused before anything is copied") {
  Cpu cpu;
  char from = 'a', to = 'b';
  for (const std::uint32_t direction : {0u, 4u, 0xffffffffu}) {
    CHECK(cpu.api.memory_copy(cpu.instance, cpu.device, &to, 0, &from, 0, 1, direction, &cpu.stream,
                              &cpu.error) == BENCH_ERROR_UNSUPPORTED);
    CHECK(to == 'b');
  }
  CHECK(cpu.error.complete());
}

TEST_CASE("a flush needs its memory, knows two modes and can be released") {
  Cpu cpu;
  CHECK(cpu.api.flush(cpu.instance, cpu.device, &cpu.stream, BENCH_FLUSH_WRITE, &cpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  CHECK(cpu.error.complete());
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  REQUIRE(cpu.api.device_info(cpu.instance, cpu.device, &info, &cpu.error) == BENCH_OK);
  std::uint64_t bytes = 0, again = 0;
  REQUIRE(cpu.api.flush_prepare(cpu.instance, cpu.device, &cpu.stream, &bytes, &cpu.error) ==
          BENCH_OK);
  CHECK(bytes > 0);
  CHECK(bytes >= info.last_level_cache_bytes);
  REQUIRE(cpu.api.flush_prepare(cpu.instance, cpu.device, &cpu.stream, &again, &cpu.error) ==
          BENCH_OK);
  CHECK(again == bytes);
  CHECK(cpu.api.flush(cpu.instance, cpu.device, &cpu.stream, BENCH_FLUSH_WRITE, &cpu.error) ==
        BENCH_OK);
  CHECK(cpu.api.flush(cpu.instance, cpu.device, &cpu.stream, BENCH_FLUSH_READ, &cpu.error) ==
        BENCH_OK);
  for (const std::uint32_t mode : {0u, 3u})
    CHECK(cpu.api.flush(cpu.instance, cpu.device, &cpu.stream, mode, &cpu.error) ==
          BENCH_ERROR_UNSUPPORTED);
  cpu.api.flush_release(cpu.instance, cpu.device, &cpu.stream);
  CHECK(cpu.api.flush(cpu.instance, cpu.device, &cpu.stream, BENCH_FLUSH_READ, &cpu.error) ==
        BENCH_ERROR_INVALID_ARGUMENT);
  cpu.api.flush_release(cpu.instance, cpu.device, &cpu.stream);  // twice does no harm
}
