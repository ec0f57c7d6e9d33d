// SPDX-License-Identifier: Apache-2.0
// One speed from the first measurement of a process to the last.
//
// A process has two of them. On an H200 (driver 580) the nodes of a graph follow each other in 510
// ns in a fresh one. After some memory was freed between launches, or once kernels were launched on
// a second stream, it is 690 ns for every graph made later, until the process ends. Any framework
// is there within its first steps. Without this a measurement made early in a process differed from
// a later one by 170 ns a launch, twice that if cold: 25 % of a short kernel. So the process is
// taken to the lasting speed before anything is measured.
#include "cuda.hpp"

namespace bench_cuda {
namespace {

// One launch was not enough.
constexpr int launches = 100;

}  // namespace

void Runtime::settle(bench_instance_v1 &instance, bench_device_v1 device) {
  CUstream &stream = instance.settled[device.id];
  if (stream) return;
  Reader reader;
  if (make_reader(&reader) != 0) return;  // a driver without its compiler: measured as it comes
  // Kept until close: another stream would take its place with the driver.
  CUstream made = nullptr;
  Status status = create_stream(&made);
  // Reads nothing: it is the launch that counts.
  for (int i = 0; status == 0 && i < launches; ++i) status = read(reader, nullptr, 0, made);
  if (status == 0) status = synchronize_stream(made);
  drop_reader(reader);
  if (status != 0 && made) destroy_stream(made);
  check(status, "launch on a second stream");
  stream = made;
}

void Runtime::drop_settled(bench_instance_v1 &instance, bench_device_v1 device) {
  CUstream &stream = instance.settled[device.id];
  if (!stream) return;
  const Scope scope(instance, device, nullptr);
  destroy_stream(stream);
  stream = nullptr;
}

}  // namespace bench_cuda
