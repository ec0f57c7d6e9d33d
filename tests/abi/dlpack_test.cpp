// SPDX-License-Identifier: Apache-2.0
// The device pair and the data types are DLPack's, bit for bit: a framework hands over what it has.
#include <dlpack/dlpack.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

#include "bench/ext/kernel.h"
#include "bench/plugin_v1.h"

TEST_CASE("a device is a DLDevice bit for bit") {
  CHECK(sizeof(bench_device_v1) == sizeof(DLDevice));
  CHECK(offsetof(bench_device_v1, type) == offsetof(DLDevice, device_type));
  CHECK(sizeof(bench_device_v1::type) == sizeof(DLDevice::device_type));
  CHECK(offsetof(bench_device_v1, id) == offsetof(DLDevice, device_id));
  CHECK(sizeof(bench_device_v1::id) == sizeof(DLDevice::device_id));
  const DLDevice given{kDLROCM, 3};
  bench_device_v1 taken;
  std::memcpy(&taken, &given, sizeof taken);
  CHECK(taken.type == BENCH_DEVICE_ROCM);
  CHECK(taken.id == 3);
}

TEST_CASE("device types have DLPack's numbers") {
  CHECK(BENCH_DEVICE_CPU == kDLCPU);
  CHECK(BENCH_DEVICE_CUDA == kDLCUDA);
  CHECK(BENCH_DEVICE_CUDA_HOST == kDLCUDAHost);
  CHECK(BENCH_DEVICE_OPENCL == kDLOpenCL);
  CHECK(BENCH_DEVICE_VULKAN == kDLVulkan);
  CHECK(BENCH_DEVICE_METAL == kDLMetal);
  CHECK(BENCH_DEVICE_VPI == kDLVPI);
  CHECK(BENCH_DEVICE_ROCM == kDLROCM);
  CHECK(BENCH_DEVICE_ROCM_HOST == kDLROCMHost);
  CHECK(BENCH_DEVICE_EXT == kDLExtDev);
  CHECK(BENCH_DEVICE_CUDA_MANAGED == kDLCUDAManaged);
  // Later than DLPack 0.6, which the oldest supported system brings: numbers of DLPack 1.1.
  CHECK(BENCH_DEVICE_ONEAPI == 14);
  CHECK(BENCH_DEVICE_WEBGPU == 15);
  CHECK(BENCH_DEVICE_HEXAGON == 16);
  CHECK(BENCH_DEVICE_MAIA == 17);
  CHECK(BENCH_DEVICE_TRAINIUM == 18);
}

TEST_CASE("a kernel parameter's data type is a DLDataType bit for bit") {
  constexpr std::size_t base = offsetof(bench_kernel_parameter_v1, dtype_code);
  CHECK(offsetof(bench_kernel_parameter_v1, dtype_bits) - base == offsetof(DLDataType, bits));
  CHECK(offsetof(bench_kernel_parameter_v1, dtype_lanes) - base == offsetof(DLDataType, lanes));
  CHECK(sizeof(bench_kernel_parameter_v1::dtype_code) == sizeof(DLDataType::code));
  CHECK(sizeof(bench_kernel_parameter_v1::dtype_bits) == sizeof(DLDataType::bits));
  CHECK(sizeof(bench_kernel_parameter_v1::dtype_lanes) == sizeof(DLDataType::lanes));
  // As the comment at dtype_code says.
  CHECK(kDLInt == 0);
  CHECK(kDLUInt == 1);
  CHECK(kDLFloat == 2);
  CHECK(kDLBfloat == 4);
  CHECK(kDLComplex == 5);
}
