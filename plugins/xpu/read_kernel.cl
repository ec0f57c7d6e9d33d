// SPDX-License-Identifier: Apache-2.0
// Reads a buffer so that its lines end up clean in the last-level cache. read_kernel.inc is this file, compiled:
//   ocloc compile -file read_kernel.cl -device 0x56a0 -spv_only
kernel void bench_xpu_read(global const uint4 *memory, global uint *sink, ulong count) {
  uint4 sum = (uint4)(0);
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) sum ^= memory[i];
  // Hardly ever true, but no compiler can know that and leave the reads out.
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9e3779b9u) *sink = sum.x;
}
