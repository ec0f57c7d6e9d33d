// SPDX-License-Identifier: Apache-2.0
// What each of the runtime's errors means to whoever called the plugin.
#include <bench/plugin.hpp>

#include "library.hpp"

namespace bench_hip {
namespace {

struct Meaning {
  bench_status status;
  const char *hint;
};

constexpr const char *damaged =
    "the process's queues are dead: start a new process. A kernel has probably read or written "
    "where it must not; AMD_LOG_LEVEL=4 and `dmesg` tell more";
constexpr const char *not_captured = "measure by events: this cannot be captured into a graph";

Meaning meaning_of(hipError_t result) {
  switch (result) {
    case hipErrorOutOfMemory:
    case hipErrorLaunchOutOfResources:
    case hipErrorCooperativeLaunchTooLarge:
      return {BENCH_ERROR_OUT_OF_RESOURCES,
              "use a smaller problem or configuration, or free memory on the device"};
    case hipErrorIllegalAddress:
    case hipErrorLaunchFailure:
    case hipErrorAssert:
    case hipErrorUnknown:
      return {BENCH_ERROR_DEVICE_LOST, damaged};
    case hipErrorLaunchTimeOut:
      return {BENCH_ERROR_DEVICE_LOST,
              "the device was reset: see `dmesg`, and start a new process"};
    case hipErrorECCNotCorrectable:
      return {BENCH_ERROR_DEVICE_LOST, "the device's memory is faulty: see `dmesg`"};
    case hipErrorContextIsDestroyed:
    case hipErrorDeinitialized:
      return {BENCH_ERROR_DEVICE_LOST, "the runtime has ended: start a new process"};
    case hipErrorNotReady:
      return {BENCH_ERROR_BUSY, "wait for the work to be done"};
    case hipErrorStreamCaptureImplicit:
    case hipErrorCapturedEvent:
      return {BENCH_ERROR_BUSY, "wait until the capture into a graph has ended"};
    case hipErrorStreamCaptureUnsupported:
    case hipErrorStreamCaptureInvalidated:
    case hipErrorStreamCaptureMerge:
    case hipErrorStreamCaptureUnmatched:
    case hipErrorStreamCaptureUnjoined:
    case hipErrorStreamCaptureIsolation:
    case hipErrorStreamCaptureWrongThread:
      return {BENCH_ERROR_UNSUPPORTED, not_captured};
    case hipErrorNotSupported:
      return {BENCH_ERROR_UNSUPPORTED, "this device or runtime cannot do that"};
    case hipErrorNoDevice:
    case hipErrorInvalidDevice:
      return {BENCH_ERROR_NO_DEVICE,
              "see `bench devices`, HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES"};
    case hipErrorNoBinaryForGpu:
    case hipErrorInvalidImage:
    case hipErrorInvalidKernelFile:
    case hipErrorSharedObjectInitFailed:
      return {BENCH_ERROR_INCOMPATIBLE,
              "compile for this device's architecture, features (xnack, sramecc) included"};
    case hipErrorInvalidSource:
      return {BENCH_ERROR_COMPILE_FAILED, "see the compiler's log"};
    case hipErrorInvalidConfiguration:
      return {BENCH_ERROR_CONFIG_REJECTED, "use a grid and block that the device takes"};
    case hipErrorInvalidValue:
    case hipErrorInvalidHandle:
    case hipErrorInvalidContext:
    case hipErrorInvalidDevicePointer:
    case hipErrorInvalidDeviceFunction:
    case hipErrorNotFound:
      return {BENCH_ERROR_INVALID_ARGUMENT,
              "look at what was passed: is the stream alive, of this device, and its size right?"};
    default:
      return {BENCH_ERROR_INTERNAL, "see HIP's description of the error"};
  }
}

}  // namespace

int status_of(hipError_t result) {
  return meaning_of(result).status;
}

void check(hipError_t result, const std::string &what) {
  if (result == hipSuccess) return;
  const char *name = nullptr, *text = nullptr;
  if (const Library *known = opened_library()) {
    name = known->hipGetErrorName(result);
    text = known->hipGetErrorString(result);
  }
  const Meaning meaning = meaning_of(result);
  throw bench::plugin::Error(meaning.status,
                             "cannot " + what + ": " + (text ? text : "unknown error"),
                             meaning.hint, static_cast<std::int64_t>(result), name ? name : "");
}

}  // namespace bench_hip
