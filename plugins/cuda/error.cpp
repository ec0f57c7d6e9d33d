// SPDX-License-Identifier: Apache-2.0
// What each of the driver's errors means to whoever called the plugin.
#include <bench/plugin.hpp>

#include "driver.hpp"

namespace bench_cuda {
namespace {

struct Meaning {
  bench_status status;
  const char *hint;
};

constexpr const char *damaged =
    "the context is dead: start a new process. A kernel has probably read or written where it must "
    "not; "
    "compute-sanitizer finds the place";
constexpr const char *broken_device =
    "the context is dead: start a new process, and see `nvidia-smi -q` and the system's log for "
    "the device's "
    "faults";
constexpr const char *no_context =
    "the context is dead: start a new process; find out who destroyed it, or ended the MPS server";
constexpr const char *smaller =
    "use a smaller problem or configuration, or free memory on the device";
constexpr const char *not_captured = "measure by events: this cannot be captured into a graph";
constexpr const char *after_capture = "wait until the capture into a graph has ended";
constexpr const char *other_image =
    "compile for this device's architecture, with a compiler that is no newer than the driver";

Meaning meaning_of(CUresult result) {
  // Errors that younger headers alone name.
  constexpr auto contained = static_cast<CUresult>(226);
  constexpr auto tensor_memory_leak = static_cast<CUresult>(721);
  if (result == contained) return {BENCH_ERROR_DEVICE_LOST, broken_device};
  if (result == tensor_memory_leak) return {BENCH_ERROR_DEVICE_LOST, damaged};
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return {BENCH_ERROR_OUT_OF_RESOURCES, smaller};
    // After these each later call on the context returns the same.
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_UNKNOWN:
      return {BENCH_ERROR_DEVICE_LOST, damaged};
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {BENCH_ERROR_DEVICE_LOST,
              "the context is dead: start a new process; the system ends kernels that run for "
              "seconds on a "
              "device with a display"};
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return {BENCH_ERROR_DEVICE_LOST, broken_device};
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
      return {BENCH_ERROR_DEVICE_LOST, no_context};
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return {BENCH_ERROR_BUSY,
              "another process holds the device, which is in exclusive mode: see `nvidia-smi`"};
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return {BENCH_ERROR_BUSY, "try again when the MPS server has room"};
    case CUDA_ERROR_NOT_READY:
      return {BENCH_ERROR_BUSY, "wait for the work to be done"};
    // Somebody else is capturing, maybe on a stream that the default stream waits for.
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
      return {BENCH_ERROR_BUSY, after_capture};
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return {BENCH_ERROR_UNSUPPORTED, not_captured};
    case CUDA_ERROR_NOT_SUPPORTED:
      return {BENCH_ERROR_UNSUPPORTED, "this device or driver cannot do that"};
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
      return {BENCH_ERROR_NO_DEVICE, "see `bench devices`, and CUDA_VISIBLE_DEVICES"};
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
      return {BENCH_ERROR_NO_PERMISSION, "ask the machine's administrator"};
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC:
      return {BENCH_ERROR_INCOMPATIBLE, other_image};
    case CUDA_ERROR_INVALID_PTX:
      return {BENCH_ERROR_COMPILE_FAILED, "see the log of the driver's compiler"};
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return {BENCH_ERROR_CONFIG_REJECTED, "use a cluster size that this kernel can have here"};
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_NOT_FOUND:
      return {BENCH_ERROR_INVALID_ARGUMENT,
              "look at what was passed: is the stream alive, of this device, and its size right?"};
    default:
      return {BENCH_ERROR_INTERNAL, "see the CUDA driver API's description of the error"};
  }
}

}  // namespace

int status_of(CUresult result) {
  return meaning_of(result).status;
}

void check(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr, *text = nullptr;
  if (const Driver *known = opened_driver()) {
    known->cuGetErrorName(result, &name);
    known->cuGetErrorString(result, &text);
  }
  const Meaning meaning = meaning_of(result);
  throw bench::plugin::Error(meaning.status,
                             "cannot " + what + ": " + (text ? text : "unknown error"),
                             meaning.hint, static_cast<std::int64_t>(result), name ? name : "");
}

}  // namespace bench_cuda
