// SPDX-License-Identifier: Apache-2.0
// How large a flush is, and the one that only reads.
#include <algorithm>

#include "cuda.hpp"

namespace bench_cuda {
namespace {

// Five quarters of the cache. On an H200 a line that was touched before answers in 297 cycles,
// after writing or reading 0.75 caches in about 645, after 1 and more in 665
// (benchmarks/results/flush_h200.json): one is enough, a quarter is for caches that hash
// differently. More only adds time and noise.
constexpr std::uint64_t flush_quarters = 5;
// Where the driver reports no cache.
constexpr std::uint64_t least_flush_bytes = 8u << 20;
constexpr unsigned reader_threads = 256;
constexpr unsigned reader_blocks_per_sm = 8;
constexpr std::uint64_t bytes_per_load = 16;

// Reads 16 bytes at a time through the L2 and stores only if their parity is a value that zeros
// never have: without a use the driver's compiler would drop the loads. PTX of the oldest version
// that all supported drivers take.
constexpr const char *reader_ptx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry bench_flush_read(.param .u64 buffer, .param .u64 loads)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [buffer];
  ld.param.u64 %rd2, [loads];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd3, %r1, %r2;
  cvt.u64.u32 %rd4, %r3;
  add.u64 %rd3, %rd3, %rd4;
  mul.wide.u32 %rd5, %r4, %r2;
  mov.u32 %r5, 0;
next:
  setp.ge.u64 %p1, %rd3, %rd2;
  @%p1 bra done;
  shl.b64 %rd6, %rd3, 4;
  add.u64 %rd7, %rd1, %rd6;
  ld.global.cg.v4.u32 {%r6, %r7, %r8, %r9}, [%rd7];
  xor.b32 %r5, %r5, %r6;
  xor.b32 %r5, %r5, %r7;
  xor.b32 %r5, %r5, %r8;
  xor.b32 %r5, %r5, %r9;
  add.u64 %rd3, %rd3, %rd5;
  bra next;
done:
  setp.ne.u32 %p2, %r5, 0x5eed5eed;
  @%p2 bra end;
  st.global.u32 [%rd1], %r5;
end:
  ret;
}
)";

}  // namespace

std::uint64_t Runtime::flush_bytes(bench_instance_v1 &, bench_device_v1 device) {
  const int cache = attribute(device_handle(device), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return std::max(least_flush_bytes, flush_quarters * static_cast<std::uint64_t>(cache) / 4);
}

void Runtime::unpin_cache() {
  // Lines that a program has made to persist would survive any flush.
  if (driver().cuCtxResetPersistingL2Cache) driver().cuCtxResetPersistingL2Cache();
}

Runtime::Status Runtime::make_reader(Reader *reader) {
  const Driver &cuda = driver();
  CUresult result = cuda.cuModuleLoadDataEx(&reader->module, reader_ptx, 0, nullptr, nullptr);
  if (result != CUDA_SUCCESS) return result;
  result = cuda.cuModuleGetFunction(&reader->function, reader->module, "bench_flush_read");
  if (result != CUDA_SUCCESS) cuda.cuModuleUnload(reader->module);
  return result;
}

Runtime::Status Runtime::drop_reader(const Reader &reader) {
  return driver().cuModuleUnload(reader.module);
}

Runtime::Status Runtime::read(const Reader &reader, void *memory, std::uint64_t size,
                              Stream stream) {
  std::uint64_t loads = size / bytes_per_load;
  void *arguments[] = {&memory, &loads};
  // As many blocks as any device of today runs at once; each takes its share in a loop.
  constexpr unsigned blocks = 160 * reader_blocks_per_sm;
  return driver().cuLaunchKernel(reader.function, blocks, 1, 1, reader_threads, 1, 1, 0, stream,
                                 arguments, nullptr);
}

}  // namespace bench_cuda
