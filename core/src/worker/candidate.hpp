// SPDX-License-Identifier: Apache-2.0
// What a worker does with the configurations of a problem: compile, load, verify, measure.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/ext/kernel.h"
#include "measure/energy.hpp"
#include "measure/engine.hpp"
#include "problem/problem.hpp"
#include "tune/race.hpp"
#include "worker/buffers.hpp"
#include "worker/verify.hpp"

namespace bench::loader {
struct Plugin;
}

namespace bench::worker {

/// A compiled kernel as it travels between processes.
struct Compiled {
  std::vector<std::uint8_t> binary;
  std::string log;
  std::int64_t elapsed_ns = 0;
};

/// The candidates of one problem on one device. One thread.
class Candidates {
 public:
  /// Touches no device: memory, stream and timer come with the first use that needs them.
  Candidates(loader::Plugin &plugin, bench_device_v1 device, const problem::Problem &problem,
             const measure::Policy &policy);
  ~Candidates();
  Candidates(const Candidates &) = delete;  // owns kernels and device memory
  Candidates &operator=(const Candidates &) = delete;

  /// Throws Failure: compile failed (with the log in `what`'s place of the compiler's first line),
  /// timeout.
  Compiled compile(std::uint64_t index, std::int64_t deadline_ns);
  Compiled compile_reference(std::int64_t deadline_ns);

  /// Throws Failure: no such kernel, limits of the device exceeded.
  void load(std::uint64_t index, const std::vector<std::uint8_t> &binary);
  void unload(std::uint64_t index);
  /// Of a loaded one; members that the plugin does not know are UINT32_MAX.
  const bench_kernel_resources_v1 &resources(std::uint64_t index);

  /// Expected outputs: from the problem's files where it gives them, else from its reference
  /// kernel.
  void make_reference(const std::vector<std::uint8_t> &binary);
  /// Expected outputs: what this candidate gives. For problems that declare no reference.
  void adopt(std::uint64_t index);
  bool has_reference() const { return !expected_.empty(); }

  /// One launch on outputs that are poisoned with a pattern of the pass's own, compared; passes
  /// count from 0 for each candidate. What it took on the device's clock. Throws VisitFailed: wrong
  /// output, not finite, launch failed.
  std::int64_t verify(std::uint64_t index, std::uint32_t pass);

  /// Launches per window that the timer needs for this candidate.
  std::uint32_t calibrate(std::uint64_t index);
  /// Throws measure::SteppedDown as well.
  std::vector<double> visit(std::uint64_t index, std::uint32_t samples, std::uint32_t launches);
  measure::Measurement measure(std::uint64_t index);
  measure::Energy energy(std::uint64_t index, measure::EnergyOptions options);
  const measure::Target &target() const { return target_; }
  measure::Cost cost() const;
  /// The time of the device's own clock; nothing where it lives in real time.
  std::optional<std::int64_t> own_time_ns();
  /// On the device's clock, from now; 0 for none.
  std::int64_t deadline_ns(std::int64_t timeout_ns);

  /// Binds this thread to a core. Failure where the device's plugin cannot.
  void pin(std::uint32_t core);
  /// Keeps the device's clock near `clock_hz` until this process ends, however it ends. Failure
  /// where the device's plugin cannot, or may not.
  void lock_clock(double clock_hz);
  /// Gives it back, if it was locked; does not throw.
  void unlock_clock() noexcept;
  /// Core cycles of this thread per launch; nothing, with `reason`, where they cannot be counted.
  std::optional<double> cycles(std::uint64_t index, std::string &reason);

 private:
  struct Loaded;
  struct Callable;
  Compiled compile_source(const problem::Kernel &kernel,
                          const problem::Configuration &configuration, std::int64_t deadline_ns);
  std::unique_ptr<Loaded> load_kernel(const problem::Configuration &configuration,
                                      const std::string &name,
                                      const std::vector<std::uint8_t> &binary);
  void launch_once(Loaded &loaded);
  Loaded &loaded(std::uint64_t index);
  const bench_callable_v1 &callable(std::uint64_t index);
  void check_limits(const problem::Geometry &geometry, std::uint64_t shared_bytes) const;
  Buffers &buffers();
  measure::Session &session();
  /// Launches once for each poison and keeps what comes out as what is expected.
  void keep_outputs(Loaded &loaded);
  const Expected &expected(std::size_t rule, unsigned pass) const;

  loader::Plugin &plugin_;
  const bench_ext_kernel_v1 &ext_;
  Place place_;
  const bench_device_info_v1 info_;
  const problem::Problem &problem_;
  const measure::Policy policy_;
  const measure::Target target_;
  std::vector<bench_kernel_parameter_v1> parameters_;
  std::vector<const bench_kernel_parameter_v1 *> parameter_pointers_;
  std::vector<Rule> rules_;
  std::unique_ptr<measure::Session> session_;
  std::unique_ptr<Buffers> buffers_;
  std::map<std::uint64_t, std::unique_ptr<Loaded>> loaded_;
  std::vector<Expected> expected_;  // one a rule
  // Over the second poison, where that differs: a reference may leave a part of an output as it
  // was.
  std::map<std::size_t, Expected> expected_again_;
  bool clock_locked_ = false;
};

/// A configuration from "name=value,...": names left out take the default's values. Failure that
/// names what is wrong: the name, the value, or the condition that is violated.
problem::Configuration parse_configuration(const problem::Problem &problem,
                                           const std::string &text);

/// Text of the problem's reference kernel; Failure that names the file.
std::string read_reference_source(const problem::Problem &problem);

/// The plugin's bench.kernel/1; Failure if it has none.
const bench_ext_kernel_v1 &kernel_extension(loader::Plugin &plugin);

}  // namespace bench::worker
