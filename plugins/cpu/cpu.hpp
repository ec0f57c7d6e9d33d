// SPDX-License-Identifier: Apache-2.0
// What the files of the cpu plugin share. Class "cpu", one device: cpu:0, the cores that this
// process may use. Its "streams" run everything on the calling thread, its events read
// CLOCK_MONOTONIC.
#pragma once
#include <bench/ext/cpu.h>
#include <bench/ext/kernel.h>

#include <bench/plugin.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

struct bench_instance_v1 {
  std::mutex mutex;  // of the compilers' identities: asked from any thread
  std::map<std::string, std::string> compilers;
  void *flush_memory = nullptr;
  std::uint64_t flush_bytes = 0;
};

struct bench_event_v1 {
  std::int64_t time_ns;
};

namespace bench_cpu {

using bench::plugin::Error;
using bench::plugin::guarded;
using bench::plugin::write_all;

constexpr int device_id = 0;

/// Throws unless the pair is cpu:0.
void check_device(bench_device_v1 device);

// device.cpp
bench_status device_list(bench_instance_v1 *, bench_device_v1 *devices, std::uint32_t capacity,
                         std::uint32_t *count, bench_error_v1 *error);
bench_status device_info(bench_instance_v1 *, bench_device_v1 device, bench_device_info_v1 *info,
                         bench_error_v1 *error);
/// Sum over the last-level caches of the cores this process may use; 0 if the system does not tell.
std::uint64_t last_level_cache_bytes();

// memory.cpp
bench_status memory_allocate(bench_instance_v1 *, bench_device_v1, const bench_stream_v1 *,
                             std::uint64_t size, void **memory, bench_error_v1 *error);
void memory_free(bench_instance_v1 *, bench_device_v1, void *memory);
bench_status memory_copy(bench_instance_v1 *, bench_device_v1, void *destination,
                         std::uint64_t destination_offset, const void *source,
                         std::uint64_t source_offset, std::uint64_t size, std::uint32_t direction,
                         const bench_stream_v1 *, bench_error_v1 *error);
bench_status memory_set(bench_instance_v1 *, bench_device_v1, void *memory, std::uint64_t offset,
                        std::uint8_t value, std::uint64_t size, const bench_stream_v1 *,
                        bench_error_v1 *error);
bench_status flush_prepare(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *,
                           std::uint64_t *flushed_bytes, bench_error_v1 *error);
void flush_release(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *);
bench_status flush(bench_instance_v1 *instance, bench_device_v1, const bench_stream_v1 *,
                   std::uint32_t mode, bench_error_v1 *error);

// kernel.cpp
extern const bench_ext_kernel_v1 kernel_extension;

// thread.cpp
extern const bench_ext_cpu_v1 cpu_extension;

/// What a child printed and how it ended.
struct ProcessResult {
  int status = -1;  // exit status; 128 + n for signal n
  bool timed_out = false;
  bool started = false;
  std::string output;  // stdout and stderr together
};
/// Runs a program without a shell; kills its whole group at `deadline_ns` (CLOCK_MONOTONIC, 0 =
/// none).
ProcessResult run_process(const std::vector<std::string> &arguments, std::int64_t deadline_ns);

/// The wrapper's source for a kernel: one C symbol that unpacks the arguments, with their declared
/// types, so that a kernel with other parameters does not compile.
std::string wrapper_source(const bench_kernel_source_v1 &source, bool is_cpp);
constexpr const char *wrapper_symbol = "bench_cpu_kernel";

/// Path of the compiler for "C" or "C++": BENCH_CC or BENCH_CXX, else the first of the usual names
/// on PATH. Throws UNSUPPORTED with the package that brings one.
std::string find_compiler(bool is_cpp);
/// First line of --version.
std::string compiler_identity(bench_instance_v1 &instance, const std::string &language);
/// The compiled shared object's bytes; `log` gets what the compiler said.
std::vector<std::uint8_t> compile_object(const bench_kernel_source_v1 &source, bool is_cpp,
                                         std::string &log);

}  // namespace bench_cpu
